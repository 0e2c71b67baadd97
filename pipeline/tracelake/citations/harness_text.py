"""Texts that an agent program wrote itself: injected messages and transcripts (C-4, C-12)."""

from __future__ import annotations

import msgspec

from tracelake.citations.normal import unnumber
from tracelake.decode.split import GO_SPACE

INJECTED_PREFIXES = (
    "<task-notification>",
    "[SYSTEM NOTIFICATION - NOT USER INPUT]",
    "<system-reminder>",
    "<local-command",
    "<command-name>",
    "<command-message>",
    "<command-args>",
)
RECORD_TYPES = frozenset({b'"user"', b'"assistant"', b'"attachment"', b'"system"'})
_decode_object = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def is_injected(text: str) -> bool:
    """Return whether the program, not a person, put a text before the model (C-4)."""
    return text.lstrip(GO_SPACE).startswith(INJECTED_PREFIXES)


def looks_like_transcript(body: str) -> bool:
    """Return whether some line of a body is a record of an agent program (C-12)."""
    if '"sessionId"' not in body:
        return False
    return any(is_record_line(line.encode(errors="replace")) for line in unnumber(body).split("\n"))


def is_record_line(line: bytes) -> bool:
    """Return whether a line, from its first brace on, is one record of an agent program (C-12)."""
    start = line.find(b"{")
    if start < 0 or b'"sessionId"' not in line:
        return False
    try:
        found = _decode_object(line[start:])
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return False
    if not all(key in found and bytes(found[key]).strip() != b'""' for key in ("uuid", "sessionId")):
        return False
    spelled = "parentUuid" in found and ("version" in found or "userType" in found)
    return spelled and bytes(found.get("type", b"")).strip() in RECORD_TYPES
