"""extract_bodies and rewrite_line: the worked example, and what always holds (parser.md 4.4, 4.5, 9.2)."""

from __future__ import annotations

import base64
import hashlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tracelake.bodies import (
    CONTENT_RAW,
    CONTENT_ZSTD,
    DefaultEncoder,
    body_locations,
    canonical_body_reader,
    extract_bodies,
    rewrite_line,
)
from tracelake.errors import BodyError, UsageError

from tests.bodies.texts import CHUNKS, LINES, dumps, pieces, transcripts

PNG = b"\x89PNG\r\n\x1a\n" + b"owl" * 5
IMAGE = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/webp", "data": base64.b64encode(PNG).decode()},
}
SVG = "data:image/svg+xml;charset=utf-8;base64," + base64.b64encode(b"%PDF-1.7 owl").decode()


def claude(kind: str, *content: object, **more: object) -> dict:
    return {"type": kind, "message": {"id": "A", "content": list(content)}, **more}


def result(call: str, content: object) -> dict:
    return {"type": "tool_result", "tool_use_id": call, "content": content}


def use(call: str, name: str, **given_input: object) -> dict:
    return {"type": "tool_use", "id": call, "name": name, "input": given_input}


C2 = [
    claude("user", IMAGE),
    claude(
        "user",
        {"type": "text", "text": "again"},
        IMAGE,
        {"type": "image", "source": {"type": "url", "url": "https://owl.example/x.png"}},
        {"type": "image", "source": {"type": "base64", "data": SVG}},
    ),
    claude(
        "assistant",
        use("t1", "Read", file_path="a/b.md", query="qq"),
        use("t2", "mcp__x__y", command=["a"], url="", query="find me"),
        use("t3", "Edit", file_path=5),
    ),
    claude(
        "user",
        result(
            "t1",
            [{"type": "text", "text": "l1"}, IMAGE, "bare", {"type": "output_text", "text": "l2"}, {"type": "odd"}],
        ),
        result("t2", {"k": 1}),
        toolUseResult={"a": 1},
    ),
    claude("user", result("t3", 42), toolUseResult="Error: nope"),
    claude("user", result("t3", "second"), toolUseResult=True),
    claude("user", {"type": "tool_result", "tool_use_id": "t9"}),
]
C2_TEXT = b"".join(dumps(line) + b"\n" for line in C2)


def test_c2_gives_its_eleven_bodies():
    rewritten, bodies = extract_bodies("claude", C2_TEXT)
    assert [(body.bytes, body.media_type, body.kind) for body in bodies] == [
        (23, "image/png", "attachment"),
        (12, "image/svg+xml", "attachment"),
        (35, "application/json", "input"),
        (44, "application/json", "input"),
        (15, "application/json", "input"),
        (10, "text/plain", "result"),
        (7, "application/json", "result"),
        (7, "application/json", "result"),
        (2, "text/plain", "result"),
        (11, "text/plain", "result"),
        (6, "text/plain", "result"),
    ]
    assert [body.stored for body in bodies[5:]] == [
        b"l1\nbare\nl2",
        b'{"k":1}',
        b'{"a":1}',
        b"42",
        b"Error: nope",
        b"second",
    ]
    assert bodies[0].sha256 == "4618f43c044a6e58387a59676c23f2b65cb35d480949ebfe2c96b9dc6e35a9fb"
    assert bodies[1].sha256 == "344eba480dc70792bbc77cbb37d86848e4a0138489835312be1bc5f2da9e96b4"
    assert rewritten.count(b"__akari_cas__") == 12
    assert [json.loads(line)["type"] for line in rewritten.splitlines()] == [line["type"] for line in C2]


def test_c2_sentinels_carry_path_and_detail():
    _, _, third, *_, sixth, last, _ = extract_bodies("claude", C2_TEXT)[0].split(b"\n")
    inputs = [block["input"] for block in json.loads(third)["message"]["content"]]
    told = [(one.get("file_path"), one.get("detail")) for one in inputs]
    assert told == [("a/b.md", "qq"), (None, "find me"), (None, None)]
    assert json.loads(sixth)["toolUseResult"] is True
    assert last == dumps(C2[-1])


def test_only_the_value_is_replaced():
    line = b' { "type":"user","message" : {"content":[{"type":"tool_result", "content" :  "x" ,"z":1}] } }\r'
    sha = hashlib.sha256(b"x").hexdigest().encode()
    sentinel = b'{"__akari_cas__":1,"sha256":"' + sha + b'","bytes":1,"media_type":"text/plain"}'
    assert rewrite_line("claude", line)[0] == line.replace(b'"x"', sentinel)


