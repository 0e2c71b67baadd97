"""Zstandard, streamed: one frame at the default level; the output does not depend on how the input is cut."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from tracelake.errors import BodyError

_PIECE_BYTES = 64 * 1024


class _KeptOpen(io.BytesIO):
    """Arrow closes what it writes to; the bytes are kept."""

    def close(self) -> None:
        """Do nothing."""


@contextmanager
def compressing(stream: BinaryIO) -> Iterator[Any]:
    """Give a writer whose `write(bytes)` puts compressed bytes into `stream`, which is closed at the end."""
    import pyarrow as pa

    with pa.CompressedOutputStream(pa.PythonFile(stream, "w"), "zstd") as writer:
        yield writer


def decompressed(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the decompressed bytes of `stream`, which is closed at the end. Raises BodyError for damaged ones."""
    import pyarrow as pa

    try:
        with pa.CompressedInputStream(pa.PythonFile(stream, "r"), "zstd") as reader:
            while piece := reader.read(_PIECE_BYTES):
                yield piece
    except OSError as error:
        raise BodyError(f"damaged Zstandard data: {error}") from error


def compress(data: bytes) -> bytes:
    """Return the same for bytes in memory."""
    out = _KeptOpen()
    with compressing(out) as writer:
        for start in range(0, len(data), _PIECE_BYTES):
            writer.write(data[start : start + _PIECE_BYTES])
    return out.getvalue()


def decompress(data: bytes) -> bytes:
    """Return the decompressed bytes. Raises BodyError for damaged ones."""
    return b"".join(decompressed(io.BytesIO(data)))
