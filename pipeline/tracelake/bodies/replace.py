"""Aside files and the replacement of a transcript: the old one whole, then the new one whole."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from tracelake.bodies.reading import Transcript
from tracelake.lake.durable import flush_all, move, writing


class Aside:
    """A private file that is written beside its place, and gone at the end unless it was moved there.

    `size` and `sha256` are those of what was written so far.
    """

    def __init__(self, folder: Path) -> None:
        """Make an empty file in `folder`. Raises LakeWriteError."""
        self._folder = folder
        with writing(folder):
            descriptor, name = tempfile.mkstemp(dir=folder, prefix=".tracelake-")
        self.path = Path(name)
        self._stream: BinaryIO = os.fdopen(descriptor, "wb", buffering=1 << 18)
        self._digest = hashlib.sha256()
        self.size = 0

    def __enter__(self) -> Aside:
        """Return the file itself."""
        return self

    def __exit__(self, *_: Any) -> None:
        """Remove the file if it is still aside."""
        with suppress(OSError):
            self._stream.close()
        with suppress(OSError):
            self.path.unlink(missing_ok=True)

    @property
    def sha256(self) -> str:
        """SHA-256 of what was written so far."""
        return self._digest.hexdigest()

    def write(self, piece: bytes) -> None:
        """Append bytes. Raises LakeWriteError."""
        with writing(self.path):
            self._stream.write(piece)
        self._digest.update(piece)
        self.size += len(piece)

    def close(self) -> None:
        """End writing; the file can be read now. Raises LakeWriteError."""
        with writing(self.path):
            self._stream.close()

    def move_to(self, target: Path) -> None:
        """Put the file on the disk and in its place. Raises LakeWriteError."""
        self.close()
        with writing(target):
            flush_all(self._folder, [self.path])
            move(self.path, target)
            flush_all(target.parent, [target.parent])


def replace_transcript(transcript: Transcript, new: Aside) -> None:
    """Put `new` in the place of a transcript, with its mode, owner and times.

    Raises BodyError when the transcript was changed since it was opened, and LakeWriteError.
    """
    new.close()
    with writing(new.path):
        shutil.copystat(transcript.path, new.path)
        if new.path.stat().st_uid != transcript.status.st_uid:
            with suppress(PermissionError):
                os.chown(new.path, transcript.status.st_uid, transcript.status.st_gid)
    transcript.check_unchanged()
    new.move_to(transcript.path)
