"""What a body is: how its value becomes the canonical bytes, and where it was found (parser.md 4.3)."""

from __future__ import annotations

import enum
from typing import Literal, NamedTuple

from tracelake.bodies.spans import ValueSpan

JSON = "application/json"
PLAIN = "text/plain"

Role = Literal["input", "result", "attachment"]
"""What a body is to its tool call or message; for diagnostics."""


class BodyKind(enum.IntEnum):
    """How a located value becomes the canonical bytes of its body."""

    RAW = 0
    """The source bytes as they are."""
    JSON_STRING = 1
    """The contents of a JSON string."""
    ARRAY_TEXT = 2
    """The texts of a list of blocks, joined by LF."""
    BASE64 = 3
    """The decoded bytes of a JSON string of base64, with or without a data URI prefix."""


class BodyLocation(NamedTuple):
    """One body in a line, found without holding it.

    `span` is the value a sentinel would replace. `file_path` and `detail` are those of a JSON tool input,
    None where it does not say.
    """

    span: ValueSpan
    kind: BodyKind
    media_type: str
    file_path: str | None = None
    detail: str | None = None
    role: Role = "result"


def classify_result_body(first_byte: int | bytes) -> tuple[BodyKind, str]:
    """Return the kind and media type of a tool result by the first byte of its JSON value."""
    first = first_byte[:1] if isinstance(first_byte, bytes) else bytes((first_byte,))
    if first == b'"':
        return BodyKind.JSON_STRING, PLAIN
    if first == b"[":
        return BodyKind.ARRAY_TEXT, PLAIN
    return BodyKind.RAW, JSON if first == b"{" else PLAIN
