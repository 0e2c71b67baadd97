"""Task notifications: what a `<task-notification>` text says (B-2)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import NamedTuple

from tracelake.decode.split import GO_SPACE

OPENING = "<task-notification>"
MARK = "-notification>"
"""In every text that may be a notice; older clients wrote `<agent-notification>` with an `<agent-id>`."""
SYSTEM_PREFIX = "[SYSTEM NOTIFICATION - NOT USER INPUT]"
TERMINAL = frozenset({"completed", "failed", "killed", "stopped"})

_SPACE = r"[\t\n\f\r ]*"
_TASK_ID = re.compile(rf"<task-id>{_SPACE}([^<\t\n\f\r ]+){_SPACE}</task-id>")
_STATUS = re.compile(rf"<status>{_SPACE}([a-z_]+){_SPACE}</status>")
_TOOL_USE_ID = re.compile(rf"<tool-use-id>{_SPACE}([^<\t\n\f\r ]+){_SPACE}</tool-use-id>")
_SUMMARY = re.compile(r"<summary>(.*?)</summary>", re.DOTALL)
_NOTICE = re.compile(r"<((?:task|agent|bash|shell)-notification)>.*?(?:</\1>|\Z)", re.DOTALL)
_ANY_ID = re.compile(rf"<(?:task|agent|bash|shell)-id>{_SPACE}([^<\t\n\f\r ]+){_SPACE}</")
_KINDS = {
    "Background command ": "shell",
    "Agent ": "agent",
    "Monitor ": "monitor",
    "Workflow ": "workflow",
    "Dynamic workflow ": "workflow",
    "Teammate ": "teammate",
}


class Notice(NamedTuple):
    """One notice of a text."""

    agent_id: str
    status: str
    tool_use_id: str | None
    summary: str | None
    notice_key: str

    @property
    def target_kind(self) -> str | None:
        """What the summary says the task is; None when it does not."""
        summary = self.summary or ""
        return next((kind for start, kind in _KINDS.items() if summary.startswith(start)), None)


def strict_end(text: str) -> tuple[str, str] | None:
    """Return agent id and terminal status of a text that is a notice by the exact rule, else None (B-2)."""
    trimmed = text.strip(GO_SPACE)
    if not trimmed.startswith(OPENING):
        return None
    agent, status = _TASK_ID.search(trimmed), _STATUS.search(trimmed)
    if agent is None or status is None or status[1] not in TERMINAL:
        return None
    return agent[1], status[1]


def ends(text: str) -> Iterator[Notice]:
    """Yield every notice of an end in a text that opens with one, or with the client's own preface.

    A notice without a status is an event of a running task, one with another status says that it goes on.
    """
    trimmed = text.strip(GO_SPACE)
    if not trimmed.startswith(SYSTEM_PREFIX) and not _NOTICE.match(trimmed):
        return
    for match in _NOTICE.finditer(text):
        body = match[0]
        agent, status = _ANY_ID.search(body), _STATUS.search(body)
        if agent is None or status is None or status[1] not in TERMINAL:
            continue
        call, summary = _TOOL_USE_ID.search(body), _SUMMARY.search(body)
        yield Notice(
            agent[1],
            status[1],
            call[1] if call else None,
            summary[1].strip() if summary else None,
            short_hash(body.strip(GO_SPACE)),
        )


def short_hash(text: str) -> str:
    """Return the first 8 bytes of a text's SHA-256 in hex."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def signal_key(uuid: str | None, text: str, agent_id: str) -> str:
    """Return the key of an end: the record's uuid, or without one the hash of the text, and the agent id (B-2)."""
    return f"{uuid or short_hash(text)}:{agent_id}"
