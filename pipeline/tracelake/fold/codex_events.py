"""Codex events -> rows of `events` (parser.md 1.3, 1.4)."""

from __future__ import annotations

from typing import Any

from tracelake.decode.codex import Payload
from tracelake.decode.raws import any_value


def event_of(payload: Payload) -> tuple[str, dict[str, Any]] | None:
    """Return kind and attributes of an event line; None for kinds that are no event of their own."""
    kind = payload.type
    if kind == "task_complete":
        ttft = any_value(payload.time_to_first_token_ms)
        return "turn_end", {"duration_ms": any_value(payload.duration_ms), "ttft_ms": ttft}
    if kind == "turn_aborted":
        return "turn_aborted", {"reason": payload.reason, "duration_ms": any_value(payload.duration_ms)}
    if kind == "sub_agent_activity":
        return "subagent_activity", {
            "thread_id": payload.agent_thread_id,
            "agent_path": payload.agent_path,
            "state": any_value(payload.kind),
        }
    if kind in ("error", "stream_error"):
        return "api_error", {"message": _error_message(payload)}
    return None


def _error_message(payload: Payload) -> Any:
    """Return the message of an error event: its own, or that of its `error` member."""
    own = any_value(payload.message)
    if own is not None:
        return own
    error = any_value(payload.error)
    return error.get("message") if isinstance(error, dict) else error
