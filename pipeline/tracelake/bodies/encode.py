"""Bodies as they are stored: verbatim below 1,024 bytes, compressed from there (parser.md 4.5)."""

from __future__ import annotations

import hashlib
from typing import NamedTuple, Protocol

from tracelake.bodies.kinds import Role

CONTENT_RAW = "application/octet-stream"
CONTENT_ZSTD = "application/zstd"
MIN_ZSTD_BYTES = 1024
"""Length from which bodies are compressed."""


Data = bytes
"""The type `bytes`, where a field has that name."""


class Body(NamedTuple):
    """One body that was lifted.

    `sha256` is its key, `bytes` the length of its canonical form, `stored` what is kept, and `content_type`
    how: CONTENT_RAW or CONTENT_ZSTD. `kind` is input, result or attachment, for diagnostics.
    """

    sha256: str
    bytes: int
    media_type: str
    stored: Data
    content_type: str
    kind: Role


class BodyEncoder(Protocol):
    """Decides how bodies are stored and what their keys are; the same bytes always give the same answer."""

    def encode_body(self, raw: bytes) -> tuple[str, bytes, str]:
        """Return the key, the stored bytes and their content type for canonical bytes."""


class DefaultEncoder:
    """Keys are the SHA-256 of the canonical bytes, so that they do not depend on a compressor."""

    def encode_body(self, raw: bytes) -> tuple[str, bytes, str]:
        """Return key, stored bytes and content type."""
        key = hashlib.sha256(raw).hexdigest()
        if len(raw) < MIN_ZSTD_BYTES:
            return key, raw, CONTENT_RAW
        from tracelake.lake.zstd import compress

        return key, compress(raw), CONTENT_ZSTD

    @staticmethod
    def decode_body(stored: bytes, content_type: str) -> bytes:
        """Return the canonical bytes of what `encode_body` returned. Raises BodyError for damaged ones."""
        if content_type == CONTENT_RAW:
            return stored
        from tracelake.lake.zstd import decompress

        return decompress(stored)
