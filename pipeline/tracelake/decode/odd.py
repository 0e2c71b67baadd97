"""Valid JSON that no column can hold: numbers beyond 64 bits and very deep nesting, named by their keys.

This is the slow path: it is asked only of lines where something went wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import reduce

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
        yield f"{_shortened(_joined(key, _deepest_key(raw)))}: nested more than {MAX_DEPTH} deep"
        return
    for name, value in named:
        if value[:1] in b"{[-0123456789":
            yield from _walk(value, _joined(key, name), depth + 1)


_TOKEN = re.compile(rb'"((?:[^"\\]|\\.)*)"\s*(:)?|[{}\[\]]', re.S)


def _deepest_key(raw: bytes) -> str:
    """Return the keys that lead to where nesting becomes too deep, read without recursion."""
    path: list[str] = []
    for token in _TOKEN.finditer(raw):
        mark = token[0][:1]
        if token[2]:
            path[-1:] = [token[1].decode(errors="replace")]
        elif mark in b"{[":
            path.append("" if mark == b"{" else "[]")
        elif mark in b"}]":
            path.pop()
        if len(path) > MAX_DEPTH:
            break
    return reduce(_joined, path, "")


def _joined(key: str, name: str) -> str:
    return key + name if name.startswith("[]") else f"{key}.{name}" if key else name


def _shortened(key: str) -> str:
    """Return a key without the tail of list marks that deep nesting gives it."""
    return re.sub(r"(\[\])+$", "[]", key)


def _is_odd(number: bytes) -> bool:
    if _INTEGER.fullmatch(number):
        digits = number.lstrip(b"-")
        return len(digits) > 19 or int(digits) > INT64_MAX
    return float(number) in (float("inf"), float("-inf"))
