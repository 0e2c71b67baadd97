"""Transcript files as they are read while bodies are lifted or put back: pieces, lines, prefixes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from tracelake.bodies.spans import WINDOW_BYTES
from tracelake.errors import BodyError


class Stamp(NamedTuple):
    """What tells whether a file has changed since it was opened."""

    size: int
    mtime_ns: int
    inode: int
    device: int


def stamp_of(status: os.stat_result) -> Stamp:
    """Return the stamp of a stat result."""
    return Stamp(status.st_size, status.st_mtime_ns, status.st_ino, status.st_dev)


class Transcript:
    """One open transcript; use as a context manager. Raises BodyError where the file cannot be read."""

    def __init__(self, path: Path) -> None:
        """Open the file; a symbolic link is followed to its end, so that what it names is replaced, not it."""
        try:
            self.path = path.resolve(strict=True)
            self.stream: BinaryIO = self.path.open("rb", buffering=1 << 20)
            self.status = os.fstat(self.stream.fileno())
        except (OSError, RuntimeError, ValueError) as error:
            raise BodyError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
        self.size = self.status.st_size

    def __enter__(self) -> Transcript:
        """Return the transcript itself."""
        return self

    def __exit__(self, *_: Any) -> None:
        """Close the file."""
        self.stream.close()

    def windows(self, start: int, end: int) -> Iterator[bytes]:
        """Yield the bytes [start, end). Raises BodyError when the file ends before."""
        while start < end:
            piece = os.pread(self.stream.fileno(), min(WINDOW_BYTES, end - start), start)
            if not piece:
                raise BodyError(f"{self.path} ends at byte {start}, {end - start} bytes are missing")
            yield piece
            start += len(piece)

    def check_unchanged(self) -> None:
        """Raise BodyError if the file was written to or replaced since it was opened."""
        try:
            now = stamp_of(self.path.stat())
        except OSError:
            now = None
        if now != stamp_of(self.status):
            raise BodyError(f"{self.path} was changed meanwhile; nothing was done, run it again")


def prefix_hashes(pieces: Iterable[bytes], lengths: Iterable[int]) -> dict[int, str]:
    """Return the SHA-256 of the first so many bytes of a stream, for each length that it reaches."""
    found: dict[int, str] = {}
    wanted = sorted(set(lengths), reverse=True)
    digest, seen = hashlib.sha256(), 0
    for piece in pieces:
        start = 0
        while wanted and wanted[-1] <= seen + len(piece):
            length = wanted.pop()
            digest.update(piece[start : length - seen])
            start = length - seen
            found[length] = digest.hexdigest()
        digest.update(piece[start:])
        seen += len(piece)
        if not wanted:
            break
    return found
