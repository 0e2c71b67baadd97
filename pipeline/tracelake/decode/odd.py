"""Valid JSON that no column can hold: numbers beyond 64 bits and very deep nesting, named by their keys.

This is the slow path: it is asked only of lines where something went wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from tracelake.decode.json_rules import INT64_MAX
from tracelake.decode.lenient import elements, members

MOST_NAMED = 8
"""How many odd values of a record are named."""
MAX_DEPTH = 128
"""Nesting that is followed; no agent writes a tenth of it."""

_INTEGER = re.compile(rb"-?\d+")
_SHOWN = 24


def odd_values(record: bytes) -> list[str]:
    """Return a sentence for each odd value of a record, at most eight; `record` is its JSON text."""
    found: list[str] = []
    for sentence in _walk(record, "", 0):
        found.append(sentence)
        if len(found) == MOST_NAMED:
            break
    return found


def _walk(raw: bytes, key: str, depth: int) -> Iterator[str]:
    first = raw[:1]
    if first in b"{[" and first:
        yield from _inside(raw, key, depth)
    elif first in b"-0123456789" and first and _is_odd(raw):
        shown = raw if len(raw) <= _SHOWN else raw[:_SHOWN] + b"..."
        yield f"{key}: {shown.decode()} is beyond 64 bits"


def _inside(raw: bytes, key: str, depth: int) -> Iterator[str]:
    if depth == MAX_DEPTH:
        yield f"{_shortened(key)}: nested more than {MAX_DEPTH} deep"
        return
    try:
        named = list(members(raw).items()) if raw[:1] == b"{" else [("[]", value) for value in elements(raw)]
    except (msgspec.MsgspecError, RecursionError):
        yield f"{_shortened(key)}: nested too deeply to decode"
        return
    for name, value in named:
        if value[:1] in b"{[-0123456789":
            yield from _walk(value, _joined(key, name), depth + 1)


def _joined(key: str, name: str) -> str:
    return key + name if name == "[]" else f"{key}.{name}" if key else name


def _shortened(key: str) -> str:
    """Return a key without the tail of list marks that deep nesting gives it."""
    return re.sub(r"(\[\])+$", "[]", key)


def _is_odd(number: bytes) -> bool:
    if _INTEGER.fullmatch(number):
        digits = number.lstrip(b"-")
        return len(digits) > 19 or int(digits) > INT64_MAX
    return float(number) in (float("inf"), float("-inf"))
