"""BodyStore: a folder of bodies by content, each written once, aside, and renamed into place.

FOLDER/bodies/<first two digits>/<sha256>        a body below 1,024 bytes
FOLDER/bodies/<first two digits>/<sha256>.zst    a longer one
FOLDER/transcripts/...                           see tracelake.bodies.record
FOLDER/incoming/...                              what is being written
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from tracelake.bodies.encode import MIN_ZSTD_BYTES
from tracelake.errors import BodyError
from tracelake.lake.durable import flush_all, make_private_dir, move, write_private, writing

MEMORY_BYTES = 1 << 20
"""Bodies up to this length are held in memory, so that one that is known already is not written again."""


class Kept(NamedTuple):
    """A body in the store: its key and its length; `is_new` says that it was not there before."""

    sha256: str
    bytes: int
    is_new: bool


class BodyStore:
    """Puts bodies into a folder and gets them back. All files are private to the user."""

    def __init__(self, folder: Path) -> None:
        """Use `folder`, which is made when the first body is put."""
        self.folder = folder
        self.transcripts = folder / "transcripts"
        self._bodies = folder / "bodies"
        self.incoming = folder / "incoming"
        self._unflushed: set[Path] = set()

    def prepare(self) -> None:
        """Make the folders. Raises LakeWriteError."""
        with writing(self.folder):
            for folder in (self.folder, self._bodies, self.transcripts, self.incoming):
                make_private_dir(folder)

    def put(self, pieces: Iterable[bytes]) -> Kept:
        """Store a body that comes in pieces; one that is there already stays. Raises LakeWriteError."""
        head = bytearray()
        rest = iter(pieces)
        for piece in rest:
            head += piece
            if len(head) > MEMORY_BYTES:
                return self._put_long(chain((bytes(head),), rest))
        return self._put_short(bytes(head))

    def get(self, sha256: str) -> Iterator[bytes]:
        """Yield a body in pieces. Raises BodyError when it is missing or not what it should be."""
        digest = hashlib.sha256()
        for piece in self._read(sha256):
            digest.update(piece)
            yield piece
        if digest.hexdigest() != sha256:
            raise BodyError(f"the body {sha256} in {self.folder} is damaged")

    def flush(self) -> None:
        """Put what was stored on the disk. Raises LakeWriteError."""
        with writing(self.folder):
            flush_all(self.folder, sorted(self._unflushed))
        self._unflushed.clear()

    def path_of(self, sha256: str, size: int) -> Path:
        """Return where the body with this key and length is kept."""
        name = sha256 + ".zst" if size >= MIN_ZSTD_BYTES else sha256
        return self._bodies / sha256[:2] / name

    def aside(self) -> Path:
        """Return a new empty private file to be written and then renamed into the store."""
        descriptor, name = tempfile.mkstemp(dir=self.incoming)
        os.close(descriptor)
        return Path(name)

    def _put_short(self, data: bytes) -> Kept:
        sha256 = hashlib.sha256(data).hexdigest()
        target = self.path_of(sha256, len(data))
        with writing(target):
            if target.exists():
                return Kept(sha256, len(data), False)
            aside = self.aside()
            write_private(aside, _stored(data))
            self._move_in(aside, target)
        return Kept(sha256, len(data), True)

    def _put_long(self, pieces: Iterable[bytes]) -> Kept:
        from tracelake.lake.zstd import compressing

        digest, size = hashlib.sha256(), 0
        with writing(self.incoming):
            aside = self.aside()
            try:
                with aside.open("wb") as stream, compressing(stream) as out:
                    for piece in pieces:
                        digest.update(piece)
                        size += len(piece)
                        out.write(piece)
            except BaseException:
                aside.unlink(missing_ok=True)
                raise
            target = self.path_of(digest.hexdigest(), size)
            is_new = not target.exists()
            if is_new:
                self._move_in(aside, target)
            else:
                aside.unlink()
        return Kept(digest.hexdigest(), size, is_new)

    def _move_in(self, aside: Path, target: Path) -> None:
        make_private_dir(target.parent)
        move(aside, target)
        self._unflushed |= {target, target.parent}

    def _read(self, sha256: str) -> Iterator[bytes]:
        short, long = self.path_of(sha256, 0), self.path_of(sha256, MIN_ZSTD_BYTES)
        try:
            if short.exists():
                yield short.read_bytes()
                return
            stream = long.open("rb")
        except FileNotFoundError as error:
            raise BodyError(f"the body {sha256} is not in {self.folder}") from error
        except OSError as error:
            raise BodyError(f"cannot read a body in {self.folder}: {error.strerror}") from error
        from tracelake.lake.zstd import decompressed

        yield from decompressed(stream)


def _stored(data: bytes) -> bytes:
    if len(data) < MIN_ZSTD_BYTES:
        return data
    from tracelake.lake.zstd import compress

    return compress(data)
