"""Claude Code's content lists: bare strings and the strictness rule of transcript.md section 2."""

from __future__ import annotations

from tracelake.decode.claude import BareText, Block, InvalidList, Message
from tracelake.decode.content import TEXT_TYPES
from tracelake.decode.content import flatten_result as flatten_result
from tracelake.decode.content import result_parts as result_parts
from tracelake.decode.json_rules import str_of
from tracelake.decode.lenient import elements, members

_STRICT_FIELDS = ("type", "text", "id", "name", "tool_use_id")


def repair_content(message: Message, raw: bytes) -> None:
    """Mark bare strings in a leniently decoded content and note whether a strict reader accepts the list."""
    if raw[:1] == b'"' or raw == b"null":
        return
    parts = elements(raw)
    blocks = message.content if isinstance(message.content, list) else []
    repaired = [block if part[:1] == b"{" else _bare(part) for block, part in zip(blocks, parts, strict=True)]
    is_valid = raw[:1] == b"[" and all(_strictly_valid(part) for part in parts)
    message.content = repaired if is_valid else InvalidList(repaired)


def _bare(part: bytes) -> Block:
    return BareText(text=str_of(part)) if part[:1] == b'"' else Block()


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
