"""Physical lines of a byte stream: LF only, numbered from 1, every byte accounted for (E-1, E-2)."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO

MAX_LINE_BYTES = 16 * 1024 * 1024
"""Largest line, its LF included, that is delivered in one piece (E-2); longer ones come in pieces."""

PIECE_BYTES = 1024 * 1024
"""Size of the pieces in which a longer line is delivered."""

READ_BYTES = 128 * 1024
"""Size of one read of the file; larger ones miss the processor's caches."""

_LF = 0x0A


class Line:
    """One physical line.

    `data` holds the content without its LF (a CR stays), or None for a line over the limit, whose content
    comes from `pieces()`. `byte_len` counts the LF too and is final once the pieces were consumed.
    """

    __slots__ = ("_reader", "byte_len", "byte_offset", "data", "has_lf", "line_no")

    def __init__(
        self, reader: LineReader, line_no: int, byte_offset: int, data: bytes | None, byte_len: int, has_lf: bool
    ) -> None:
        """Made by LineReader only."""
        self._reader = reader
        self.line_no = line_no
        self.byte_offset = byte_offset
        self.data = data
        self.byte_len = byte_len
        self.has_lf = has_lf

    def pieces(self) -> Iterator[bytes]:
        """Yield the content of a line over the limit, without its LF; may be consumed once."""
        return self._reader._pieces(self)


class LineReader:
    """Iterates over the lines of a binary stream; memory stays below a few MAX_LINE_BYTES."""

    def __init__(self, stream: BinaryIO) -> None:
        """Read from `stream`, whose `readline(limit)` may return any part of a line up to its LF."""
        self._stream = stream
        self._head = b""
        self._unread: Line | None = None

    def __iter__(self) -> Iterator[Line]:
        """Yield every line; a line over the limit that the caller did not consume is skipped to its end."""
        line_no = offset = 0
        read_line = self._stream.readline
        while data := read_line(MAX_LINE_BYTES):
            line_no += 1
            size = len(data)
            if data[-1] == _LF:
                line = Line(self, line_no, offset, data[:-1], size, True)
            elif size < MAX_LINE_BYTES:
                line = Line(self, line_no, offset, data, size, False)
            else:
                self._head = data
                self._unread = line = Line(self, line_no, offset, None, 0, False)
            yield line
            if self._unread is line:
                for _ in self._pieces(line):
                    pass
            offset += line.byte_len

    def _pieces(self, line: Line) -> Iterator[bytes]:
        piece, self._head = self._head, b""
        self._unread = None
        while piece:
            line.byte_len += len(piece)
            if piece.endswith(b"\n"):
                line.has_lf = True
                yield piece[:-1]
                return
            yield piece
            piece = self._stream.readline(PIECE_BYTES)


class CountingStream(io.RawIOBase):
    """Counts bytes and LFs of what passes through, apart from any splitting into lines."""

    def __init__(self, raw: BinaryIO) -> None:
        """Read from `raw`, any object with `read(size)`."""
        self._raw = raw
        self.bytes = 0
        self.lf_count = 0
        self.last_byte = b""

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill `buffer` from the raw stream and count."""
        chunk = self._raw.read(len(buffer)) or b""
        size = len(chunk)
        buffer[:size] = chunk
        if size:
            self.bytes += size
            self.lf_count += _count_lfs(chunk)
            self.last_byte = chunk[-1:]
        return size


def _count_lfs(chunk: bytes) -> int:
    """Return the number of LFs: `bytes.count` looks at each byte, `find` at many at once (half the time of reading)."""
    count, find = 0, chunk.find
    at = find(b"\n")
    while at >= 0:
        count += 1
        at = find(b"\n", at + 1)
    return count


def open_counting(raw: BinaryIO, buffer_bytes: int = READ_BYTES) -> tuple[CountingStream, BinaryIO]:
    """Return the counter over `raw` and a buffered stream on top of it for a LineReader."""
    counter = CountingStream(raw)
    return counter, io.BufferedReader(counter, buffer_bytes)
