"""What is lifted of each agent's lines, and what is said of it (parser.md 3.3, 3.4, 4.2, 4.8)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tracelake.bodies import BodyKind, DefaultEncoder, body_locations, rewrite_line

from tests.bodies.texts import CHUNKS, dumps, pieces


def found(agent: str, line: Any) -> list[tuple[str, BodyKind, str]]:
    """Source text, kind and media type of every body, found in any pieces."""
    data = line if isinstance(line, bytes) else dumps(line)
    by_size = [body_locations(agent, pieces(data, size)) for size in CHUNKS]
    assert all(places == by_size[0] for places in by_size)
    return [(data[slice(*place.span)].decode(), place.kind, place.media_type) for place in by_size[0]]


def claude(kind: str, content: Any, **more: Any) -> dict:
    return {"type": kind, "message": {"content": content}, **more}


RAW, STRING, ARRAY, BASE64 = BodyKind.RAW, BodyKind.JSON_STRING, BodyKind.ARRAY_TEXT, BodyKind.BASE64
JSON, PLAIN = "application/json", "text/plain"
GIF = '"R0lGODlh"'


# -- Claude Code --------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ['{"a":1}', "null", '"text"', "[1]", "5", "{}"])
def test_claude_inputs_are_kept_raw_whatever_they_are(value: str):
    line = b'{"type":"assistant","message":{"content":[{"type":"tool_use","input":%s}]}}' % value.encode()
    assert found("claude", line) == [(value, RAW, JSON)]


@pytest.mark.parametrize(
    ("value", "kind", "media_type"),
    [
        ('""', STRING, PLAIN),
        ('"x"', STRING, PLAIN),
        ("[]", ARRAY, PLAIN),
        ('{"a":1}', RAW, JSON),
        ("42", RAW, PLAIN),
        ("null", RAW, PLAIN),
        ("false", RAW, PLAIN),
    ],
)
def test_claude_results_by_their_first_byte(value: str, kind: BodyKind, media_type: str):
    line = b'{"type":"user","message":{"content":[{"type":"tool_result","content":%s}]}}' % value.encode()
    assert found("claude", line) == [(value, kind, media_type)]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('{"a":1}', [('{"a":1}', RAW, JSON)]),
        ("[1]", [("[1]", RAW, JSON)]),
        ('"x"', [('"x"', STRING, PLAIN)]),
        ("true", []),
        ("null", []),
        ("7", []),
    ],
)
def test_claude_structured_results(value: str, expected: list):
    assert (
        found("claude", b'{"toolUseResult":%s,"type":"user","message":{"content":"hi"}}' % value.encode()) == expected
    )


def test_bodies_come_in_source_order_even_where_types_come_last():
    line = (
        b'{"toolUseResult":{"r":1},"message":{"content":['
        b'{"content":"one","type":"tool_result"},{"source":{"data":"R0lGODlh"},"type":"image"}]},"type":"user"}'
    )
    assert [text for text, *_ in found("claude", line)] == ['{"r":1}', '"one"', '"R0lGODlh"']


def test_only_what_the_line_is_for_is_lifted():
    blocks = [
        {"type": "tool_use", "input": {}},
        {"type": "tool_result", "content": "x"},
        {"type": "image", "source": {"data": "R0lGODlh"}},
        {"type": "text", "text": "x", "input": {}, "content": "x"},
        {"input": {}},
    ]
    assert found("claude", claude("assistant", blocks, toolUseResult={"a": 1})) == [("{}", RAW, JSON)]
    assert [text for text, *_ in found("claude", claude("user", blocks))] == ['"x"', GIF]
    assert found("claude", claude("system", blocks, toolUseResult={"a": 1})) == []
    assert found("claude", {"type": "user", "content": blocks}) == []


def test_one_block_in_the_place_of_a_list_counts():
    assert found("claude", claude("user", {"type": "tool_result", "content": "x"})) == [('"x"', STRING, PLAIN)]


def test_of_duplicate_keys_the_last_counts_as_in_decoding():
    line = (
        b'{"type":"system","message":{"content":[{"type":"tool_result","content":"no"}]},'
        b'"message":{"content":[{"type":"x","content":1,"type":"tool_result","content":"yes"}]},"type":"user"}'
    )
    assert found("claude", line) == [('"yes"', STRING, PLAIN)]


def test_sentinels_are_left_alone_wherever_their_key_stands():
    sentinel = {"sha256": "ab", "__akari_cas__": 1}
    line = claude("user", [{"type": "tool_result", "content": sentinel}], toolUseResult=sentinel)
    assert found("claude", line) == []
    assert found("claude", claude("assistant", [{"type": "tool_use", "input": sentinel}])) == []
    nested = claude("assistant", [{"type": "tool_use", "input": {"a": sentinel}}])
    assert [kind for _, kind, _ in found("claude", nested)] == [RAW]


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        ("iVBORw==", "image/png"),
        ("/9j/", "image/jpeg"),
        ("R0lGOD==", "image/gif"),
        ("UklGRg==", "image/webp"),
        ("data:image/svg+xml;charset=utf-8;base64,QUJD", "image/svg+xml"),
        ("data:" + "x" * 242 + ";base64,QUJD", "x" * 242),
        ("data:" + "x" * 244 + ";base64,QUJD", None),
        ("data:image/png,QUJD", None),
        ("data:;base64,QUJD", None),
        ("iVBORw=", None),
        ("iVBORw==iVBO", None),
        ("iVBO Rw==", None),
        ("JVBERi0x", None),
        ("", None),
    ],
)
def test_images_are_known_by_their_data(data: str, media_type: str | None):
    source = {"type": "base64", "media_type": "image/png", "data": data}
    expected = [] if media_type is None else [(json.dumps(data), BASE64, media_type)]
    assert found("claude", claude("user", [{"type": "image", "source": source}])) == expected


@pytest.mark.parametrize(
    ("given", "path", "detail"),
    [
        ('{"description":"d","command":"ls"}', None, "ls"),
        ('{"command":["a"],"url":"","query":"find me"}', None, "find me"),
        ('{"cmd":"ls","query":"zz"}', None, "zz"),
        ('{"skill":"x","args":"y"}', None, "x"),
        ('{"file_path":"a\\u002fb.md"}', "a/b.md", None),
        ('{"file_path":5,"pattern":null}', None, None),
        ('{"file_path":"","command":""}', None, None),
        ('{"file_path":"%s"}' % ("p" * 4096), "p" * 4096, None),
        ('{"file_path":"%s"}' % ("p" * 4097), None, None),
        ('{"command":"%s"}' % ("c" * 2048), None, "c" * 2048),
        ('{"command":"%s","url":"u"}' % ("é" * 1025), None, "u"),
        ('{"command":"%s"}' % ("\\u00e9" * 1024), None, "é" * 1024),
        ('{"command":"a","command":"b"}', None, "b"),
        ('{"command":"a","command":7,"skill":"s"}', None, "s"),
        ('{"x":{"command":"inner","file_path":"inner"}}', None, None),
        ('["command","ls"]', None, None),
    ],
)
def test_file_path_and_detail(given: str, path: str | None, detail: str | None):
    line = b'{"type":"assistant","message":{"content":[{"type":"tool_use","input":%s}]}}' % given.encode()
    (place,) = body_locations("claude", pieces(line, 5))
    assert (place.file_path, place.detail) == (path, detail)
    (sentinel,) = json.loads(rewrite_line("claude", line)[0])["message"]["content"]
    assert (sentinel["input"].get("file_path"), sentinel["input"].get("detail")) == (path, detail)


# -- Codex --------------------------------------------------------------------------------------------


def codex(kind: str, line_type: str = "response_item", **payload: Any) -> dict:
    return {"timestamp": "t", "type": line_type, "payload": {"type": kind, **payload}}


def test_codex_inputs():
    text = '{"cmd":"ls","file_path":"x.txt","query":"zz"}'
    line = dumps(codex("function_call", arguments=text, call_id="k1"))
    (place,) = body_locations("codex", pieces(line, 3))
    assert (place.kind, place.media_type, place.file_path, place.detail) == (STRING, JSON, "x.txt", "zz")
    assert rewrite_line("codex", line)[1][0].stored == text.encode()

    (place,) = body_locations("codex", dumps(codex("function_call", arguments='{"query":"zz"} {')))
    assert (place.kind, place.media_type, place.detail) == (STRING, JSON, None)
    assert found("codex", codex("custom_tool_call", input='{"query":"zz"}')) == [
        ('"{\\"query\\":\\"zz\\"}"', STRING, PLAIN)
    ]


@pytest.mark.parametrize("extra", [0, 2_000_000])
def test_codex_arguments_that_are_an_object_are_kept_whole_also_on_long_lines(extra: int):
    given = {"query": "zz", "x": "y" * extra}
    line = dumps(codex("function_call", arguments=given))
    ((body,), (place,)) = rewrite_line("codex", line)[1], body_locations("codex", pieces(line, 65536))
    assert DefaultEncoder.decode_body(body.stored, body.content_type) == dumps(given)
    assert (place.kind, place.detail) == (RAW, "zz")


def test_codex_results_and_images():
    assert found("codex", codex("function_call_output", output="x")) == [('"x"', STRING, PLAIN)]
    assert found("codex", codex("function_call_output", output={"content": "boom"})) == [
        ('{"content":"boom"}', RAW, JSON)
    ]
    assert found("codex", codex("custom_tool_call_output", output=[])) == [("[]", ARRAY, PLAIN)]
    assert found("codex", codex("image_generation_call", result="R0lGODlh")) == [(GIF, BASE64, "image/gif")]
    assert found("codex", codex("image_generation_end", "event_msg", result="R0lGODlh")) == [(GIF, BASE64, "image/gif")]
    images = ["R0lGODlh", "https://owl.example", 5, "/9j/"]
    assert [text for text, *_ in found("codex", codex("user_message", "event_msg", images=images))] == [GIF, '"/9j/"']
    blocks = [{"type": "input_image", "image_url": "R0lGODlh"}, {"image_url": {"url": "R0lGODlh"}}, {"text": "x"}]
    assert found("codex", codex("message", role="user", content=blocks)) == [(GIF, BASE64, "image/gif")]


@pytest.mark.parametrize(
    "line",
    [
        codex("message", role="assistant", content=[{"image_url": "R0lGODlh"}]),
        codex("function_call", "event_msg", arguments="{}"),
        codex("local_shell_call", arguments="{}", input="x", output="y"),
        codex("function_call", arguments=None),
        codex("function_call_output"),
        {"type": "function_call", "arguments": "{}"},
        {"type": "response_item", "payload": "function_call"},
    ],
)
def test_other_codex_lines_stay_as_they_are(line: dict):
    assert found("codex", line) == []


# -- pi -----------------------------------------------------------------------------------------------


def pi(role: str, content: Any, line_type: str = "message") -> dict:
    return {"type": line_type, "message": {"role": role, "content": content}}


def test_pi_inputs_and_results():
    call = {"type": "toolCall", "id": "1", "name": "bash", "arguments": {"command": "ls", "path": "x"}}
    line = pi("assistant", [{"type": "text", "text": "a"}, call])
    assert found("pi", line) == [('{"command":"ls","path":"x"}', RAW, JSON)]
    (place,) = body_locations("pi", dumps(line))
    assert (place.file_path, place.detail, place.role) == (None, "ls", "input")
    assert found("pi", pi("toolResult", [{"type": "text", "text": "e1"}]))[0][1:] == (ARRAY, PLAIN)
    assert found("pi", pi("toolResult", "e1")) == [('"e1"', STRING, PLAIN)]
    assert found("pi", pi("toolResult", {"__akari_cas__": 1})) == []
    assert found("pi", pi("user", [call])) == []
    assert found("pi", pi("assistant", [call], "other")) == []
