"""Content that all agents write alike: lists of parts, flattened to text (parser.md 1.1, 3.5)."""

from __future__ import annotations

import msgspec

from tracelake.decode.json_rules import str_of
from tracelake.decode.lenient import elements, lenient_decode

TEXT_TYPES = frozenset({"text", "output_text", "input_text"})


class Source(msgspec.Struct, gc=False):
    """Where the bytes of an image or document block are."""

    type: str | None = None
    media_type: str | None = None
    data: str | None = None


class Part(msgspec.Struct, gc=False):
    """One element of a content list, as far as its kind and its text or image go."""

    type: str | None = None
    text: str | None = None
    source: Source | None = None
    image_url: str | None = None
    data: str | None = None
    mime_type: str | None = msgspec.field(default=None, name="mimeType")


_decode_parts = msgspec.json.Decoder(list[Part]).decode


def result_parts(raw: bytes) -> list[Part]:
    """Return the elements of a content list; bare strings become parts of type `text`."""
    try:
        return _decode_parts(raw)
    except (msgspec.MsgspecError, RecursionError):
        return [_part(element) for element in elements(raw)]


def _part(element: bytes) -> Part:
    if element[:1] == b'"':
        return Part(type="text", text=str_of(element))
    return lenient_decode(element, Part) if element[:1] == b"{" else Part()


def content_parts(raw: bytes) -> list[Part]:
    """Return the parts of a content: those of a list, a string as its only part, none of any other value."""
    if raw[:1] == b'"':
        return [Part(type="text", text=str_of(raw))]
    return result_parts(raw) if raw[:1] == b"[" else []


def parts_text(parts: list[Part]) -> str:
    """Join the texts of text parts by LF; other parts add nothing (parser.md 1.1)."""
    return "\n".join(part.text or "" for part in parts if part.type in TEXT_TYPES)


def flatten_result(raw: bytes) -> tuple[str, str]:
    """Return a tool result's body and its media type (parser.md 3.5); an absent content is empty text."""
    first = raw[:1]
    if first == b'"':
        return str_of(raw) or "", "text/plain"
    if first == b"[":
        return parts_text(result_parts(raw)), "text/plain"
    return raw.decode(), "application/json" if first == b"{" else "text/plain"
