"""Made-up transcripts."""

from __future__ import annotations

import json

SESSION = "5e550000-0000-4000-8000-000000000001"


def lines(*records: dict) -> bytes:
    """The records as LF-terminated lines."""
    return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)


def user(uuid: str, content="hello", session_id: str = SESSION, **more) -> dict:
    return {
        "type": "user", "uuid": uuid, "sessionId": session_id, "message": {"role": "user", "content": content}, **more,
    }  # fmt: skip


def agent(uuid: str, agent_id: str, **more) -> dict:
    """A line of a sub-agent's file as it should be."""
    return user(uuid, **{"isSidechain": True, "agentId": agent_id, **more})


def write(root, name: str, *records: dict):
    """Write a transcript (or, for one record and a name in .json, a sidecar) and return its path as text."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(json.dumps(*records).encode() if name.endswith(".json") else lines(*records))
    return str(path)
