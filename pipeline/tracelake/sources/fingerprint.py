"""A cheap identity of a file's content, asked when its stat changed but its size did not."""

from __future__ import annotations

import hashlib
import os
from typing import BinaryIO

from tracelake.sources.opening import open_regular, read_up_to

HEAD_BYTES = 256
TAIL_BYTES = 4096


def fingerprint(os_path: str, size: int) -> str:
    """Return the hex SHA-256 over the first 256 and the last 4,096 of the file's first `size` bytes (B-4).

    Shorter files are covered by both parts, which then overlap. Raises OSError.
    """
    with open_regular(os_path) as stream:
        return stream_fingerprint(stream, size)


def stream_fingerprint(stream: BinaryIO, size: int) -> str:
    """Return the same of an open file; its position moves. Raises OSError."""
    digest = hashlib.sha256()
    stream.seek(0, os.SEEK_SET)
    digest.update(read_up_to(stream, min(size, HEAD_BYTES)))
    stream.seek(max(size - TAIL_BYTES, 0), os.SEEK_SET)
    digest.update(read_up_to(stream, min(size, TAIL_BYTES)))
    return digest.hexdigest()
