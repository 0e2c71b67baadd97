"""Spellings: how the exact source text of a lifted value is made again from its canonical bytes.

A record names the spelling of every value it lifted. Where none of these gives the source back to the byte,
the source text itself is stored beside the body.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator
from typing import Literal

from tracelake.bodies.kinds import BodyKind
from tracelake.decode.base64_text import prefix_of

Spelling = Literal["raw", "json", "block", "base64", "source"]
"""`raw`: the canonical bytes; `json`: as a JSON string; `block`: as an array of one text block; `base64`: as a
JSON string of base64; `source`: kept as it was."""

SPELLING_OF: dict[BodyKind, Spelling] = {
    BodyKind.RAW: "raw",
    BodyKind.JSON_STRING: "json",
    BodyKind.ARRAY_TEXT: "block",
    BodyKind.BASE64: "base64",
}
"""The spelling to try for each kind of body."""

_CONTROLS = re.compile(rb"[\x00-\x07\x0b\x0e-\x1f]")
_REPLACED = (
    (b"\\", b"\\\\"),
    (b'"', b'\\"'),
    (b"\n", b"\\n"),
    (b"\t", b"\\t"),
    (b"\r", b"\\r"),
    (b"\b", b"\\b"),
    (b"\f", b"\\f"),
)


class Speller:
    """Makes the source text of one value from its canonical bytes, in pieces: `begin`, `feed`, `end`."""

    __slots__ = ("_after", "_before", "_pending", "_spelling")

    def __init__(self, spelling: Spelling, prefix: str = "") -> None:
        """Spell so; `prefix` is the data URI prefix of base64 text."""
        self._spelling = spelling
        before, self._after = _AROUND[spelling]
        self._before = before + prefix.encode()
        self._pending = b""

    def begin(self) -> bytes:
        """Return what stands before the body."""
        return self._before

    def feed(self, piece: bytes) -> bytes:
        """Return the source text of the next canonical bytes."""
        if self._spelling == "base64":
            return self._base64(piece)
        return _escaped(piece) if self._spelling in ("json", "block") else piece

    def end(self) -> bytes:
        """Return what stands after the body."""
        return base64.b64encode(self._pending) + self._after

    def _base64(self, piece: bytes) -> bytes:
        data = self._pending + piece
        whole = len(data) // 3 * 3
        self._pending = data[whole:]
        return base64.b64encode(data[:whole])


def spell(spelling: Spelling, canonical: Iterable[bytes], prefix: str = "") -> Iterator[bytes]:
    """Yield the source text of a value whose canonical bytes come in pieces."""
    speller = Speller(spelling, prefix)
    yield speller.begin()
    for piece in canonical:
        yield speller.feed(piece)
    yield speller.end()


def prefix_in(source_head: bytes) -> str | None:
    """Return the data URI prefix at the start of a string value, None if it is spelled with escapes."""
    prefix = prefix_of(source_head[1:])
    return prefix.decode() if prefix.isascii() and not {*prefix} & {*b'\\"'} else None


def _escaped(piece: bytes) -> bytes:
    """Escape what JSON requires and nothing else, as JavaScript and Rust do."""
    for plain, escaped in _REPLACED:
        if plain in piece:
            piece = piece.replace(plain, escaped)
    return _CONTROLS.sub(lambda match: b"\\u%04x" % match[0][0], piece)


_AROUND: dict[Spelling, tuple[bytes, bytes]] = {
    "raw": (b"", b""),
    "source": (b"", b""),
    "json": (b'"', b'"'),
    "block": (b'[{"type":"text","text":"', b'"}]'),
    "base64": (b'"', b'"'),
}
