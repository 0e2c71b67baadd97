"""Claude Code system lines -> rows of `events` (parser.md 1.2, 1.3)."""

from __future__ import annotations

from typing import Any

from tracelake.decode.claude import Record, any_value
from tracelake.decode.raws import ODD
from tracelake.fold.guard import Faults, json_object

_COMPACTION_KEYS = {
    "trigger": "trigger",
    "pre_tokens": "preTokens",
    "post_tokens": "postTokens",
    "dropped_tokens": "cumulativeDroppedTokens",
}


def event_of(record: Record, faults: Faults) -> tuple[str, str] | None:
    """Return kind and attributes (JSON, keys sorted) of a system line; None for subtypes that are no event.

    Attributes that cannot be held are left out and named in `faults`.
    """
    make = _MAKERS.get(record.subtype or "")
    if make is None:
        return None
    kind, attrs = make(record)
    return kind, json_object(attrs, faults)


def _compaction(record: Record) -> tuple[str, dict[str, Any]]:
    found = any_value(record.compact_metadata)
    if found is ODD:
        return "compaction", {"compact_metadata": found}
    metadata = found if isinstance(found, dict) else {}
    return "compaction", {key: metadata.get(source) for key, source in _COMPACTION_KEYS.items()}


def _turn_end(record: Record) -> tuple[str, dict[str, Any]]:
    return "turn_end", {
        "duration_ms": any_value(record.duration_ms),
        "message_count": any_value(record.message_count),
    }


def _api_error(record: Record) -> tuple[str, dict[str, Any]]:
    found = any_value(record.error)
    error = found if isinstance(found, dict) else {"message": found}
    return "api_error", {
        "message": error.get("formatted") or error.get("message"),
        "retry_attempt": any_value(record.retry_attempt),
        "max_retries": any_value(record.max_retries),
    }


def _stop_hook(record: Record) -> tuple[str, dict[str, Any]]:
    return "stop_hook", {
        "hook_count": any_value(record.hook_count),
        "prevented_continuation": any_value(record.prevented_continuation),
        "stop_reason": record.stop_reason or None,
        "errors": record.hook_errors or None,
    }


_MAKERS = {
    "compact_boundary": _compaction,
    "turn_duration": _turn_end,
    "api_error": _api_error,
    "stop_hook_summary": _stop_hook,
}
