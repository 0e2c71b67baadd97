"""Transcripts out of the raw lines that a lake keeps: byte for byte as they were read."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import BinaryIO, cast

from tracelake.lake.layout import LakePaths
from tracelake.lake.segment_rows import read_parts, segment_batches


def pieces_of(paths: LakePaths, bundle: str, parts: Sequence[int]) -> Iterator[tuple[int, bytes]]:
    """Yield the bytes of parts of a bundle, each with its part: a line, its end, or a piece of a long line at a time.

    Parts come in the order in which they are stored, each whole before the next; one without any line does not come.
    Raises OSError.
    """
    path = paths.segment("raw_lines", bundle)
    if not path.exists():
        return
    ends_with_lf = _ends_with_lf(paths, bundle, parts)
    part = line = None
    for batch in segment_batches(path, "raw_lines", parts):
        names = ("part_id", "line_no", "raw")
        for part_id, line_no, raw in zip(*(batch.column(name).to_pylist() for name in names), strict=True):
            if part is not None and part_id != part:
                if ends_with_lf[part]:
                    yield part, b"\n"
            elif part is not None and line_no != line:
                yield part, b"\n"
            part, line = part_id, line_no
            yield part_id, raw
    if part is not None and ends_with_lf[part]:
        yield part, b"\n"


def open_raw(paths: LakePaths, bundle: str, part_id: int) -> BinaryIO:
    """Return a reader of the bytes of one part. Reading raises OSError."""
    return cast(BinaryIO, _Pieces(piece for _, piece in pieces_of(paths, bundle, [part_id])))


def _ends_with_lf(paths: LakePaths, bundle: str, parts: Sequence[int]) -> dict[int, bool]:
    found = read_parts(paths.segment("files", bundle), "files", parts, ["part_id", "ends_with_lf"])
    return dict(
        zip(found.column("part_id").to_pylist(), map(bool, found.column("ends_with_lf").to_pylist()), strict=True)
    )


class _Pieces(io.RawIOBase):
    """A stream over pieces of bytes."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._left:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._left = memoryview(piece)
        size = min(len(buffer), len(self._left))
        buffer[:size], self._left = self._left[:size], self._left[size:]
        return size
