"""The contents of JSON strings: source text -> UTF-8, whole or in pieces (J10, J11)."""

from __future__ import annotations

import re

from tracelake.decode.cuts import decode_fragment, whole_units
from tracelake.errors import BodyError

_QUOTE = b'"'
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
        ready = whole_units(source[:end])
        self._pending = source[ready:]
        return unescape(source[:ready])
