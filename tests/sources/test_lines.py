"""Physical lines (E-1, E-2) under every way of delivering the bytes."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tracelake.sources import lines as lines_module
from tracelake.sources.lines import LineReader, open_counting

from tests.fold.folding import ChunkedStream


def read(data, stream=None, buffer_bytes=64):
    counter, buffered = open_counting(stream or io.BytesIO(data), buffer_bytes)
    found = []
    for line in LineReader(buffered):
        content = line.data if line.data is not None else b"".join(line.pieces())
        found.append((line.line_no, line.byte_offset, line.byte_len, content, line.has_lf))
    return found, counter


def test_the_worked_example_counts_blank_and_unterminated_lines():
    found, _ = read(b"A\n\n{bad\nB")
    assert [(number, content) for number, _, _, content, _ in found] == [(1, b"A"), (2, b""), (3, b"{bad"), (4, b"B")]
    assert [terminated for *_, terminated in found] == [True, True, True, False]


def test_only_lf_ends_a_line():
    data = b"a\rb\xe2\x80\xa8c\x0bd\x85e\r\nf\n"
    found, counter = read(data)
    assert [content for _, _, _, content, _ in found] == [b"a\rb\xe2\x80\xa8c\x0bd\x85e\r", b"f"]
    assert (counter.lf_count, counter.bytes, counter.last_byte) == (2, len(data), b"\n")


def test_an_empty_stream_has_no_lines():
    found, counter = read(b"")
    assert (found, counter.bytes, counter.last_byte) == ([], 0, b"")


@pytest.fixture
def small_limit(monkeypatch):
    monkeypatch.setattr(lines_module, "MAX_LINE_BYTES", 10)
    monkeypatch.setattr(lines_module, "PIECE_BYTES", 4)


@pytest.mark.parametrize(
    ("content", "whole"),
    [(b"x" * 9 + b"\n", True), (b"x" * 10 + b"\n", False), (b"x" * 9, True), (b"x" * 10, False)],
)
def test_the_limit_includes_the_lf(small_limit, content, whole):
    _, buffered = open_counting(io.BytesIO(content + b""), 64)
    line = next(iter(LineReader(buffered)))
    assert (line.data is not None) == whole


def test_a_long_line_that_nobody_reads_is_skipped(small_limit):
    _, buffered = open_counting(io.BytesIO(b"a\n" + b"x" * 35 + b"\nb\n"), 8)
    seen = [(line.line_no, line.byte_offset, line.data) for line in LineReader(buffered)]
    assert seen == [(1, 0, b"a"), (2, 2, None), (3, 38, b"b")]


@given(
    st.lists(st.binary(max_size=40), max_size=12),
    st.integers(0, 1000),
    st.integers(1, 9),
)
def test_any_chunking_gives_the_same_lines(parts, seed, largest):
    data = b"\n".join(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines_module, "MAX_LINE_BYTES", 16)
        patch.setattr(lines_module, "PIECE_BYTES", 5)
        whole, counter = read(data)
        pieces, _ = read(data, ChunkedStream(data, seed, largest), buffer_bytes=3)
    assert pieces == whole
    assert b"".join(content + b"\n" * terminated for *_, content, terminated in whole) == data
    assert sum(size for _, _, size, _, _ in whole) == len(data) == counter.bytes
    assert counter.lf_count == data.count(b"\n")
