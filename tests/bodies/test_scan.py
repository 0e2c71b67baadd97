"""What counts as JSON: the same in any pieces, and the same as for an independent parser."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tracelake.bodies.node import Node
from tracelake.bodies.scan import MalformedError, Scanner

from tests.bodies.texts import CHUNKS, VALUES, pieces

LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Everything(Node):
    """Interest in every value, so that nothing is passed over."""

    def member(self, key: bytes) -> Node:
        return self

    def element(self, index: int) -> Node:
        return self


def accepts(text: bytes, size: int, node: type[Node]) -> bool:
    scanner = Scanner(node(), max_depth=50)
    try:
        for piece in pieces(text, size):
            scanner.feed(piece)
        return scanner.finish()
    except MalformedError:
        return False


def is_json(text: bytes) -> bool:
    def refuse(word: str) -> None:
        raise ValueError(word)

    try:
        value = json.loads(text.decode("utf-8"), parse_constant=refuse, object_pairs_hook=list)
    except ValueError:
        return False
    return not LONE_SURROGATE.search(json.dumps(value, ensure_ascii=False))


def check(text: bytes) -> None:
    expected = is_json(text)
    for size in CHUNKS:
        for node in (Node, Everything):
            assert accepts(text, size, node) == expected, (size, node)


JUNK = st.text('{}[],:"\\u0019tfnrdDaAeE.+- \n\x01é\x7f', min_size=1, max_size=4)


@settings(max_examples=200, deadline=None)
@given(VALUES, st.lists(st.tuples(st.integers(0, 200), st.integers(0, 3), JUNK | st.just("")), max_size=2))
def test_damaged_text_is_refused_as_an_independent_parser_refuses_it(text: str, damage: list[tuple[int, int, str]]):
    for at, length, junk in damage:
        at %= len(text) + 1
        text = text[:at] + junk + text[at + length :]
    check(text.encode())


@settings(max_examples=100, deadline=None)
@given(st.text('{}[],:"1 a', max_size=8))
@example('"\\ud83e\\udd89"')
@example('"\\ud83e"')
@example('"\\udd89"')
@example('"\\ud83e\\u0041"')
@example("-")
@example("1.")
@example("01")
@example("1e")
@example("[1,]")
@example('{"a":1,}')
@example("nul")
@example("NaN")
@example('"a')
@example("[]]")
def test_short_texts(text: str):
    check(text.encode())


@pytest.mark.parametrize("size", CHUNKS)
@pytest.mark.parametrize("node", [Node, Everything])
def test_nesting_is_limited(size: int, node: type[Node]):
    assert accepts(b"[" * 50 + b"]" * 50, size, node)
    assert not accepts(b"[" * 51 + b"]" * 51, size, node)


@pytest.mark.parametrize("size", (4096, 1 << 30))
@pytest.mark.parametrize("node", [Node, Everything])
def test_endless_numbers_are_refused_in_any_pieces(size: int, node: type[Node]):
    assert accepts(b"[1," + b"1" * 60_000 + b",2]", size, node)
    assert not accepts(b"[1," + b"1" * 70_000 + b",2]", size, node)
