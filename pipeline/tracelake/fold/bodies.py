"""Sizes and hashes of bodies, also of those that were shortened on an oversize line."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from tracelake.decode.cuts import Cut


def measure(text: str, cuts: Mapping[str, Cut]) -> tuple[int, str]:
    """Return the UTF-8 length and SHA-256 (hex) of a text, the true ones if it was shortened."""
    cut = cuts.get(text) if cuts else None
    if cut is not None:
        return cut.text_bytes, cut.text_sha256
    data = text.encode()
    return len(data), hashlib.sha256(data).hexdigest()


def text_bytes(text: str | None, cuts: Mapping[str, Cut]) -> int:
    """Return the UTF-8 length of a text, the true one if it was shortened; 0 for none."""
    if not text:
        return 0
    cut = cuts.get(text) if cuts else None
    if cut is not None:
        return cut.text_bytes
    return len(text) if text.isascii() else len(text.encode())


def measure_joined(joined: str, parts: Iterable[str | None], cuts: Mapping[str, Cut]) -> tuple[int, str | None]:
    """Return length and hash of parts joined by LF; the hash is None where a shortened part is among others."""
    size, sha = measure(joined, cuts)
    if not cuts or joined in cuts:
        return size, sha
    found = [(part, cuts[part]) for part in parts if part and part in cuts]
    missing = sum(cut.text_bytes - len(part.encode()) for part, cut in found)
    return size + missing, None if missing else sha


def measure_source(data: bytes, cuts: Mapping[str, Cut]) -> tuple[int, str | None]:
    """Return length and hash of JSON source text; the hash is None where a string inside was shortened."""
    removed = sum(cut.removed for number, cut in enumerate(cuts.values(), 1) if b' [cut %d]"' % number in data)
    return len(data) + removed, None if removed else hashlib.sha256(data).hexdigest()
