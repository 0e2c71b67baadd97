"""Splitting a line that is not one plain JSON value: damage is repaired or named, values are found.

This is the slow path; lines of one well-formed object never come here.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

BOM = b"\xef\xbb\xbf"
GO_SPACE = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
"""The white space that blank lines and trimming go by; U+001C to U+001F are not in it."""

_ESCAPE = re.compile(
    r"\\(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)", re.S
)
_SPACE = re.compile(r"[ \t\r\n\x00]*")


class Split(NamedTuple):
    """What was found on a line: JSON values as source bytes, and what is wrong with it (worst first)."""

    values: list[bytes]
    bad_json: list[str]
    bad_utf8: list[str]


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


_SCANNER = json.JSONDecoder(parse_int=lambda _: 0, parse_float=lambda _: 0.0, parse_constant=_refuse)


def is_blank(data: bytes) -> bool:
    """Return whether a line holds only white space."""
    if data.strip():
        return not data.isascii() and not data.decode(errors="replace").strip(GO_SPACE)
    return True


def split_line(data: bytes) -> Split:
    """Find the JSON values on a damaged line; never raises."""
    bad_json: list[str] = []
    bad_utf8: list[str] = []
    text = _decode(data, bad_utf8)
    if text.startswith("\ufeff"):
        bad_json.append("byte order mark before the JSON")
        text = text[1:]
    if "\0" in text:
        bad_json.append(f"{text.count(chr(0))} NUL bytes on the line")
    text = _repair_surrogates(text, bad_utf8)
    values = _scan(text, bad_json)
    return Split(values, bad_json, bad_utf8)


def _decode(data: bytes, notes: list[str]) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        notes.append(f"invalid UTF-8 at byte {error.start}, replaced by U+FFFD")
        return data.decode(errors="replace")


def _repair_surrogates(text: str, notes: list[str]) -> str:
    """Replace escapes of unpaired surrogates by U+FFFD (J10)."""
    if "\\ud" not in text and "\\uD" not in text:
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
        notes.append(f"{count} unpaired surrogate escapes, replaced by U+FFFD")
    return text


def _scan(text: str, notes: list[str]) -> list[bytes]:
    values: list[bytes] = []
    position = _skip(text, 0)
    while position < len(text):
        try:
            _, end = _SCANNER.raw_decode(text, position)
        except RecursionError:
            notes.append("nested too deeply to decode")
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


def _explain(text: str, position: int, error: ValueError) -> str:
    rest = text[position : position + 20]
    if rest[:1] not in '{["':
        return f"not JSON: {rest!r}"
    if isinstance(error, json.JSONDecodeError):
        return f"invalid JSON at character {error.pos + 1}: {error.msg}"
    return f"invalid JSON: {error}"
