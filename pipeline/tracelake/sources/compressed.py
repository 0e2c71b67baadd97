"""Transcripts that are stored compressed: read as the stream of bytes they were made from.

Line numbers and byte offsets are those of that stream; path, size and fingerprint are the file's own.
"""

from __future__ import annotations

import io
from typing import Any, BinaryIO, cast

from tracelake.sources.opening import open_regular

ENDING = ".zst"
_STEP_BYTES = 1 << 16
"""Largest read from the decompressor: what a damaged end makes unreadable is at most this much."""


def plain_name(path: str) -> str:
    """Return a path without the ending that says it is compressed."""
    return path.removesuffix(ENDING)


def open_transcript(os_path: str) -> BinaryIO:
    """Return a reader of a regular file's content, decompressed if its name ends `.zst`. Raises OSError.

    A stream that is damaged or cut off raises OSError when the reader comes to that place.
    """
    raw = open_regular(os_path)
    return cast(BinaryIO, ZstdStream(raw)) if os_path.endswith(ENDING) else raw


class ZstdStream(io.RawIOBase):
    """Decompresses zstd frames, one after the other, in bounded memory."""

    def __init__(self, raw: BinaryIO) -> None:
        """Read from `raw`, which is closed with this stream."""
        import pyarrow as pa

        self._raw = raw
        self._stream: Any = pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), "zstd")

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill part of `buffer`; return 0 at the end. Raises OSError."""
        try:
            data = self._stream.read(min(len(buffer), _STEP_BYTES))
        except ValueError as error:
            raise OSError(0, str(error)) from error
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Close the file too."""
        if not self.closed:
            self._raw.close()
        super().close()
