"""What can be wrong with a line, as codes; the sentence for a reader is made from them at the very end."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Cause(Enum):
    """What is wrong; the value is the sentence, `{}` stands for the detail."""

    # the bytes are not the JSON of one or more values
    BYTE_ORDER_MARK = "byte order mark before the JSON"
    NUL_BYTES = "{} NUL bytes on the line"
    NOT_JSON = "not JSON: {}"
    INVALID_JSON = "invalid JSON{}"
    TOO_DEEP = "nested too deeply to decode"
    # JSON, but not what a record is
    GLUED = "{} JSON values on one line"
    NOT_AN_OBJECT = "a JSON {}, not an object"
    WRONG_TYPE = "{} has type {}, expected {}"
    # a record with a value that no column can hold
    ODD_VALUE = "{}"
    # the text is not Unicode
    INVALID_UTF8 = "invalid UTF-8 at byte {}, replaced by U+FFFD"
    LONE_SURROGATES = "{} unpaired surrogate escapes, replaced by U+FFFD"
    # a line over 16 MiB
    OVERSIZE = "line over 16 MiB"
    SHORTENED = "{} long values shortened"
    DROPPED = "{} values beyond the size budget dropped"


BAD_JSON = frozenset({Cause.BYTE_ORDER_MARK, Cause.NUL_BYTES, Cause.NOT_JSON, Cause.INVALID_JSON, Cause.TOO_DEEP})
BAD_TYPE = frozenset({Cause.NOT_AN_OBJECT, Cause.WRONG_TYPE})
BAD_UTF8 = frozenset({Cause.INVALID_UTF8, Cause.LONE_SURROGATES})
UNCUT = frozenset({Cause.BYTE_ORDER_MARK, Cause.NUL_BYTES})
"""Damage that is not the mark of a line cut short, also at the end of a file."""


class Fault(NamedTuple):
    """One thing that is wrong with a line, and what differs from line to line; several details are a tuple."""

    cause: Cause
    detail: object = ""

    def __str__(self) -> str:
        """Return the sentence."""
        details = self.detail if isinstance(self.detail, tuple) else (self.detail,)
        return self.cause.value.format(*details)


def error_text(faults: list[Fault]) -> str | None:
    """Return all faults as one text; None when there are none."""
    return "; ".join(map(str, faults)) or None


def status_of(faults: list[Fault], has_lf: bool) -> str:
    """Return the gravest status that the faults of a line amount to (E-1 to E-4)."""
    causes = [fault.cause for fault in faults]
    damage = [cause for cause in causes if cause in BAD_JSON]
    if damage:
        return "bad_json" if has_lf or damage[-1] in UNCUT else "torn"
    if Cause.GLUED in causes:
        return "glued"
    if not BAD_TYPE.isdisjoint(causes):
        return "bad_type"
    if Cause.ODD_VALUE in causes:
        return "bad_value"
    return "ok" if BAD_UTF8.isdisjoint(causes) else "bad_utf8"
