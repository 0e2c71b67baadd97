"""Lines of unknown class that carry token counts (accounting.md 1)."""

from __future__ import annotations

import json

import pytest
from tracelake.decode.usage_signs import carries_usage

from tests.fold.folding import fold
from tests.fold.rollouts import entry, line, lines


def nested(levels, value):
    for _ in range(levels - 1):
        value = {"in": value}
    return value


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"output_tokens": 3}, True),
        ({"a": [{"totalTokens": 1}]}, True),
        ({"a": {"usage": {}}}, True),
        ({"usage": "high"}, False),
        ({"output_tokens": 0}, False),
        ({"output_tokens": "3"}, False),
        ({"output_tokens": True}, False),
        ({"tokens_used": 3}, False),
        (nested(6, {"output_tokens": 3}), True),
        (nested(7, {"output_tokens": 3}), False),
    ],
)
def test_signs(record, expected):
    assert carries_usage(json.dumps(record).encode()) is expected


def test_what_cannot_be_read_has_no_sign():
    assert carries_usage(b'{"output_tokens": ' + b"[" * 100_000) is False


UNREAD = {"x": {"output_tokens": 3}}


@pytest.mark.parametrize(
    ("agent", "record"),
    [
        ("claude", {"type": "a-type-to-come", **UNREAD}),
        ("codex", line("a_type_to_come", **UNREAD)),
        ("pi", entry("a_type_to_come", "e1", **UNREAD)),
    ],
)
def test_the_line_says_so_whatever_the_agent(agent, record):
    (row,) = fold(lines(record), agent)["entries"]
    assert (row["class"], row["carries_usage"]) == ("unknown", True)


def test_lines_of_known_classes_say_nothing():
    (row,) = fold(lines({"type": "result", "usage": {"output_tokens": 3}}))["entries"]
    assert row["carries_usage"] is None
