"""Reading: one transcript decoded up to a byte offset, and continued from there when it grew (parser.md 8.8)."""

from __future__ import annotations

import io
from typing import BinaryIO, NamedTuple

from tracelake.sources.lines import LineReader
from tracelake.transcripts.decoding import LineDecoder
from tracelake.transcripts.file import File, Label
from tracelake.transcripts.model import Line

NOTHING: tuple[bytes, ...] = ()


class Known(NamedTuple):
    """Which file on disk a Reading has read, up to which byte, and a fingerprint of what lies before it."""

    device: int
    inode: int
    offset: int
    check: str


class Reading:
    """One transcript as far as it was read.

        reading = Reading(Label.of(path))
        rest = reading.continue_(first_bytes)
        file = reading.file(rest)
        rest = reading.continue_(rest + more_bytes)

    However the bytes are cut, `continue_` over them and `file` give what one read of all of them gives. Lines keep
    no raw bytes unless `keep_raw` is set, which about halves their memory. Not safe for concurrent use.
    """

    def __init__(self, label: Label, *, keep_raw: bool = False) -> None:
        """Start before the first byte of the file that `label` describes."""
        self.label = label
        self.offset = 0
        self.known: Known | None = None
        self._lines: list[Line] = []
        self._decoder = LineDecoder(label.agent_id is not None, keep_raw)

    def continue_(self, source: bytes | BinaryIO) -> bytes:
        """Take the lines of `source` that end in LF; return the bytes after the last one, which are not taken.

        `source` begins where the bytes taken so far end, at `offset`; a stream is read to its end, and only
        `readline` is asked of it. Raises OSError as the stream does; what was taken before counts.
        """
        stream = io.BytesIO(source) if isinstance(source, bytes) else source
        base, offset = len(self._lines), self.offset
        for line in LineReader(stream):
            pieces = tuple(line.pieces()) if line.data is None else NOTHING
            if not line.has_lf:
                return b"".join(pieces) if line.data is None else line.data
            line.line_no += base
            line.byte_offset += offset
            self._lines.append(self._decoder.decode(line, pieces))
            self.offset += line.byte_len
        return b""

    def file(self, rest: bytes = b"", read_error: str | None = None) -> File:
        """Return the transcript read so far, followed by `rest`, a final line without LF. The Reading stays as it is.

        If `rest` does not decode it is dropped and the file marked as torn: a write is in progress.
        """
        lines = list(self._lines)
        last = self._final(rest)
        torn = last is not None and last.status == "torn"
        if last is not None and not torn:
            lines.append(last)
        return File(self.label, lines, torn, read_error)

    def _final(self, rest: bytes) -> Line | None:
        decoder = self._decoder.copy()
        for line in LineReader(io.BytesIO(rest)):
            pieces = tuple(line.pieces()) if line.data is None else NOTHING
            line.line_no += len(self._lines)
            line.byte_offset += self.offset
            return decoder.decode(line, pieces)
        return None
