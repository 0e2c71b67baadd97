"""JSON texts spelled in unusual ways, and other input for the tests of bodies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

CHUNKS = (1, 3, 7, 1 << 30)
"""Sizes of the pieces that texts are fed in; the last one is the whole text."""

SPACE = st.text(" \t\r", max_size=2)
CHARS = st.sampled_from('aZ09 "\\/\b\f\n\r\t\x01\x1f\x7fé日\U0001f989<&>\u2028[]{}:,')


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


def dumps(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


@st.composite
def strings(draw: st.DrawFn, chars: st.SearchStrategy[str] = CHARS) -> str:
    """A string literal; every character is spelled in one of the ways JSON knows."""
    return '"' + "".join(_spell(draw, char) for char in draw(st.lists(chars, max_size=8))) + '"'


def _spell(draw: st.DrawFn, char: str) -> str:
    units = char.encode("utf-16-be").hex()
    escaped = "".join("\\u" + units[start : start + 4] for start in range(0, len(units), 4))
    plain = json.dumps(char, ensure_ascii=False)[1:-1]
    ways = [plain, escaped, escaped.upper().replace("\\U", "\\u")] + ["\\/"] * (char == "/")
    return draw(st.sampled_from(ways))


NUMBERS = st.sampled_from(["0", "-0", "12", "-3.50", "1e5", "2E-7", "123456789012345678901234567890"])
SCALARS = st.one_of(NUMBERS, st.sampled_from(["true", "false", "null"]), strings())


KEYS = st.one_of(strings(), st.sampled_from(['"a"', '"\\u0061"', '"b"']))


@st.composite
def objects(draw: st.DrawFn, values: st.SearchStrategy[str] = SCALARS, keys: Any = None) -> str:
    """An object with white space anywhere and keys that may repeat."""
    names = draw(st.lists(KEYS if keys is None else keys, max_size=4))
    members = [f"{_pad(draw, name)}:{_pad(draw, draw(values))}" for name in names]
    return "{" + (",".join(members) or draw(SPACE)) + "}"


@st.composite
def arrays(draw: st.DrawFn, values: st.SearchStrategy[str] = SCALARS) -> str:
    """An array with white space anywhere."""
    return "[" + (",".join(_pad(draw, value) for value in draw(st.lists(values, max_size=4))) or draw(SPACE)) + "]"


def _pad(draw: st.DrawFn, text: str) -> str:
    return draw(SPACE) + text + draw(SPACE)


VALUES = st.recursive(SCALARS, lambda inner: st.one_of(objects(inner), arrays(inner)), max_leaves=6)


def _member(key: str, values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(lambda value: f'"{key}":{value}', values)


@st.composite
def ordered(draw: st.DrawFn, *members: st.SearchStrategy[str]) -> str:
    """An object of these members in any order."""
    return "{" + draw(SPACE) + ",".join(draw(st.permutations([draw(member) for member in members]))) + "}"


TEXT_BLOCK = st.one_of(
    ordered(_member("type", st.sampled_from(['"text"', '"output_text"', '"other"'])), _member("text", SCALARS)),
    st.builds(lambda text: '{"type":"text","text":' + text + "}", strings()),
    strings(),
    VALUES,
)
RESULT = st.one_of(VALUES, st.builds(lambda block: f"[{block}]", TEXT_BLOCK), arrays(TEXT_BLOCK))
IMAGE = st.sampled_from(
    [
        '"iVBORw0KGgpvd2w="',
        '"iVBORw0KGgpvd2w"',
        '"data:image/png;base64,iVBO\\r\\nRw0KGgpvd2w="',
        '"data:image\\/png;base64,iVBORw0KGgpvd2w="',
        '"\\/9j\\/AAAA"',
        '"/9j/AAAA"',
        '"hello"',
        "null",
        '{"__akari_cas__":1,"sha256":"ab","bytes":3,"media_type":"image/png"}',
    ]
)
INPUT = st.one_of(
    VALUES,
    objects(strings(), st.sampled_from(['"command"', '"file_path"', '"query"', '"\\u0075rl"', '"skill"', '"x"'])),
)


def _block(kind: str, *members: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return ordered(st.just(f'"type":"{kind}"'), *members)


CLAUDE_BLOCK = st.one_of(
    _block("tool_use", _member("input", INPUT), st.just('"name":"Bash"'), st.just('"id":"t1"')),
    _block("tool_result", _member("content", RESULT), st.just('"tool_use_id":"t1"')),
    _block("image", _member("source", ordered(_member("data", IMAGE), st.just('"type":"base64"')))),
    TEXT_BLOCK,
)


def _claude(kind: str) -> st.SearchStrategy[str]:
    content = st.one_of(arrays(CLAUDE_BLOCK), CLAUDE_BLOCK, VALUES)
    return ordered(
        st.just(f'"type":"{kind}"'),
        _member("message", ordered(_member("content", content))),
        _member("toolUseResult", RESULT),
    )


def _codex(line_type: str, kind: str, *members: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return ordered(st.just(f'"type":"{line_type}"'), _member("payload", _block(kind, *members)))


def _encoded(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(lambda text: json.dumps(text, ensure_ascii=False), values)


URLS = arrays(ordered(_member("image_url", IMAGE)))
CODEX = st.one_of(
    _codex("response_item", "function_call", _member("arguments", st.one_of(_encoded(INPUT), INPUT))),
    _codex("response_item", "custom_tool_call", _member("input", strings())),
    _codex("response_item", "function_call_output", _member("output", RESULT)),
    _codex("response_item", "message", st.just('"role":"user"'), _member("content", URLS)),
    _codex("event_msg", "user_message", _member("images", arrays(IMAGE))),
    _codex("event_msg", "image_generation_end", _member("result", IMAGE)),
)


def _pi(role: str, content: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    message = ordered(st.just(f'"role":"{role}"'), _member("content", content))
    return ordered(st.just('"type":"message"'), _member("message", message))


PI = st.one_of(
    _pi("assistant", arrays(_block("toolCall", _member("arguments", INPUT)))),
    _pi("toolResult", RESULT),
)
LINES = {"claude": st.one_of(_claude("assistant"), _claude("user")), "codex": CODEX, "pi": PI}
"""Lines that hold bodies, by agent."""

DAMAGED = st.one_of(
    st.binary(max_size=20).filter(lambda data: b"\n" not in data),
    st.sampled_from([b"", b"\r", b"\xef\xbb\xbf{}", b"{}{}", b"\0\0", b'{"type":"user"', b"[]", b"null"]),
)


@st.composite
def transcripts(draw: st.DrawFn, agent: str) -> bytes:
    """Whole files: lines with bodies, damaged and cut ones, CRLF, a torn tail."""
    whole = LINES[agent].map(str.encode)
    lines = draw(st.lists(st.one_of(whole, whole, _cut(agent), DAMAGED), max_size=3))
    ends = draw(st.lists(st.sampled_from([b"\n", b"\r\n", b" \n"]), min_size=len(lines), max_size=len(lines)))
    text = b"".join(line + end for line, end in zip(lines, ends, strict=True))
    return text + draw(st.one_of(st.just(b""), _cut(agent), LINES[agent].map(str.encode)))


def _cut(agent: str) -> st.SearchStrategy[bytes]:
    """A line that loses its end, or some byte."""
    return st.builds(
        lambda line, at, skip: line[: at % len(line)] + line[at % len(line) + 1 :] * skip,
        LINES[agent].map(str.encode),
        st.integers(0, 10_000),
        st.booleans(),
    )
