"""How a JSON value is read where its type is not the expected one (rules J4 to J9).

All functions take the exact source bytes of one valid JSON value.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

import msgspec

INT64_MAX = 2**63 - 1
_RFC3339 = re.compile(r"(.{16}):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII)
_MINUTE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d", re.ASCII)
_SECONDS_US = {f":{second:02}.": second * 1_000_000 for second in range(60)}
_MILLISECONDS_US = {f"{number:03}Z": number * 1_000 for number in range(1_000)}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_decode_str = msgspec.json.Decoder(str).decode


def str_of(raw: bytes) -> str | None:
    """Return a string decoded, another scalar or container as its source text, null as None (J4)."""
    if raw[:1] == b'"':
        return _decode_str(raw)
    return None if raw == b"null" else raw.decode()


def int_of(raw: bytes) -> int | None:
    """Return a number truncated toward zero, a string of digits parsed, true as 1, null as None, else 0 (J5).

    Values beyond 64 bits are clamped.
    """
    if raw == b"null":
        return None
    if raw == b"true":
        return 1
    text = _decode_str(raw) if raw[:1] == b'"' else raw.decode()
    if raw[:1] == b'"' and not re.fullmatch(r"[+-]?\d+", text, re.ASCII):
        return 0
    if len(text) > 400:
        return 0
    try:
        number = int(text) if re.fullmatch(r"[+-]?\d+", text, re.ASCII) else int(float(text))
    except (ValueError, OverflowError):
        return 0
    return max(-INT64_MAX, min(INT64_MAX, number))


def bool_of(raw: bytes) -> bool | None:
    """Return true, a non-zero number or a string that says true as True, null as None, else False (J6)."""
    if raw == b"null":
        return None
    if raw[:1] == b'"':
        return _decode_str(raw).lower() in {"1", "t", "true"}
    if raw[:1] in b"-0123456789":
        return float(raw) != 0
    return raw == b"true"


@lru_cache(maxsize=4096)
def _minute_us(text: str) -> int | None:
    """Return `YYYY-MM-DDTHH:MM` in UTC as microseconds since 1970; None where it is no such time."""
    if not _MINUTE.fullmatch(text):
        return None
    try:
        parsed = datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        return None
    return (parsed - _EPOCH) // _MICROSECOND


def timestamp_us(text: str | None) -> int | None:
    """Return an RFC 3339 time as microseconds since 1970 in UTC, None for anything else (J9)."""
    if text is None:
        return None
    # What agents write: milliseconds in UTC. Everything else takes the general way below.
    base = _minute_us(text[:16])
    seconds_us, milliseconds_us = _SECONDS_US.get(text[16:20]), _MILLISECONDS_US.get(text[20:])
    if base is not None and seconds_us is not None and milliseconds_us is not None:
        return base + seconds_us + milliseconds_us
    match = _RFC3339.fullmatch(text)
    if match is None:
        return None
    minute, seconds, fraction, sign, off_hours, off_minutes = match.groups()
    base = _minute_us(minute)
    if base is None or seconds > "59":
        return None
    us = base + int(seconds) * 1_000_000
    if fraction:
        us += int(fraction[:6].ljust(6, "0"))
    if sign:
        if off_hours > "23" or off_minutes > "59":
            return None
        offset = (int(off_hours) * 60 + int(off_minutes)) * 60_000_000
        us += -offset if sign == "+" else offset
    return us