def test_what_has_no_lf_passes_through():
    line = dumps(C2[4])
    assert extract_bodies("claude", line) == (line, [])
    rewritten, bodies = extract_bodies("claude", line + b"\n" + line)
    assert rewritten.endswith(b"}\n" + line)
    assert len(bodies) == 2


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"not json tool_use",
        b"null",
        b"[]",
        b"\xef\xbb\xbf" + dumps(C2[4]),
        dumps(C2[4]) * 2,
        dumps(C2[4])[:-1],
        dumps(C2[4]).replace(b"nope", b"no\xffpe"),
        dumps(C2[4]).replace(b"nope", b"no\\ud800pe"),
        dumps(C2[4]).replace(b"nope", b"no\x01pe"),
        dumps(C2[4]).replace(b"42", b"042"),
        dumps(C2[4]).replace(b"42", b"[" * 600 + b"]" * 600),
    ],
)
def test_damaged_lines_stay_as_they_are(line: bytes):
    assert rewrite_line("claude", line) == (line, [])


def test_escapes_in_types_and_keys_are_understood():
    line = b'{"type":"us\\u0065r","message":{"content":[{"type":"tool\\u005fresult","cont\\u0065nt":"x"}]}}'
    assert [body.stored for body in rewrite_line("claude", line)[1]] == [b"x"]


def test_an_unknown_agent_is_refused():
    for call in (rewrite_line, extract_bodies, body_locations):
        with pytest.raises(UsageError, match=r"gemini.*claude, codex, pi"):
            call("gemini", b"{}\n")


# -- the encoder --------------------------------------------------------------------------------------


def test_bodies_are_compressed_from_1024_bytes():
    short, long = b"x" * 1023, b"x" * 1024
    encoder = DefaultEncoder()
    assert encoder.encode_body(short) == (hashlib.sha256(short).hexdigest(), short, CONTENT_RAW)
    key, stored, content_type = encoder.encode_body(long)
    assert (key, content_type) == (hashlib.sha256(long).hexdigest(), CONTENT_ZSTD)
    assert stored[:4] == bytes.fromhex("28b52ffd")  # how a Zstandard frame begins
    assert len(stored) < 100
    assert encoder.decode_body(stored, content_type) == long
    assert encoder.decode_body(short, CONTENT_RAW) == short


def test_the_same_bytes_are_always_stored_alike():
    data = bytes(range(256)) * 2000
    assert len({DefaultEncoder().encode_body(data) for _ in range(3)}) == 1


@pytest.mark.parametrize("damage", [lambda data: data[:-5], lambda data: b"xx" + data[2:]])
def test_damaged_stored_bytes_are_an_error(damage):
    stored = DefaultEncoder().encode_body(b"x" * 5000)[1]
    with pytest.raises(BodyError, match="damaged"):
        DefaultEncoder.decode_body(damage(stored), CONTENT_ZSTD)


def test_another_encoder_decides_keys_and_storage():
    class Upper:
        def encode_body(self, raw: bytes) -> tuple[str, bytes, str]:
            return "key", raw.upper(), "x/y"

    line, (body,) = rewrite_line("claude", dumps(claude("user", result("t", "owl"))), Upper())
    assert (body.sha256, body.stored, body.content_type, body.bytes) == ("key", b"OWL", "x/y", 3)
    assert b'"sha256":"key","bytes":3' in line


# -- what always holds --------------------------------------------------------------------------------

AGENTS = pytest.mark.parametrize("agent", LINES)


@AGENTS
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_rewriting_again_changes_nothing_and_lines_keep_their_places(agent: str, data: st.DataObject):
    text = data.draw(transcripts(agent))
    rewritten, bodies = extract_bodies(agent, text)
    assert extract_bodies(agent, rewritten) == (rewritten, [])
    assert rewritten.count(b"\n") == text.count(b"\n")
    assert rewritten.rpartition(b"\n")[2] == text.rpartition(b"\n")[2]
    assert len({body.sha256 for body in bodies}) == len(bodies)


@AGENTS
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_streaming_gives_what_the_whole_line_gives(agent: str, data: st.DataObject):
    line = data.draw(LINES[agent]).encode()
    rewritten, bodies = rewrite_line(agent, line)
    for size in CHUNKS:
        places = body_locations(agent, pieces(line, size))
        streamed = [
            b"".join(canonical_body_reader(place.kind, pieces(line[slice(*place.span)], size))) for place in places
        ]
        assert [(raw, place.media_type, place.role) for raw, place in zip(streamed, places, strict=True)] == [
            (body.stored, body.media_type, body.kind) for body in bodies
        ]
        assert places == body_locations(agent, line)
    json.loads(rewritten)


@AGENTS
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_everything_but_the_bodies_is_kept_as_it_is(agent: str, data: st.DataObject):
    line = data.draw(LINES[agent]).encode()
    rewritten, bodies = rewrite_line(agent, line)
    rest = line
    for place in reversed(body_locations(agent, line)):
        rest = rest[: place.span.start] + b"@" + rest[place.span.end :]
    for body in bodies:
        start = rewritten.index(b'{"__akari_cas__":1,"sha256":"' + body.sha256.encode())
        rewritten = rewritten[:start] + b"@" + rewritten[rewritten.index(b"}", start) + 1 :]
    if b"__akari_cas__" not in line and b"}" not in b"".join(_details(agent, line)):
        assert rewritten == rest


def _details(agent: str, line: bytes) -> list[bytes]:
    return [f"{place.detail}{place.file_path}".encode() for place in body_locations(agent, line)]
