"""Where the bytes of an attachment can be had: from its transcript, or from the raw lines that the lake keeps."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, Protocol

from tracelake.lake.connect import run_select
from tracelake.sources.compressed import open_transcript
from tracelake.sources.lines import PIECE_BYTES
from tracelake.sources.paths import reason_of

if TYPE_CHECKING:
    from tracelake.lake.connect import Connection


class Place(NamedTuple):
    """One occurrence: its line, and where its encoded value stands; the last two are None where that is not known.

    Offsets and lengths are bytes of the file, quotes around the value excluded.
    """

    session_id: str
    path: str
    line_no: int
    line_offset: int
    line_len: int
    byte_offset: int | None
    byte_len: int | None


class NotThereError(Exception):
    """Bytes that cannot be had; the message is the reason, without a path."""


class Origin(Protocol):
    """A place to take bytes from; `name` tells it apart in a reason."""

    name: str

    def read(self, place: Place, offset: int, size: int) -> Iterator[bytes]:
        """Yield up to `size` bytes at `offset` of the place's file, which lie on its line. Raises NotThereError."""


class SourceFiles:
    """The transcripts as they are on disk now."""

    name = "transcript"

    def read(self, place: Place, offset: int, size: int) -> Iterator[bytes]:
        """Yield up to `size` bytes at `offset`; fewer where the file is shorter now. Raises NotThereError."""
        try:
            with open_transcript(place.path) as stream:
                _skip(stream, offset)
                while size > 0 and (piece := stream.read(min(size, PIECE_BYTES))):
                    size -= len(piece)
                    yield piece
        except OSError as error:
            raise NotThereError(reason_of(error)) from error
        except ValueError as error:
            raise NotThereError("its name cannot be opened") from error


class KeptLines:
    """The raw lines of a lake."""

    name = "lake"

    def __init__(self, connection: Connection) -> None:
        """Read over a connection of `open_lake`."""
        self._connection = connection

    def read(self, place: Place, offset: int, size: int) -> Iterator[bytes]:
        """Yield the bytes at `offset`, chunk by chunk. Raises NotThereError where no raw line was kept."""
        start, end = offset - place.line_offset, offset - place.line_offset + size
        chunks = 0
        while (raw := self._chunk(place, chunks)) is not None:
            piece = raw[max(0, start) : max(0, end)]
            if piece:
                yield piece
            start, end, chunks = start - len(raw), end - len(raw), chunks + 1
            if end <= 0:
                return
        if chunks == 0:
            raise NotThereError("the line was not kept (--no-raw)")

    def _chunk(self, place: Place, number: int) -> bytes | None:
        sql = "SELECT raw FROM raw_lines WHERE session_id = ? AND path = ? AND line_no = ? AND chunk_no = ?"
        found = run_select(self._connection, sql, [place.session_id, place.path, place.line_no, number])
        chunk: bytes | None = found.column(0)[0].as_py() if found.num_rows else None
        return chunk


def _skip(stream: BinaryIO, size: int) -> None:
    """Go on to a position; a compressed transcript cannot seek, its bytes are read and dropped."""
    if stream.seekable():
        stream.seek(size, io.SEEK_SET)
        return
    while size > 0 and (piece := stream.read(min(size, PIECE_BYTES))):
        size -= len(piece)
