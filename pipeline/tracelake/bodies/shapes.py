"""What each agent's lines hold that can be lifted (parser.md 4.2).

A shape is a tree of wanted members, and a function that picks the values to lift once the line is complete:
types and roles may stand after the values they decide about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from tracelake.bodies.node import Node
from tracelake.bodies.tree import Fields, Items, Wanted, short_text
from tracelake.bodies.values import EncodedInput, Image, JsonInput, Structured, TextInput, Value

_TYPE, _ROLE, _CONTENT, _MESSAGE, _PAYLOAD = b"type", b"role", b"content", b"message", b"payload"


class Shape(NamedTuple):
    """How one agent's lines are read.

    `marks` are bytes of which a line with bodies has at least one, unless it spells them with `\\u` escapes.
    """

    line: Callable[[], Fields]
    pick: Callable[[Fields], Iterator[Value]]
    marks: tuple[bytes, ...]


class _Blocks(Items):
    """A list of blocks; `kept` holds their values that may be lifted, each with its block's type."""

    __slots__ = ("_keys", "kept")

    def __init__(self, values: Mapping[str, tuple[bytes, Callable[[], Node]]]) -> None:
        """Keep, by block type, the value at a key."""
        super().__init__({_TYPE: short_text, **dict(values.values())}, self._keep_value)
        self._keys = {kind: key for kind, (key, _) in values.items()}
        self.kept: list[tuple[str, Value]] = []

    def _keep_value(self, block: Fields) -> None:
        kind = block.text(_TYPE) or ""
        key = self._keys.get(kind)
        value = _value(block, key) if key is not None else None
        if value is not None:
            self.kept.append((kind, value))


class _Source(Fields):
    """The source of an image block."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__({b"data": Image})


def _value(fields: Fields | None, key: bytes) -> Value | None:
    """Return the value at a key, or inside the image source there."""
    if fields is None:
        return None
    source = fields.get(key, _Source)
    return source.get(b"data", Value) if source is not None else fields.get(key, Value)


def _fields(wanted: Wanted) -> Callable[[], Fields]:
    return lambda: Fields(wanted)


# -- Claude Code --------------------------------------------------------------------------------------

_CLAUDE_MESSAGE = {
    _CONTENT: lambda: _Blocks(
        {
            "tool_use": (b"input", JsonInput),
            "tool_result": (_CONTENT, Value),
            "image": (b"source", _Source),
        }
    )
}
_CLAUDE_LINE = {_TYPE: short_text, _MESSAGE: _fields(_CLAUDE_MESSAGE), b"toolUseResult": Structured}


def _pick_claude(line: Fields) -> Iterator[Value]:
    kind = line.text(_TYPE)
    if kind not in ("assistant", "user"):
        return
    message = line.get(_MESSAGE, Fields)
    blocks = message.get(_CONTENT, _Blocks) if message is not None else None
    for block_type, value in blocks.kept if blocks is not None else ():
        if (block_type == "tool_use") == (kind == "assistant"):
            yield value
    result = line.get(b"toolUseResult", Value)
    if kind == "user" and result is not None:
        yield result


# -- Codex --------------------------------------------------------------------------------------------


class _ImageUrls(Items):
    """The `image_url` of every block, whatever its type."""

    __slots__ = ("kept",)

    def __init__(self) -> None:
        super().__init__({b"image_url": Image}, self._keep_value)
        self.kept: list[Value] = []

    def _keep_value(self, block: Fields) -> None:
        value = block.get(b"image_url", Value)
        if value is not None:
            self.kept.append(value)


class _Images(Node):
    """A list of images as strings."""

    __slots__ = ("kept",)

    def __init__(self) -> None:
        self.kept: list[Value] = []

    def element(self, index: int) -> Node | None:
        self.kept.append(Image())
        return self.kept[-1]


_CODEX_PAYLOAD = {
    _TYPE: short_text,
    _ROLE: short_text,
    b"arguments": EncodedInput,
    b"input": TextInput,
    b"output": Value,
    b"result": Image,
    _CONTENT: _ImageUrls,
    b"images": _Images,
}
_CODEX_LINE = {_TYPE: short_text, _PAYLOAD: _fields(_CODEX_PAYLOAD)}
_CODEX_VALUES = {
    ("response_item", "function_call"): b"arguments",
    ("response_item", "custom_tool_call"): b"input",
    ("response_item", "function_call_output"): b"output",
    ("response_item", "custom_tool_call_output"): b"output",
    ("response_item", "image_generation_call"): b"result",
    ("event_msg", "image_generation_end"): b"result",
}


def _pick_codex(line: Fields) -> Iterator[Value]:
    payload = line.get(_PAYLOAD, Fields)
    if payload is None:
        return
    place = (line.text(_TYPE) or "", payload.text(_TYPE) or "")
    key = _CODEX_VALUES.get(place)
    value = _value(payload, key) if key is not None else None
    if value is not None:
        yield value
    if place == ("event_msg", "user_message"):
        images = payload.get(b"images", _Images)
        yield from images.kept if images is not None else ()
    if key is None and place[0] == "response_item" and payload.text(_ROLE) == "user":
        urls = payload.get(_CONTENT, _ImageUrls)
        yield from urls.kept if urls is not None else ()


# -- pi -----------------------------------------------------------------------------------------------


class _PiContent(_Blocks):
    """A message's content: the result of a tool, or blocks with calls; the role says which."""

    __slots__ = ("whole",)

    def __init__(self) -> None:
        super().__init__({"toolCall": (b"arguments", JsonInput)})
        self.whole = Value()

    def open(self, first: int, start: int) -> None:
        self.whole.open(first, start)

    def member(self, key: bytes) -> Node | None:
        self.whole.member(key)
        return super().member(key)

    def close(self, end: int) -> None:
        super().close(end)
        self.whole.close(end)


_PI_LINE = {_TYPE: short_text, _MESSAGE: _fields({_ROLE: short_text, _CONTENT: _PiContent})}


def _pick_pi(line: Fields) -> Iterator[Value]:
    message = line.get(_MESSAGE, Fields)
    if message is None or line.text(_TYPE) != "message":
        return
    content = message.get(_CONTENT, _PiContent)
    if content is None:
        return
    if message.text(_ROLE) == "toolResult":
        yield content.whole
    elif message.text(_ROLE) == "assistant":
        yield from (value for _, value in content.kept)


SHAPES = {
    "claude": Shape(_fields(_CLAUDE_LINE), _pick_claude, (b"tool_use", b"tool_result", b"toolUseResult", b"image")),
    "codex": Shape(_fields(_CODEX_LINE), _pick_codex, (b"function_call", b"custom_tool_call", b"image")),
    "pi": Shape(_fields(_PI_LINE), _pick_pi, (b"toolCall", b"toolResult")),
}
"""Shape by agent."""
