"""Scanner: one JSON text in pieces of any size -> the values that were asked for, in bounded memory.

Interest in a value is a Node. The scanner tells it where the value starts and ends, asks it for the nodes of
its members and elements, and hands it the value's source bytes if it taps them. A value without a node is
passed over; only its grammar is checked. Nothing is kept but a byte per level of nesting.
"""

from __future__ import annotations

import re

from tracelake.bodies.grammar import (
    ELEMENTS,
    ESCAPE_START,
    KEY,
    LAX_TEXT,
    MEMBERS,
    SCALAR,
    SCALAR_RUN,
    SPACE,
    TEXT,
)
from tracelake.bodies.node import Node
from tracelake.bodies.unescape import unescape
from tracelake.errors import BodyError

MAX_KEY_BYTES = 4096
"""Longest key, in source bytes, that is compared; longer ones never match (parser.md 4.6)."""

MAX_NESTING = 1_000_000
"""Deepest nesting that is followed at all."""

_MAX_SCALAR_BYTES = 1 << 16
_QUOTE, _BACKSLASH, _COMMA, _COLON = b'"\\,:'
_SPACE_BYTE = 0x20
_DELIMITERS = b",:]}"
_OPEN_ARRAY, _CLOSE_ARRAY, _OPEN_OBJECT, _CLOSE_OBJECT = b"[]{}"


class MalformedError(BodyError):
    """The text is not JSON."""


