"""Opening files that others own and may swap at any moment."""

from __future__ import annotations

import os
import stat
from typing import BinaryIO


def open_regular(os_path: str) -> BinaryIO:
    """Return an unbuffered reader of a regular file.

    A symbolic link is not followed and nothing else (pipe, device, folder) is read, even when the file was
    swapped after it was listed. Raises OSError.
    """
    # Without O_NONBLOCK, opening a pipe that took the file's place would wait for a writer for ever.
    descriptor = os.open(os_path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(0, "not a regular file")
    return os.fdopen(descriptor, "rb", buffering=0)


def read_up_to(stream: BinaryIO, limit: int) -> bytes:
    """Return at most `limit` bytes, fewer only at the end of the file. Raises OSError."""
    parts: list[bytes] = []
    missing = limit
    while missing > 0 and (part := stream.read(missing)):
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)
