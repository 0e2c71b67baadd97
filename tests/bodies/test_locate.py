"""Spans of values: the worked example, the rules one by one, and an independent parser (parser.md 4.6)."""

from __future__ import annotations

import json
from json.decoder import scanstring
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tracelake.bodies import Idx, Key, LocatedSpan, ValueSpan, locate_value, locate_values, walk_array
from tracelake.errors import BodyError

from tests.bodies.texts import CHUNKS, VALUES, pieces

EXAMPLE = b'{"a":{"x":1,"y":"q"}}'
SPACES = " \t\r\n"


@pytest.mark.parametrize("size", CHUNKS)
def test_the_worked_example(size: int):
    found = locate_values([[Key("a"), Key("y")], [Key("a"), Key("x")]], pieces(EXAMPLE, size))
    assert found == [LocatedSpan(1, ValueSpan(10, 11)), LocatedSpan(0, ValueSpan(16, 19))]


def span_text(path: list[Any], text: bytes, size: int = 1 << 30) -> bytes | None:
    span = locate_value(path, pieces(text, size))
    return None if span is None else text[span.start : span.end]


@pytest.mark.parametrize("size", CHUNKS)
@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ([], b' {"a":1} ', b'{"a":1}'),
        ([], b"  12", b"12"),
        ([], b'"x"', b'"x"'),
        ([0], b"[[1,2],3]", b"[1,2]"),
        ([Idx(0), Idx(1)], b"[[1,2],3]", b"2"),
        (["a"], b'{"a":true\t,"b":1}', b"true"),
        (["a"], b'{"a":1.5e3}', b"1.5e3"),
        (["a"], b'{"a":tru', b"tru"),
        (["a"], b'{"a":1,"a":2}', b"1"),
        (["a", "b"], b'{"a":{"x":1},"a":{"b":2}}', b"2"),
        (["a"], b'{"\\u0061":7}', b"7"),
        (['"'], b'{"\\"":7}', b"7"),
        (["é"], '{"é":7}'.encode(), b"7"),
        (["é"], b'{"\\u00e9":7}', b"7"),
        (["\U0001f989"], b'{"\\ud83e\\udd89":7}', b"7"),
        (["x"], b'{"y":{"x":1}}', None),
        ([0], b'{"0":1}', None),
        (["0"], b"[1]", None),
        (["a"], b'{"a":"open', None),
        (["a"], b'{"a":{"b":1', None),
        ([5], b"[1]", None),
    ],
)
def test_one_value(size: int, path: list[Any], text: bytes, expected: bytes | None):
    assert span_text(path, text, size) == expected


def test_what_is_complete_is_found_in_a_text_that_is_cut_off():
    found = locate_values([["a"], ["a", "b"], ["a", "c"]], b'{"a":{"b":"x","c":"y')
    assert found == [LocatedSpan(1, ValueSpan(10, 13))]


def test_a_container_comes_before_what_is_in_it_and_equal_paths_are_both_answered():
    found = locate_values([["a", 0], ["a"], ["a", 0]], b'{"a":["x"]}')
    assert [(one.path_index, tuple(one.span)) for one in found] == [(1, (5, 10)), (0, (6, 9)), (2, (6, 9))]


@pytest.mark.parametrize("size", (1, 4096, 1 << 30))
def test_keys_of_4096_source_bytes_match_and_longer_ones_never(size: int):
    long, longer = "k" * 4096, "k" * 4097
    assert span_text([long], b'{"%s":1}' % long.encode(), size) == b"1"
    assert span_text([longer], b'{"%s":1}' % longer.encode(), size) is None
    escaped = b'{"' + b"\\u006b" * 683 + b'":1}'
    assert span_text(["k" * 683], escaped, size) is None


def test_a_giant_key_is_passed_over_in_little_memory():
    text = [b'{"', *[b"k" * 65536] * 64, b'":1,"a":2}']
    start = 2 + 64 * 65536 + len(b'":1,"a":')
    assert locate_value(["a"], text) == ValueSpan(start, start + 1)


