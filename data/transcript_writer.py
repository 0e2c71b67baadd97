"""How the made-up transcripts are written: one `File` collects the lines of one transcript."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

Json = dict[str, Any]

SONNET, OPUS, HAIKU = "claude-sonnet-5", "claude-opus-5", "claude-haiku-4-5-20251001"
SONNET_45, FABLE, UNKNOWN = "claude-sonnet-4-5-20250929", "claude-fable-5", "claude-nightjar-1"
AVIARY, CLOCK = "/home/ada/aviary", "/home/ada/tide-clock"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
"""A picture of one black pixel."""


@dataclass
class File:
    """One transcript being written: its lines so far, its clock and the fields every record repeats."""

    tag: str
    session_id: str
    cwd: str
    start: str
    version: str = "2.1.240"
    agent_id: str | None = None
    lines: list[str] = field(default_factory=list)
    count: int = 0
    last: str | None = None

    def raw(self, text: str) -> None:
        """Add one physical line exactly as given."""
        self.lines.append(text)

    def control(self, kind: str, **keys: Any) -> None:
        """Add a bookkeeping line, which has neither uuid nor time."""
        self.raw(dump({"type": kind, **keys, "sessionId": self.session_id}))

    def record(self, kind: str, **keys: Any) -> str:
        """Add an entry with the next uuid and time; returns the uuid."""
        self.count += 1
        uuid = f"{self.tag}-{self.count:04d}-4000-8000-00000000{self.count:04d}"
        time = datetime.fromisoformat(self.start) + timedelta(seconds=5 * self.count)
        entry: Json = {
            "parentUuid": self.last,
            "isSidechain": self.agent_id is not None,
            "userType": "external",
            "cwd": self.cwd,
            "sessionId": self.session_id,
            "version": self.version,
            "gitBranch": "main",
        }
        if self.agent_id:
            entry["agentId"] = self.agent_id
        entry |= {"type": kind, **keys, "uuid": uuid, "timestamp": f"{time:%Y-%m-%dT%H:%M:%S}.000Z"}
        self.raw(dump(entry))
        self.last = uuid
        return uuid

    def user(self, content: Any, **keys: Any) -> str:
        """Add a user line: a prompt (text) or blocks."""
        return self.record("user", message={"role": "user", "content": content}, **keys)

    def result(self, call: str, body: Any, evidence: Any, error: bool = False) -> str:
        """Add the user line that carries the result of one tool call."""
        block: Json = {"tool_use_id": call, "type": "tool_result", "content": body}
        if error:
            block["is_error"] = True
        return self.user([block], toolUseResult=evidence)

    def call(self, name: str, model: str, blocks: list[Json], usage: Json, **keys: Any) -> None:
        """Add one API call: a line per block, all with the same ids; `outputs` grow when it is a list."""
        outputs = usage.pop("outputs", None) or [usage["output_tokens"]] * len(blocks)
        request = keys.pop("request_id", f"req_{name}")
        for number, (block, output) in enumerate(zip(blocks, outputs, strict=True), 1):
            message = {
                "model": model,
                "id": f"msg_{name}",
                "type": "message",
                "role": "assistant",
                "content": [block],
                "stop_reason": keys.get("stop", "end_turn") if number == len(blocks) else None,
                "usage": usage | {"output_tokens": output},
            }
            extra = {"requestId": request} if request else {}
            self.record("assistant", message=message, **extra)

    def text(self, end: str = "\n") -> str:
        """The file's content; `end` follows the last line."""
        return "\n".join(self.lines) + end


def dump(value: Json) -> str:
    """JSON as the program writes it: compact, non-ASCII in the clear."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def say(text: str) -> Json:
    """A text block."""
    return {"type": "text", "text": text}


def tool(call: str, name: str, /, **arguments: Any) -> Json:
    """A tool_use block."""
    return {"type": "tool_use", "id": call, "name": name, "input": arguments}


def picture() -> Json:
    """An image block."""
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}


def notice(task: str, call: str, summary: str) -> str:
    """What says that a background task is done."""
    return (
        f"<task-notification>\n<task-id>{task}</task-id>\n<tool-use-id>{call}</tool-use-id>\n"
        f"<status>completed</status>\n<summary>{summary}</summary>\n</task-notification>"
    )


def tokens(prompt: int, output: int, *, read: int = 0, write_5m: int = 0, write_1h: int = 0, **more: Any) -> Json:
    """A usage object with the cache writes split by lifetime."""
    return {
        "input_tokens": prompt,
        "cache_creation_input_tokens": write_5m + write_1h,
        "cache_read_input_tokens": read,
        "cache_creation": {"ephemeral_5m_input_tokens": write_5m, "ephemeral_1h_input_tokens": write_1h},
        "output_tokens": output,
        "service_tier": "standard",
        **more,
    }
