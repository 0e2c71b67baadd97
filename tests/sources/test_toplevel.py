"""Members of whole, torn, glued and invalid lines; expected values are read off the lines by eye."""

import time

import pytest
from tracelake.sources.toplevel import top_level


def test_a_valid_object_gives_its_values():
    assert top_level(b'{"type":"user","n":1,"message":{"role":"user"}}') == {
        "type": "user",
        "n": 1,
        "message": {"role": "user"},
    }


@pytest.mark.parametrize(
    "line",
    [
        b'\xef\xbb\xbf{"type":"mode"}',
        b'\0\0\0{"type":"mode"}\0\0',
        b' \t{"type":"mode"}\r',
    ],
)
def test_padding_around_a_record_is_taken_off(line):
    assert top_level(line) == {"type": "mode"}


@pytest.mark.parametrize("line", [b"", b"  ", b"\0\0", b"[1]", b"null", b'"text"', b"// {}", b'x{"type":"user"}'])
def test_anything_that_does_not_begin_an_object_is_none(line):
    assert top_level(line) is None


def test_a_torn_line_gives_what_came_before_the_tear():
    line = b'{"parentUuid":null,"type":"user","message":{"role":"user","type":"inner","content":"he'
    assert top_level(line) == {"parentUuid": None, "type": "user", "message": {}}


@pytest.mark.parametrize("line", [b'{"type":"user","sessionId":"abc', b'{"type":"user","sessionId":"abc\\"'])
def test_a_string_that_is_cut_off_is_no_value(line):
    assert top_level(line) == {"type": "user"}


def test_of_two_objects_glued_together_the_first_counts():
    assert top_level(b'{"type":"user","tags":["a"]}{"type":"mode","x":1}') == {"type": "user", "tags": []}


def test_invalid_utf8_and_lone_surrogates_become_replacement_characters():
    assert top_level(b'{"type":"a\xff","id":"\\ud800b","k":"\\ud83d\\ude00"}') == {
        "type": "a�",
        "id": "�b",
        "k": "😀",
    }


def test_braces_and_quotes_inside_strings_are_text():
    assert top_level(rb'{"a":"} \" {","type":"user",') == {"a": '} " {', "type": "user"}


def test_keys_of_inner_objects_and_lists_are_not_taken():
    assert top_level(b'{"m":[{"type":"x"},"y"],"n":{"o":{"type":"z"}},"type":"t",!') == {
        "m": [],
        "n": {},
        "type": "t",
    }


def test_nesting_beyond_any_decoder_is_scanned():
    deep = b'{"a":' + b"[" * 20_000 + b"]" * 20_000 + b',"type":"user"}'
    assert top_level(deep) == {"a": [], "type": "user"}


def test_hostile_lines_take_linear_time():
    started = time.perf_counter()
    for line in (b'{"a":"' + b"\\" * 1_000_001, b'{"a":"' + b"x" * 1_000_000, b'{"a' + b'"":' * 100_000):
        top_level(line)
    assert time.perf_counter() - started < 60