@pytest.mark.parametrize("size", CHUNKS)
@pytest.mark.parametrize("text", [b"{,}", b'{"a":}', b'{"a" 1}', b"[1 2]", b"[1}", b'{"a":1]', b"{1:2}", b"", b"  "])
def test_text_that_is_not_json_is_an_error_and_nothing_is_nothing(size: int, text: bytes):
    if not text.strip():
        assert locate_value([], pieces(text, size)) is None
        return
    with pytest.raises(BodyError, match="not JSON"):
        locate_value(["zz"], pieces(text, size))


def test_the_pieces_may_come_from_a_function():
    rest = [b'{"a"', b":", b"1", b"}"]
    assert locate_value(["a"], lambda: rest.pop(0) if rest else b"") == ValueSpan(5, 6)


def test_cancelling_is_asked_for_before_each_piece_and_every_64_kib():
    asked = []
    locate_value(["a"], [b'{"b":"', b"x" * (3 * 65536), b'"}'], lambda: asked.append(1))
    assert len(asked) == 1 + 3 + 1

    def cancel() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        locate_value(["a"], b'{"a":1}', cancel)


@pytest.mark.parametrize("size", CHUNKS)
def test_walking_an_array(size: int):
    text = b'{"m":{"c":[{"type":"x","n":{"type":1}}, 7 ,{"text":"y"},[]]}}'
    elements = list(walk_array(["m", "c"], ["type", "text"], pieces(text, size)))
    shown = [
        (one.index, text[one.span.start : one.span.end], {key: text[a:b] for key, (a, b) in one.members.items()})
        for one in elements
    ]
    assert shown == [
        (0, b'{"type":"x","n":{"type":1}}', {"type": b'"x"'}),
        (1, b"7", {}),
        (2, b'{"text":"y"}', {"text": b'"y"'}),
        (3, b"[]", {}),
    ]


def test_walking_yields_what_is_complete():
    assert [one.index for one in walk_array([], [], b'[1,"a",[2],"op')] == [0, 1, 2]


# -- against an independent parser --------------------------------------------------------------------


def all_spans(text: str, start: int, path: tuple[Any, ...], out: list[tuple[tuple[Any, ...], str]]) -> int:
    """Parse by hand with the standard library's scanner; gather path and text of every value."""
    position = skip(text, start)
    begin = position
    slot = len(out)
    out.append((path, ""))
    if text[position] in "{[":
        position = container(text, position, path, out)
    else:
        _, position = json.JSONDecoder().raw_decode(text, position)
    out[slot] = (path, text[begin:position])
    return position


def container(text: str, position: int, path: tuple[Any, ...], out: list[tuple[tuple[Any, ...], str]]) -> int:
    is_object, index = text[position] == "{", 0
    position = skip(text, position + 1)
    while text[position] not in "}]":
        step: Any = index
        if is_object:
            step, position = scanstring(text, position + 1)
            position = skip(text, position) + 1
        position = skip(text, all_spans(text, position, (*path, step), out))
        index += 1
        if text[position] == ",":
            position = skip(text, position + 1)
    return position + 1


def skip(text: str, position: int) -> int:
    while position < len(text) and text[position] in SPACES:
        position += 1
    return position


@settings(max_examples=150, deadline=None)
@given(VALUES, st.sampled_from(CHUNKS), st.randoms())
def test_every_value_is_where_an_independent_parser_finds_it(text: str, size: int, random: Any):
    found: list[tuple[tuple[Any, ...], str]] = []
    all_spans(text, 0, (), found)
    first = dict(reversed(found))  # of several values at one path the first counts
    paths = list(first)
    random.shuffle(paths)
    data = text.encode()
    spans = locate_values(paths, pieces(data, size))
    assert {paths[one.path_index]: data[one.span.start : one.span.end].decode() for one in spans} == first
    assert [one.span.start for one in spans] == sorted(one.span.start for one in spans)