class Scanner:
    """Feed the pieces of one text, then finish. Raises MalformedError where the text is not JSON.

    A lax scanner takes any run up to a delimiter as a scalar, any character in a string, and anything after
    the value.
    """

    def __init__(self, root: Node, *, strict: bool = True, max_depth: int = MAX_NESTING) -> None:
        """Scan for `root`; text nested deeper than `max_depth` counts as malformed."""
        self._root = root
        self._strict = strict
        self._max_depth = max_depth
        self._text = TEXT if strict else LAX_TEXT
        self._step = self._value
        self._base = 0
        self._tail = b""
        self._kinds = bytearray()
        self._nodes: list[Node] = []
        self._counts: list[int] = []
        self._next: Node | None = root
        self._leaf: Node | None = None
        self._key: bytearray | None = None
        self._scalar = bytearray()
        self._taps: list[tuple[Node, int]] = []

    def feed(self, piece: bytes) -> None:
        """Take the next bytes of the text."""
        data = self._tail + piece if self._tail else piece
        self._tail = b""
        position, size = 0, len(data)
        while position < size:
            position = self._step(data, position)
        taken = size - len(self._tail)
        self._taps = [(self._hand(node, data[start:taken]), 0) for node, start in self._taps]
        self._base += taken

    def finish(self) -> bool:
        """End the text; return whether its value is complete."""
        if self._step == self._in_scalar:
            self._end_value(self._check_scalar(0), b"", 0)
        return self._step == self._done and not self._tail

    @staticmethod
    def _hand(node: Node, piece: bytes) -> Node:
        if piece:
            node.source(piece)
        return node

    # -- states: each takes data from a position and returns the position after what it took ------------

    def _value(self, data: bytes, position: int) -> int:
        position = self._pass_over(ELEMENTS, data, position, _OPEN_ARRAY)
        if position == len(data):
            return position
        first = data[position]
        if first in _DELIMITERS:
            raise self._fault("a value", position)
        node = self._child()
        if node is not None:
            node.open(first, self._base + position)
            if node.tap:
                self._taps.append((node, position))
        if first in (_OPEN_OBJECT, _OPEN_ARRAY):
            return self._push(node, first, position)
        self._leaf = node
        self._step = self._in_string if first == _QUOTE else self._in_scalar
        return position + 1 if first == _QUOTE else position

    def _value_or_end(self, data: bytes, position: int) -> int:
        position = _skip(data, position)
        if position < len(data) and data[position] == _CLOSE_ARRAY:
            return self._pop(data, position + 1)
        if position < len(data):
            self._step = self._value
        return position

    def _key_start(self, data: bytes, position: int) -> int:
        position = self._pass_over(MEMBERS, data, position, _OPEN_OBJECT)
        if position == len(data):
            return position
        whole = KEY.match(data, position)
        if whole is not None:
            self._take_key(whole[1] if self._is_interesting() else None)
            self._step = self._value
            return whole.end()
        if data[position] != _QUOTE:
            raise self._fault("a key", position)
        self._key = bytearray() if self._is_interesting() else None
        self._step = self._in_key
        return position + 1

    def _key_or_end(self, data: bytes, position: int) -> int:
        position = _skip(data, position)
        if position < len(data) and data[position] == _CLOSE_OBJECT:
            return self._pop(data, position + 1)
        if position < len(data):
            self._step = self._key_start
        return position

    def _in_key(self, data: bytes, position: int) -> int:
        end = self._text_end(data, position)
        if self._key is not None and len(self._key) <= MAX_KEY_BYTES:
            self._key += data[position : min(end, position + MAX_KEY_BYTES + 1)]
        if self._tail or end == len(data):
            return len(data)
        self._take_key(bytes(self._key) if self._key is not None else None)
        self._step = self._colon
        return end + 1

    def _colon(self, data: bytes, position: int) -> int:
        position = _skip(data, position)
        if position == len(data):
            return position
        if data[position] != _COLON:
            raise self._fault("a colon", position)
        self._step = self._value
        return position + 1

    def _in_string(self, data: bytes, position: int) -> int:
        end = self._text_end(data, position)
        if self._tail or end == len(data):
            return len(data)
        self._end_value(self._leaf, data, end + 1)
        return end + 1

    def _in_scalar(self, data: bytes, position: int) -> int:
        match = SCALAR_RUN.match(data, position)
        end = match.end() if match else position
        if self._strict:
            self._scalar += data[position:end]
        if len(self._scalar) > _MAX_SCALAR_BYTES:
            raise self._fault("a shorter number", position)
        if end < len(data):
            self._end_value(self._check_scalar(end), data, end)
        return end

    def _after(self, data: bytes, position: int) -> int:
        position = _skip(data, position)
        if position == len(data):
            return position
        found, kind = data[position], self._kinds[-1]
        if found == _COMMA:
            self._step = self._key_start if kind == _OPEN_OBJECT else self._value
            return position + 1
        if found != (_CLOSE_OBJECT if kind == _OPEN_OBJECT else _CLOSE_ARRAY):
            raise self._fault("a comma or the end", position)
        return self._pop(data, position + 1)

    def _done(self, data: bytes, position: int) -> int:
        position = _skip(data, position)
        if position < len(data) and self._strict:
            raise self._fault("nothing more", position)
        return len(data)

    # -- helpers ---------------------------------------------------------------------------------------

    def _take_key(self, key: bytes | None) -> None:
        self._next = None
        if key is not None and len(key) <= MAX_KEY_BYTES:
            self._next = self._nodes[-1].member(unescape(key) if b"\\" in key else key)

    def _pass_over(self, run: re.Pattern[bytes], data: bytes, position: int, kind: int) -> int:
        """Skip white space, and inside a container without interest all plain values at once."""
        if self._kinds and not self._is_interesting() and self._kinds[-1] == kind:
            match = run.match(data, position)
            position = match.end() if match else position
        return _skip(data, position)

    def _is_interesting(self) -> bool:
        return len(self._nodes) == len(self._kinds)

    def _child(self) -> Node | None:
        """Return interest in the value that begins here."""
        if not self._kinds:
            return self._root
        if not self._is_interesting():
            return None
        if self._kinds[-1] == _OPEN_OBJECT:
            return self._next
        self._counts[-1] += 1
        return self._nodes[-1].element(self._counts[-1] - 1)

    def _push(self, node: Node | None, kind: int, position: int) -> int:
        if len(self._kinds) >= self._max_depth:
            raise MalformedError(f"nested deeper than {self._max_depth} levels")
        if node is not None:
            self._nodes.append(node)
            self._counts.append(0)
        self._kinds.append(kind)
        self._step = self._key_or_end if kind == _OPEN_OBJECT else self._value_or_end
        return position + 1

    def _pop(self, data: bytes, end: int) -> int:
        node = None
        if self._is_interesting():
            node = self._nodes.pop()
            self._counts.pop()
        self._kinds.pop()
        self._end_value(node, data, end)
        return end

    def _end_value(self, node: Node | None, data: bytes, end: int) -> None:
        if node is not None:
            if node.tap:
                tapped, start = self._taps.pop()
                self._hand(tapped, data[start:end])
            node.close(self._base + end)
        self._step = self._after if self._kinds else self._done

    def _text_end(self, data: bytes, position: int) -> int:
        """Return where string contents end for now; an escape that is cut off is kept for the next piece."""
        match = self._text.match(data, position)
        end = match.end() if match else position
        if end < len(data) and data[end] != _QUOTE:
            rest = data[end:] if len(data) - end < 12 else b""
            if not rest or not ESCAPE_START.fullmatch(rest):
                raise self._fault("a valid character", end)
            self._tail = rest
        return end

    def _check_scalar(self, end: int) -> Node | None:
        if self._strict and not SCALAR.fullmatch(self._scalar):
            raise self._fault("a value", end)
        self._scalar.clear()
        return self._leaf

    def _fault(self, wanted: str, position: int) -> MalformedError:
        return MalformedError(f"not JSON: {wanted} expected near byte {self._base + position}")


def _skip(data: bytes, position: int) -> int:
    if position < len(data) and data[position] > _SPACE_BYTE:
        return position
    match = SPACE.match(data, position)
    return match.end() if match else position
