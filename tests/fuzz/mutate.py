"""Mutations of lines: of their bytes, and of the JSON in them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

ODD_VALUES = (
    "null", "true", "false", "0", "-0", "-1", "1e400", "-1e400", "1e-400", "1.5", "9223372036854775807",
    "9223372036854775808", "-9223372036854775809", "18446744073709551616", "1" * 400, '""', '"1"', '"true"', '"x"',
    "[]", "{}", "[[]]", "[null]", '["x"]', "[" * 300 + "]" * 300, '{"type":null}', '{"text":"t"}', '{"type":"text"}',
    '[{"type":"text","text":"t"}]', '"\\ud800"', '"\\ud83d\\ude00"', '"\\u0000"', '"\\n"', '"\u2028"',
    '"data:image/png;base64,iVBORw=="', '"iVBORw0KGg=="', '"iVBOR"', '"2026-01-01T00:00:00Z"', '"/home/ada/x"',
    '"0001-01-01T00:00:00+23:59"', '"9999-12-31T23:59:59.999999999-23:59"', '"<task-notification>"',
    '{"$tracelake":"body"}', '{"tracelake:list_valid":false}', '"$(cat <<EOF"', '"\'"',
)  # fmt: skip
"""JSON texts that a reader may not expect where they stand."""
TOKENS = (
    b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\\u", b"\n", b"\r", b"\0", b" ", b"0", b"e9", b"-",
    b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf",
)  # fmt: skip

_HOLE = "\ue000hole\ue000"


def mutated(line: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """Return a line changed a little; `others` are lines to take parts from. It may hold LFs."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        line = rng.choice(_MUTATIONS)(line, others, rng)
    return line


def _flip(line: bytes, _: list[bytes], rng: random.Random) -> bytes:
    if not line:
        return line
    at = rng.randrange(len(line))
    return line[:at] + bytes([rng.randrange(256)]) + line[at + 1 :]


def _insert(line: bytes, _: list[bytes], rng: random.Random) -> bytes:
    at = rng.randint(0, len(line))
    return line[:at] + rng.choice(TOKENS) * rng.choice((1, 1, 2, 50)) + line[at:]


def _cut(line: bytes, _: list[bytes], rng: random.Random) -> bytes:
    start, end = sorted(rng.randint(0, len(line)) for _ in range(2))
    return line[:start] + line[end:]


def _end(line: bytes, _: list[bytes], rng: random.Random) -> bytes:
    return line[: rng.randint(0, len(line))]


def _glue(line: bytes, others: list[bytes], rng: random.Random) -> bytes:
    return line + rng.choice((b"", b" ", b"\0", b",")) + rng.choice(others)


def _double(line: bytes, _: list[bytes], rng: random.Random) -> bytes:
    start, end = sorted(rng.randint(0, len(line)) for _ in range(2))
    return line[:end] + line[start:end] + line[end:]


def _odd_value(line: bytes, _: list[bytes], rng: random.Random) -> bytes:
    """Put an odd value in the place of one in the JSON."""
    return _at_a_place(line, rng, lambda holder, key: holder.__setitem__(key, _HOLE), rng.choice(ODD_VALUES))


def _other_part(line: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """Put a part of another line in the place of one in the JSON."""
    part = _places(_loaded(rng.choice(others)))
    if not part:
        return line
    holder, key = rng.choice(part)
    return _at_a_place(line, rng, lambda into, at: into.__setitem__(at, _HOLE), json.dumps(holder[key]))


def _without(line: bytes, _: list[bytes], rng: random.Random) -> bytes:
    return _at_a_place(line, rng, lambda holder, key: holder.__delitem__(key), "")


def _at_a_place(line: bytes, rng: random.Random, change: Callable[[Any, Any], None], text: str) -> bytes:
    value = _loaded(line)
    places = _places(value)
    if not places:
        return line
    change(*rng.choice(places))
    made = json.dumps(value, ensure_ascii=rng.random() < 0.3)
    return (
        made.replace(json.dumps(_HOLE), text)
        .replace(json.dumps(_HOLE, ensure_ascii=False), text)
        .encode(errors="replace")
    )


def _loaded(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a JSON value."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        holder = waiting.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder)) if isinstance(holder, list) else ()
        found += [(holder, key) for key in keys]
        waiting += [holder[key] for key in keys]
    return found


_MUTATIONS = (
    _odd_value, _odd_value, _odd_value, _other_part, _other_part, _without, _flip, _insert, _cut, _end, _glue, _double,
)  # fmt: skip
