"""The text of a list of blocks, in pieces: block_text of parser.md 1.1, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import IO

from tracelake.bodies.facts import ShortText
from tracelake.bodies.node import Node
from tracelake.bodies.spans import WINDOW_BYTES
from tracelake.bodies.tree import MAX_TYPE_BYTES
from tracelake.bodies.unescape import Unescaper

TEXT_TYPES = frozenset({"text", "output_text", "input_text"})
"""Types of blocks whose text counts."""

SPOOL_BYTES = 1 << 20
"""How much of one block's text stays in memory until the block's type is known."""

_STRING, _NULL = b'"n'


class ArrayText(Node):
    """Collects the texts of an array's elements; drain after every piece, and once more at the end."""

    __slots__ = ("_count", "_part", "_ready", "_spool_bytes")

    def __init__(self, spool_bytes: int = SPOOL_BYTES) -> None:
        """Keep at most `spool_bytes` of a text in memory."""
        self._spool_bytes = spool_bytes
        self._part: _Part | None = None
        self._ready: list[IO[bytes]] = []
        self._count = 0

    def element(self, index: int) -> Node | None:
        """Take the next element."""
        self._settle()
        self._part = _Part(self._spool_bytes)
        return self._part

    def close(self, end: int) -> None:
        """Settle the last element."""
        self._settle()

    def drain(self) -> Iterator[bytes]:
        """Yield the text that is ready."""
        ready, self._ready = self._ready, []
        for text in ready:
            if self._count:
                yield b"\n"
            self._count += 1
            with text:
                text.seek(0)
                yield from iter(lambda: text.read(WINDOW_BYTES), b"")  # noqa: B023 (used up at once)

    def _settle(self) -> None:
        if self._part is not None:
            text = self._part.finish()
            if text is not None:
                self._ready.append(text)
            self._part = None


class _Part(Node):
    """One element: a bare string, or a block that counts if its type does."""

    __slots__ = ("_bare", "_spool_bytes", "_text", "_type")

    def __init__(self, spool_bytes: int) -> None:
        self._spool_bytes = spool_bytes
        self._text: _Text | None = None
        self._type: ShortText | None = None
        self._bare = False

    @property
    def tap(self) -> bool:  # type: ignore[override]
        """Whether the element itself is the text."""
        return self._bare

    def open(self, first: int, start: int) -> None:
        self._bare = first == _STRING
        if self._bare:
            self._text = _Text(self._spool_bytes)
            self._text.open(first, start)

    def source(self, piece: bytes) -> None:
        if self._text is not None:
            self._text.source(piece)

    def member(self, key: bytes) -> Node | None:
        if key == b"type":
            self._type = ShortText(MAX_TYPE_BYTES)
            return self._type
        if key != b"text":
            return None
        if self._text is not None:
            self._text.spool.close()
        self._text = _Text(self._spool_bytes)
        return self._text

    def finish(self) -> IO[bytes] | None:
        """Return the text of an element that counts, empty where it has none."""
        text = self._text.spool if self._text is not None else None
        if self._bare or (self._type is not None and self._type.text in TEXT_TYPES):
            return text or _Text(self._spool_bytes).spool
        if text is not None:
            text.close()
        return None


class _Text(Node):
    """The value of `text`: a string decoded, null as nothing, anything else as its source (J4)."""

    __slots__ = ("_decoder", "_is_null", "spool")
    tap = True

    def __init__(self, spool_bytes: int) -> None:
        self.spool: IO[bytes] = SpooledTemporaryFile(max_size=spool_bytes)  # noqa: SIM115 (closed when drained)
        self._decoder: Unescaper | None = None
        self._is_null = False

    def open(self, first: int, start: int) -> None:
        self._decoder = Unescaper() if first == _STRING else None
        self._is_null = first == _NULL

    def source(self, piece: bytes) -> None:
        if not self._is_null:
            self.spool.write(self._decoder.feed(piece) if self._decoder is not None else piece)
