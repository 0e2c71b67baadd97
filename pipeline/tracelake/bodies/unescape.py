"""The contents of JSON strings: source text -> UTF-8, whole or in pieces (J10, J11)."""

from __future__ import annotations

import re

from tracelake.decode.cuts import decode_fragment
from tracelake.errors import BodyError

_QUOTE = b'"'
_PAIR_BYTES = 12
_UNITS = re.compile(
    rb"(?:[^\\]++|\\(?:u[dD][89abAB][0-9a-fA-F]{2}(?:\\u[0-9a-fA-F]{4}|(?=[^\\]|\\[^u]))"
    rb"|u(?![dD][89abAB])[0-9a-fA-F]{4}|[^u]))*+",
    re.S,
)
"""Characters and whole escapes; a surrogate pair is one unit, so that it is never decoded by halves."""

_STRING_END = re.compile(rb'(?:[^"\\]++|\\.)*+', re.S)


def unescape(source: bytes) -> bytes:
    """Return the UTF-8 bytes that string source text stands for; what is no text becomes U+FFFD."""
    return decode_fragment(source)


class Unescaper:
    """Takes a string value, quotes included, in pieces and returns its contents in pieces."""

    __slots__ = ("_closed", "_opened", "_pending")

    def __init__(self) -> None:
        """Expect the opening quote first."""
        self._opened = self._closed = False
        self._pending = b""

    def feed(self, piece: bytes) -> bytes:
        """Take the next source bytes; return the contents that are ready."""
        if not self._opened:
            if piece[:1] not in (b"", _QUOTE):
                raise BodyError("the value is not a string")
            self._opened = bool(piece)
            piece = piece[1:]
        if not piece:
            return b""
        if self._closed:
            raise BodyError("the string ends before the value does")
        return self._contents(self._pending + piece)

    def finish(self) -> None:
        """End the value. Raises BodyError if its closing quote is missing."""
        if not self._closed:
            raise BodyError("the string is cut off: its closing quote is missing")

    def _contents(self, source: bytes) -> bytes:
        match = _STRING_END.match(source)
        end = match.end() if match else 0
        if source[end : end + 1] == _QUOTE:
            self._closed, self._pending = True, b""
            if end + 1 < len(source):
                raise BodyError("the string ends before the value does")
            return unescape(source[:end])
        ready = _whole_units(source[:end])
        self._pending = source[ready:]
        return unescape(source[:ready])


def _whole_units(source: bytes) -> int:
    """Return how many bytes can be decoded alone: no escape, pair or UTF-8 sequence is cut in two."""
    match = _UNITS.match(source)
    end = match.end() if match else 0
    if len(source) - end > _PAIR_BYTES:  # a malformed escape, not one that is still arriving
        end = len(source)
    for back in range(1, min(4, end) + 1):
        byte = source[end - back]
        if byte < 0x80:
            return end
        if byte >= 0xC0:
            need = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return end - back if back < need else end
    return end
