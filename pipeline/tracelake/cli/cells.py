"""One value of an answer, as text or as plain JSON data."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec

from tracelake.cli.safe_text import escape

_ENCODER = msgspec.json.Encoder(decimal_format="number")
NULL = "-"
"""How a missing value looks in a table."""


def to_json(value: Any) -> bytes:
    """Encode plain data as compact JSON; decimals keep all their digits."""
    return _ENCODER.encode(plain(value))


def plain(value: Any) -> Any:
    """Return `value` with every part JSON can carry: blobs become text, times ISO 8601 in UTC."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, datetime | date | time | timedelta | UUID):
        return _simple(value)
    return value


def text(value: Any) -> str:
    """Return the value as csv shows it: exact, an empty string for a missing value."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list | tuple):
        return to_json(value).decode()
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return _simple(value)


def cell(value: Any) -> str:
    """Return the value as tables and Markdown show it: on one line, nothing in it steers the terminal."""
    return NULL if value is None else escape(text(value))


def is_number(value: Any) -> bool:
    """Whether the value belongs at the right edge of its column."""
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _simple(value: Any) -> str:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            return value.isoformat()
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return format(value, "f")
    return str(value)
