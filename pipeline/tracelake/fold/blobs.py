"""Images and documents inside messages: decoded size, hash, media type and place (parser.md 4.8)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Mapping
from typing import NamedTuple

from tracelake.bodies.sentinel import read_sentinel
from tracelake.decode.content import Source
from tracelake.decode.cuts import Cut

_MAGIC = (
    ("iVBOR", "image/png"),
    ("/9j/", "image/jpeg"),
    ("R0lGOD", "image/gif"),
    ("UklGR", "image/webp"),
    ("JVBERi", "application/pdf"),
)
_DATA_URI = re.compile(r"data:([^;,]*)(?:;[^,;]*)*?;base64,")
_SNIFF_CHARS = 256


class Blob(NamedTuple):
    """One decoded blob; `text` is the encoded value as it stands in the JSON string, None if it was lifted out."""

    size: int
    sha256: str
    media_type: str
    text: str | None


def decode_blob(source: Source | None, cuts: Mapping[str, Cut]) -> Blob | None:
    """Return the blob of an image or document source, None when its data is no base64 of a known kind.

    The data itself says the media type (a data URI, or the first bytes); the declared one counts only where
    the data does not.
    """
    text = source.data if source is not None else None
    if source is None or not text:
        return None
    if text[0] == "{":
        lifted = read_sentinel(text.encode())
        return Blob(lifted.bytes, lifted.sha256, lifted.media_type, None) if lifted else None
    uri = _DATA_URI.match(text[:_SNIFF_CHARS])
    media_type = uri[1] if uri else _sniff(text) or (source.media_type if source.type == "base64" else None)
    if not media_type:
        return None
    cut = cuts.get(text) if cuts else None
    if cut is not None:
        known = cut.blob_bytes is not None and cut.blob_sha256 is not None
        return Blob(cut.blob_bytes or 0, cut.blob_sha256 or "", media_type, text) if known else None
    encoded = text[uri.end() :] if uri else text
    try:
        data = base64.b64decode(encoded.replace("\r", "").replace("\n", ""), validate=True)
    except (binascii.Error, ValueError):
        return None
    return Blob(len(data), hashlib.sha256(data).hexdigest(), media_type, text)


def _sniff(text: str) -> str | None:
    return next((media for prefix, media in _MAGIC if text.startswith(prefix)), None)
