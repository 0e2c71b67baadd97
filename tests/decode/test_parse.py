"""Status and reason of every kind of line; strict and lenient decoding agree."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tracelake.decode.claude import FORM, Record
from tracelake.decode.lenient import lenient_decode
from tracelake.decode.parse import decode_line


def decode(data, has_lf=True):
    return decode_line(data, has_lf, FORM)


@pytest.mark.parametrize(
    ("data", "status", "count", "reason"),
    [
        (b'{"type":"user"}', "ok", 1, None),
        (b'{"type":"user"}\r', "ok", 1, None),
        (b'  {"type":"user"} ', "ok", 1, None),
        (b'{"uuid":"u1","type":"user","timestamp":null}', "ok", 1, None),  # E-3 example
        (b"null", "ok", 1, None),
        (b"", "blank", 0, None),
        (b" \t\r", "blank", 0, None),
        ("\u2028\u00a0".encode(), "blank", 0, None),
        (b"\x1c", "bad_json", 0, "not JSON: '\\x1c'"),
        (b'{"uuid":"u1","type":"user","timestamp":17}', "bad_type", 1, "timestamp has type number, expected string"),
        (b'{"parentUuid":5,"isMeta":"x"}', "bad_type", 1, "parentUuid has type number, expected string; isMeta "
         "has type string, expected boolean"),
        (b'{"hookErrors":[{}]}', "bad_type", 1, "hookErrors has type array, expected list of strings"),
        (b"[]", "bad_type", 1, "a JSON array, not an object"),
        (b'"text"', "bad_type", 1, "a JSON string, not an object"),
        (b'{"type":"a"}{"type":"b"}', "glued", 2, "2 JSON values on one line"),
        (b'{"type":"a"} {"type":"b"}\t{"type":"c"}', "glued", 3, "3 JSON values on one line"),
        (b'\xef\xbb\xbf{"type":"a"}', "bad_json", 1, "byte order mark before the JSON"),
        (b'\0\0{"type":"a"}\0', "bad_json", 1, "3 NUL bytes on the line"),
        (b"\0\0\0", "bad_json", 0, "3 NUL bytes on the line"),
        (b'{"type":"a\xff"}', "bad_utf8", 1, "invalid UTF-8 at byte 10, replaced by U+FFFD"),
        (b'{"unread":"a\xff"}', "bad_utf8", 1, "invalid UTF-8 at byte 12, replaced by U+FFFD"),
        (b'{"type":"\\ud83dx"}', "bad_utf8", 1, "1 unpaired surrogate escapes, replaced by U+FFFD"),
        (b'{"unread":"\\udc00"}', "bad_utf8", 1, "1 unpaired surrogate escapes, replaced by U+FFFD"),
        (b"# a comment", "bad_json", 0, "not JSON: '# a comment'"),
        (b'{"type":"a"} tail', "bad_json", 1, "not JSON: 'tail'"),
        (b'{"type":NaN}', "bad_json", 0, "invalid JSON: NaN is not JSON"),
        (b'{"type":"a",}', "bad_json", 0, None),
    ],
)  # fmt: skip
def test_status_and_reason(data, status, count, reason):
    decoded = decode(data)
    assert (decoded.status, decoded.record_count) == (status, count)
    if reason is not None:
        assert decoded.error == reason
    assert (decoded.error is None) == (status in ("ok", "blank"))


@pytest.mark.parametrize("data", [b'{"type":"a"', b'{"type":"a"}{"ty', b"{"])
def test_a_last_line_that_was_being_written_is_torn(data):
    assert decode(data, has_lf=False).status == "torn"
    assert decode(data, has_lf=True).status == "bad_json"


def test_a_last_line_without_lf_that_decodes_is_ok():
    assert decode(b'{"type":"a"}', has_lf=False).status == "ok"


def test_what_can_be_read_of_a_refused_line_is_kept():
    decoded = decode(b'{"type":"user","uuid":5,"requestId":7,"message":{"content":"hi"}}')
    record = decoded.records[0]
    assert (decoded.status, record.uuid, record.request_id) == ("bad_type", "5", "7")
    assert record.message.content == "hi"


def test_a_mistyped_field_that_strict_reading_does_not_keep_is_no_fault():
    decoded = decode(b'{"type":"assistant","uuid":"u","message":{"usage":{"input_tokens":"7","output_tokens":2.9}}}')
    assert decoded.status == "ok"
    assert (decoded.records[0].message.usage.input_tokens, decoded.records[0].message.usage.output_tokens) == (7, 2)


def test_lone_surrogates_and_escaped_backslashes_are_told_apart():
    decoded = decode(rb'{"type":"\\ud800","cwd":"\ud83d\ude00\ud83d"}')
    assert (decoded.records[0].type, decoded.records[0].cwd) == ("\\ud800", "😀\ufffd")


def test_deep_nesting_is_a_row_with_a_reason():
    decoded = decode(b'{"a":' + b"[" * 50_000 + b"]" * 50_000 + b"}")
    assert (decoded.status, decoded.error) == ("bad_json", "nested too deeply to decode")


def test_keys_are_case_sensitive_and_the_last_duplicate_wins():
    record = decode(b'{"UUID":"A","uuid":"b","uuid":"c"}').records[0]
    assert record.uuid == "c"


def test_huge_numbers_are_clamped():
    data = b'{"message":{"usage":{"input_tokens":99999999999999999999}}}'
    assert decode(data).records[0].message.usage.input_tokens == 2**63 - 1


def test_a_list_with_one_bad_block_is_kept_and_marked():
    message = decode(b'{"message":{"content":["bare",{"type":"text","text":"b"},7]}}').records[0].message
    assert message.list_valid is False
    assert [(b.bare, b.text) for b in message.content] == [(True, "bare"), (False, "b"), (False, None)]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
texts = st.none() | st.text(max_size=8)
blocks = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["text", "tool_use", "tool_result", "thinking"]),
        "text": texts,
        "id": texts,
        "is_error": st.none() | st.booleans(),
        "input": json_values,
        "content": json_values,
        "extra": json_values,
    },
)
documents = st.fixed_dictionaries(
    {},
    optional={
        "type": texts,
        "uuid": texts,
        "isSidechain": st.none() | st.booleans(),
        "costUSD": json_values,
        "message": st.fixed_dictionaries(
            {},
            optional={
                "id": texts,
                "content": texts | st.lists(blocks, max_size=3),
                "usage": st.none() | st.fixed_dictionaries({}, optional={"input_tokens": st.integers(0, 2**40)}),
            },
        ),
        "unknown": json_values,
    },
)


def plain(value):
    if isinstance(value, msgspec.Raw):
        return bytes(value)
    if isinstance(value, msgspec.Struct):
        return {name: plain(getattr(value, name)) for name in value.__struct_fields__}
    return [plain(item) for item in value] if isinstance(value, list) else value


@given(documents)
def test_lenient_decoding_equals_strict_decoding_where_both_accept(document):
    data = json.dumps(document).encode()
    try:
        strict = FORM.decode_strict(data)
    except msgspec.MsgspecError:  # a number beyond 64 bits in a captured value is no fault, lone surrogates are
        return
    assert plain(lenient_decode(data, Record)) == plain(strict)


@given(st.binary(max_size=60) | documents.map(lambda d: json.dumps(d).encode()))
def test_no_bytes_make_decoding_raise(data):
    decoded = decode(data.replace(b"\n", b" "))
    assert decoded.status in {"ok", "bad_type", "glued", "bad_utf8", "bad_json", "blank"}
    assert len(decoded.records) == len(decoded.values) <= decoded.record_count
