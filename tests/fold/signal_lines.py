"""Made-up lines that launch, end and resume background agents, as records."""

from __future__ import annotations

import json
from itertools import count

_numbers = count(1)
RECEIPT = "Async agent launched successfully.\nagentId: {} (internal ID - do not mention to user.)"


def data_of(*records) -> bytes:
    """Records (or raw bytes) as lines, each with its LF."""
    return b"".join((r if isinstance(r, bytes) else json.dumps(r).encode()) + b"\n" for r in records)


def record(kind, uuid=None, **more):
    return {"type": kind, "uuid": uuid or f"u{next(_numbers)}", **more}


def call(call_id, name="Agent", uuid=None, **input_):
    block = {"type": "tool_use", "id": call_id, "name": name, "input": input_}
    return record("assistant", uuid, message={"role": "assistant", "content": [block]})


def launching(call_id, name="Agent", flag=True, **input_):
    return call(call_id, name, run_in_background=flag, **input_)


def result(call_id, content, evidence=None, uuid=None, **more):
    block = {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}
    made = record("user", uuid, message={"role": "user", "content": [block]})
    return made if evidence is None else {**made, "toolUseResult": evidence}


def receipt(call_id, agent_id, **more):
    return result(call_id, [{"type": "text", "text": RECEIPT.format(agent_id)}], **more)


def notice_text(agent_id, status="completed", after="", **tags):
    inside = "".join(f"<{name}>{value}</{name}>\n" for name, value in {"task-id": agent_id, **tags}.items())
    inside += f"<status>{status}</status>\n" if status else ""
    return f"<task-notification>\n{inside}</task-notification>{after}"


def said(text, uuid=None, **more):
    return record("user", uuid, message={"role": "user", "content": text}, **more)


def notice(agent_id, status="completed", **more):
    return said(notice_text(agent_id, status), **more)


def queued(text, operation="enqueue"):
    return {"type": "queue-operation", "operation": operation, "content": text}


def queued_command(text, mode="task-notification", **more):
    attachment = {"type": "queued_command", "commandMode": mode, "prompt": text}
    return record("attachment", attachment=attachment, **more)
