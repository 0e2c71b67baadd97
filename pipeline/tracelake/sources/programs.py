"""Which program writes records like a given one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

JOURNAL = "journal"
"""Answer of `program_of` for a line of a workflow journal, which Claude Code writes beside transcripts."""

_CODEX_TYPES = frozenset(
    {
        "session_meta",
        "turn_context",
        "response_item",
        "event_msg",
        "compacted",
        "token_usage_record",
        "world_state",
        "inter_agent_communication_metadata",
    }
)
_STREAM_TYPES = frozenset({"system", "result", "stream_event", "tool_progress", "rate_limit_event"})
"""Types of a stream-json export, whose lines carry `session_id`, a key that other programs' logs also use."""

_CLAUDE_MEMBERS: dict[str, tuple[str, ...]] = {
    "user": ("message",),
    "assistant": ("message",),
    "attachment": ("attachment",),
    "progress": ("data",),
    "system": ("subtype", "isMeta"),
    "summary": ("leafUuid",),
    "mode": ("mode",),
    "file-history-snapshot": ("snapshot", "messageId"),
    "file-history-delta": ("snapshot", "messageId", "delta"),
    "queue-operation": ("operation",),
    "permission-mode": ("permissionMode",),
    "custom-title": ("customTitle",),
    "ai-title": ("aiTitle",),
    "agent-name": ("agentName",),
    "last-prompt": ("lastPrompt", "leafUuid"),
}
"""Types that Claude Code also writes without any id, each with a member that others' records lack."""


def program_of(record: Mapping[str, Any]) -> str:
    """Return `claude`, `codex`, `pi` or `journal` for a record typical of one, else the empty string.

    Types are an open set: an unknown one is Claude Code's when it carries that program's ids.
    """
    kind = record.get("type")
    if _is_codex(kind, record):
        return "codex"
    if _has_id(record, "sessionId", "uuid"):
        known = isinstance(kind, str) or "parentUuid" in record or "isSidechain" in record
        return "claude" if known else ""
    if kind == "session" and _has_id(record, "id", "cwd"):
        return "pi"
    if kind == "message" and isinstance(record.get("message"), dict):
        return "pi"
    if kind in ("started", "result") and "key" in record and "agentId" in record:
        return JOURNAL
    return "claude" if _is_claude_without_id(kind, record) else ""


def session_id_of(record: Mapping[str, Any], program: str) -> str | None:
    """Return the session id that a record of the given program carries, if it does."""
    if program == "codex":
        payload = record.get("payload") if record.get("type") == "session_meta" else None
        return _text(payload if isinstance(payload, dict) else record, "id")
    if program == "pi":
        return _text(record, "id") if record.get("type") == "session" else None
    return _text(record, "sessionId") or _text(record, "session_id")


def starts_subagent(record: Mapping[str, Any], program: str) -> bool:
    """Return whether a record is the header of a Codex session that another session started."""
    payload = record.get("payload") if program == "codex" and record.get("type") == "session_meta" else None
    if not isinstance(payload, dict):
        return False
    source = payload.get("source")
    return payload.get("thread_source") == "subagent" or (isinstance(source, dict) and "subagent" in source)


def cwd_of(record: Mapping[str, Any], program: str) -> str | None:
    """Return the working directory that the header of a Codex or pi session names."""
    if program == "codex":
        payload = record.get("payload")
        return _text(payload, "cwd") if isinstance(payload, dict) else None
    return _text(record, "cwd") if program == "pi" and record.get("type") == "session" else None


def _is_codex(kind: Any, record: Mapping[str, Any]) -> bool:
    """Rollout lines have a payload; those of early 2025 begin with a bare header and state lines."""
    if isinstance(kind, str):
        return kind in _CODEX_TYPES and isinstance(record.get("payload"), dict)
    if record.get("record_type") == "state":
        return True
    header = "instructions" in record or "git" in record
    return header and _text(record, "id") is not None and _text(record, "timestamp") is not None


def bare_header_id(record: Mapping[str, Any]) -> str | None:
    """Return the id of a record that is nothing but an id and a time, as the first line of an early rollout may be."""
    return _text(record, "id") if record.keys() == {"id", "timestamp"} and _text(record, "timestamp") else None


def is_bare_item(record: Mapping[str, Any]) -> bool:
    """Return whether a record is an item of a Codex conversation without the payload that later versions have."""
    kind = record.get("type")
    if kind == "message":
        return _text(record, "role") is not None and isinstance(record.get("content"), list)
    if kind == "reasoning":
        return isinstance(record.get("summary"), list)
    return (
        kind in ("function_call", "function_call_output", "local_shell_call") and _text(record, "call_id") is not None
    )


def _is_claude_without_id(kind: Any, record: Mapping[str, Any]) -> bool:
    if not isinstance(kind, str):
        return False
    if _has_id(record, "session_id") and kind in _STREAM_TYPES:
        return True
    if kind in ("user", "assistant"):
        return isinstance(record.get("message"), dict)
    return any(member in record for member in _CLAUDE_MEMBERS.get(kind, ()))


def _has_id(record: Mapping[str, Any], *keys: str) -> bool:
    return any(_text(record, key) for key in keys)


def _text(record: Mapping[str, Any], key: str) -> str | None:
    value = record.get(key)
    return value if isinstance(value, str) and value else None
