"""Canonical bytes by kind, streamed and whole; what is cut off is an error (parser.md 4.3, 4.7)."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tracelake.bodies import BodyKind, canonical_body, canonical_body_reader, classify_result_body
from tracelake.bodies.array_text import ArrayText
from tracelake.bodies.scan import Scanner
from tracelake.errors import BodyError

from tests.bodies.texts import CHUNKS, RESULT, pieces, strings

OWL = b"\x89PNG\r\n\x1a\n" + b"owl" * 5


def read(kind: BodyKind, source: bytes, size: int = 1 << 30) -> bytes:
    return b"".join(canonical_body_reader(kind, pieces(source, size), len(source)))


@pytest.mark.parametrize("size", CHUNKS)
@pytest.mark.parametrize(
    ("kind", "source", "expected"),
    [
        (BodyKind.RAW, b'{ "a" : 1 }', b'{ "a" : 1 }'),
        (BodyKind.RAW, b"null", b"null"),
        (BodyKind.JSON_STRING, b'""', b""),
        (BodyKind.JSON_STRING, b'"a\\nb\\/\\"\\\\"', b'a\nb/"\\'),
        (BodyKind.JSON_STRING, '"é日"'.encode(), "é日".encode()),
        (BodyKind.JSON_STRING, b'"\\u00e9\\ud83e\\udd89"', "é\U0001f989".encode()),
        (BodyKind.JSON_STRING, b'"a\\ud83ez\\udd89"', "a\ufffdz\ufffd".encode()),
        (BodyKind.JSON_STRING, b'"a\\ud83e"', "a\ufffd".encode()),
        (BodyKind.ARRAY_TEXT, b"[]", b""),
        (BodyKind.ARRAY_TEXT, b'["","x"]', b"\nx"),
        (BodyKind.ARRAY_TEXT, b'[{"type":"text","text":"e1"},"",{"text":"e2","type":"input_text"}]', b"e1\n\ne2"),
        (BodyKind.ARRAY_TEXT, b'[{"type":"image","text":"no"},{"type":"output_text","text":"l2"}]', b"l2"),
        (BodyKind.ARRAY_TEXT, b'[{"type":"text"},{"type":"text","text":null},{"type":"text","text":5}]', b"\n\n5"),
        (BodyKind.ARRAY_TEXT, b'[7,[1,"x"],{"text":"typeless"},{"type":"text","text":{"a":[1]}}]', b'{"a":[1]}'),
        (BodyKind.ARRAY_TEXT, b'[{"type":"text","type":"odd","text":"a"},{"text":"b","text":"c","type":"text"}]', b"c"),
        (BodyKind.BASE64, b'"' + base64.b64encode(OWL) + b'"', OWL),
        (BodyKind.BASE64, b'"data:image/png;base64,' + base64.b64encode(OWL) + b'"', OWL),
        (BodyKind.BASE64, b'"data:a;charset=utf-8;base64,JVBE\\r\\nRi0x"', b"%PDF-1"),
        (BodyKind.BASE64, b'"\\/9j\\/"', b"\xff\xd8\xff"),
    ],
)
def test_canonical_bytes(size: int, kind: BodyKind, source: bytes, expected: bytes):
    assert read(kind, source, size) == expected


@pytest.mark.parametrize("size", CHUNKS)
@pytest.mark.parametrize(
    ("kind", "source"),
    [
        (BodyKind.RAW, b""),
        (BodyKind.JSON_STRING, b""),
        (BodyKind.JSON_STRING, b'"abc'),
        (BodyKind.JSON_STRING, b'"abc\\"'),
        (BodyKind.JSON_STRING, b"abc"),
        (BodyKind.JSON_STRING, b'"abc"x'),
        (BodyKind.ARRAY_TEXT, b'["abc"'),
        (BodyKind.ARRAY_TEXT, b'["abc'),
        (BodyKind.ARRAY_TEXT, b'{"type":"text"}'),
        (BodyKind.ARRAY_TEXT, b"[1 2]"),
        (BodyKind.BASE64, b'"iVBORw"'),
        (BodyKind.BASE64, b'"iVBO!w=="'),
        (BodyKind.BASE64, b'"YQ==YQ=="'),
        (BodyKind.BASE64, b'"iVBORw=='),
        (BodyKind.BASE64, b'"' + b"iVBO" * 100 + b'YQ==iVBO"'),
    ],
)
def test_a_cut_or_foreign_value_is_an_error(size: int, kind: BodyKind, source: bytes):
    with pytest.raises(BodyError):
        read(kind, source, size)


def test_a_short_read_is_an_error_even_where_the_value_looks_whole():
    with pytest.raises(BodyError, match="4 bytes long, but 3"):
        list(canonical_body_reader(BodyKind.RAW, [b"123"], 4))


def test_reading_can_be_cancelled():
    def cancel() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(canonical_body_reader(BodyKind.RAW, [b"123"], 3, cancel))


@settings(max_examples=150, deadline=None)
@given(strings())
def test_strings_are_what_an_independent_decoder_says(source: str):
    expected = json.loads(source).encode()
    for size in CHUNKS:
        assert read(BodyKind.JSON_STRING, source.encode(), size) == expected


@settings(max_examples=150, deadline=None)
@given(RESULT.filter(lambda text: text[0] == "["))
def test_arrays_are_flattened_alike_in_any_pieces(source: str):
    expected = "\n".join(_texts(json.loads(source))).encode()
    for size in CHUNKS:
        got = read(BodyKind.ARRAY_TEXT, source.encode(), size)
        if '"text"' not in source:  # other values of `text` keep their spelling, which json.loads forgets
            assert got == expected
        assert got == canonical_body(BodyKind.ARRAY_TEXT, source.encode())


def _texts(elements: list) -> list[str]:
    return [element for element in elements if isinstance(element, str)]


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60), st.booleans())
def test_base64_is_what_was_encoded(data: bytes, is_uri: bool):
    source = b'"' + b"data:x/y;base64," * is_uri + base64.b64encode(data) + b'"'
    for size in CHUNKS:
        assert read(BodyKind.BASE64, source, size) == data


def test_a_text_longer_than_its_memory_is_kept_on_disk_until_its_type_is_known():
    texts = ArrayText(spool_bytes=10)
    scanner = Scanner(texts)
    scanner.feed(b'[{"text":"' + b"x" * 100 + b'","type":"text"},{"text":"' + b"y" * 100 + b'","type":"odd"}]')
    assert scanner.finish()
    assert b"".join(texts.drain()) == b"x" * 100


@pytest.mark.parametrize(
    ("first", "kind", "media_type"),
    [
        (b'"', BodyKind.JSON_STRING, "text/plain"),
        (b"[", BodyKind.ARRAY_TEXT, "text/plain"),
        (b"{", BodyKind.RAW, "application/json"),
        (b"4", BodyKind.RAW, "text/plain"),
        (b"t", BodyKind.RAW, "text/plain"),
        (b"n", BodyKind.RAW, "text/plain"),
    ],
)
def test_results_are_classified_by_their_first_byte(first: bytes, kind: BodyKind, media_type: str):
    assert classify_result_body(first) == classify_result_body(first[0]) == (kind, media_type)
