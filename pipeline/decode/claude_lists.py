"""Content lists: bare strings, the strictness rule of transcript.md section 2, and flattening to text."""

from __future__ import annotations

import msgspec

from pipeline.decode.claude import Block, Message, Source
from pipeline.decode.json_rules import str_of
from pipeline.decode.lenient import elements, lenient_decode, members

TEXT_TYPES = frozenset({"text", "output_text", "input_text"})
_STRICT_FIELDS = ("type", "text", "id", "name", "tool_use_id")


class Part(msgspec.Struct, gc=False):
    """One element of a tool result's content list."""

    type: str | None = None
    text: str | None = None
    source: Source | None = None


_decode_parts = msgspec.json.Decoder(list[Part]).decode


def repair_content(message: Message, raw: bytes) -> None:
    """Mark bare strings in a leniently decoded content and note whether a strict reader accepts the list."""
    if raw[:1] == b'"' or raw == b"null":
        return
    parts = elements(raw)
    blocks = message.content if isinstance(message.content, list) else []
    message.content = [block if part[:1] == b"{" else _bare(part) for block, part in zip(blocks, parts, strict=True)]
    message.list_valid = raw[:1] == b"[" and all(_strictly_valid(part) for part in parts)


def _bare(part: bytes) -> Block:
    return Block(text=str_of(part), bare=True) if part[:1] == b'"' else Block()


def _strictly_valid(part: bytes) -> bool:
    if part == b"null":
        return True
    if part[:1] != b"{":
        return False
    found = members(part)
    return all(found.get(key, b"null")[:1] in b'"n' for key in _STRICT_FIELDS)


def block_text(blocks: list[Block]) -> str:
    """Join bare strings and the texts of text blocks by LF; other blocks add nothing (parser.md 1.1)."""
    return "\n".join(block.text or "" for block in blocks if block.bare or block.type in TEXT_TYPES)


def result_parts(raw: bytes) -> list[Part]:
    """Return the elements of a tool result's content list; bare strings become parts of type `text`."""
    try:
        return _decode_parts(raw)
    except (msgspec.MsgspecError, RecursionError):
        return [_part(element) for element in elements(raw)]


def _part(element: bytes) -> Part:
    if element[:1] == b'"':
        return Part(type="text", text=str_of(element))
    return lenient_decode(element, Part) if element[:1] == b"{" else Part()


def flatten_result(raw: bytes) -> tuple[str, str]:
    """Return a tool result's body and its media type (parser.md 3.5); an absent content is empty text."""
    first = raw[:1]
    if first == b'"':
        return str_of(raw) or "", "text/plain"
    if first == b"[":
        return "\n".join(part.text or "" for part in result_parts(raw) if part.type in TEXT_TYPES), "text/plain"
    return raw.decode(), "application/json" if first == b"{" else "text/plain"
