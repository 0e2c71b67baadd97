"""Images and documents inside messages: decoded size, hash, media type and place (parser.md 4.8)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import NamedTuple

from tracelake.bodies.sentinel import read_sentinel
from tracelake.decode.base64_text import HEAD_BYTES, decoded, media_type_of
from tracelake.decode.content import Source
from tracelake.decode.cuts import Cut
from tracelake.errors import BodyError

_PDF = "JVBERi"
"""How the base64 text of a document begins; bodies are pictures only."""


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
    cut = cuts.get(text) if cuts else None
    if cut is not None:
        shown = media_type_of(text[:HEAD_BYTES].encode())
        size, sha256 = cut.blob_bytes, cut.blob_sha256
    else:
        try:
            data, shown = decoded(text.encode())
        except BodyError:
            return None
        size, sha256 = len(data), hashlib.sha256(data).hexdigest()
    media_type = shown or _declared(source, text)
    return Blob(size, sha256, media_type, text) if media_type and size is not None and sha256 else None


def _declared(source: Source, text: str) -> str | None:
    """Return the media type of a text that does not show it."""
    if text.startswith(_PDF):
        return "application/pdf"
    return source.media_type if source.type == "base64" else None
