"""Splitting a line that is not one plain JSON value: damage is repaired or named, values are found.

This is the slow path; lines of one well-formed object never come here.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from tracelake.decode.faults import Cause, Fault

BOM = b"\xef\xbb\xbf"
GO_SPACE = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
"""The white space that blank lines and trimming go by; U+001C to U+001F are not in it."""

_ESCAPE = re.compile(
    r"\\(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)", re.S
)
_MAYBE_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_SPACE = re.compile(r"[ \t\r\n\x00]*")


class Split(NamedTuple):
    """What was found on a line: JSON values as source bytes, and what is wrong with its JSON and its text."""

    values: list[bytes]
    bad_json: list[Fault]
    bad_utf8: list[Fault]


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


_SCANNER = json.JSONDecoder(parse_int=lambda _: 0, parse_float=lambda _: 0.0, parse_constant=_refuse)


def is_blank(data: bytes) -> bool:
    """Return whether a line holds only white space."""
    rest = data.lstrip()
    if rest[:1].isascii():
        return not rest
    return not rest.decode(errors="replace").strip(GO_SPACE)


def split_line(data: bytes) -> Split:
    """Find the JSON values on a damaged line; never raises."""
    bad_json: list[Fault] = []
    bad_utf8: list[Fault] = []
    text = _decode(data, bad_utf8)
    if text.startswith("\ufeff"):
        bad_json.append(Fault(Cause.BYTE_ORDER_MARK))
        text = text[1:]
    if "\0" in text:
        bad_json.append(Fault(Cause.NUL_BYTES, text.count("\0")))
    text = _repair_surrogates(text, bad_utf8)
    values = _scan(text, bad_json)
    return Split(values, bad_json, bad_utf8)


def _decode(data: bytes, notes: list[Fault]) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        notes.append(Fault(Cause.INVALID_UTF8, error.start))
        return data.decode(errors="replace")


def _repair_surrogates(text: str, notes: list[Fault]) -> str:
    """Replace escapes of unpaired surrogates by U+FFFD (J10)."""
    if _MAYBE_SURROGATE.search(text) is None:
        return text
    count = 0

    def replace(match: re.Match[str]) -> str:
        nonlocal count
        body = match[1]
        if len(body) == 5 and body[0] == "u":
            count += 1
            return "\\ufffd"
        return match[0]

    text = _ESCAPE.sub(replace, text)
    if count:
        notes.append(Fault(Cause.LONE_SURROGATES, count))
    return text


def _scan(text: str, notes: list[Fault]) -> list[bytes]:
    values: list[bytes] = []
    position = _skip(text, 0)
    while position < len(text):
        try:
            _, end = _SCANNER.raw_decode(text, position)
        except RecursionError:
            notes.append(Fault(Cause.TOO_DEEP))
            break
        except ValueError as error:
            notes.append(_explain(text, position, error))
            break
        values.append(text[position:end].encode())
        position = _skip(text, end)
    return values


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _explain(text: str, position: int, error: ValueError) -> Fault:
    rest = text[position : position + 20]
    if rest[:1] not in '{["':
        return Fault(Cause.NOT_JSON, repr(rest))
    if isinstance(error, json.JSONDecodeError):
        return Fault(Cause.INVALID_JSON, f" at character {error.pos + 1}: {error.msg}")
    return Fault(Cause.INVALID_JSON, f": {error}")
