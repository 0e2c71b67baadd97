"""Values that are captured as source text because their type varies or only a part of them is needed."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Raw

Int64 = Annotated[int, Meta(ge=-(2**63) + 1, le=2**63 - 1)]
"""An integer that fits the lake; others make strict decoding fail and are clamped by lenient decoding."""

NO_RAW = Raw(b"")
_decode_str = msgspec.json.Decoder(str).decode


def text_of(raw: Raw) -> str | None:
    """Return a captured value as JSON text; None when it was absent or null."""
    if raw is NO_RAW:
        return None
    data = bytes(raw)
    return None if data in (b"", b"null") else data.decode()


def string_of(raw: Raw) -> str | None:
    """Return a captured JSON string decoded; None when it was absent or any other value."""
    if raw is NO_RAW or bytes(memoryview(raw)[:1]) != b'"':
        return None
    return _decode_str(raw)


def present(raw: Raw) -> bool:
    """Return whether a captured value was present, null included (J7)."""
    return raw is not NO_RAW and bytes(raw) != b""


class _Odd:
    """The class of ODD."""

    def __repr__(self) -> str:
        return "ODD"


ODD = _Odd()
"""Stands for valid JSON that cannot be held: a number beyond a double, nesting beyond any sense."""


def any_value(raw: Raw) -> Any:
    """Return a captured value decoded, ODD where it cannot be held; None when it was absent."""
    if not present(raw):
        return None
    try:
        return msgspec.json.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return ODD
