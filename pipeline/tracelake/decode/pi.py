"""The records of a pi session as typed Structs; OpenClaw writes the same format.

The first line is a header; the others are entries of a tree by `id` and `parentId` (absent before version 2).
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET, Raw, UnsetType

from tracelake.decode.lenient import elements, lenient_decode
from tracelake.decode.parse import REFUSALS, Form
from tracelake.decode.raws import NO_RAW, Int64


class Block(msgspec.Struct, rename="camel", gc=False):
    """One element of a message's content list."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    thinking_signature: str | None = None
    id: str | None = None
    name: str | None = None
    arguments: Raw = NO_RAW
    data: str | None = None
    mime_type: str | None = None


class Cost(msgspec.Struct, gc=False):
    """What pi itself worked out that a response costs, in USD."""

    total: Raw = NO_RAW


class Usage(msgspec.Struct, rename="camel", gc=False):
    """Token counts of one response; input, cacheRead and cacheWrite are disjoint, output includes reasoning."""

    input: Int64 | None = None
    output: Int64 | None = None
    cache_read: Int64 | None = None
    cache_write: Int64 | None = None
    cache_write_1h: Int64 | None = msgspec.field(default=None, name="cacheWrite1h")
    reasoning: Int64 | None = None
    cost: Cost | None = None


class Message(msgspec.Struct, rename="camel", gc=False):
    """One message of any role."""

    role: str | None = None
    content: Raw = NO_RAW
    model: str | None = None
    usage: Usage | None | UnsetType = UNSET
    stop_reason: str | None = None
    error_message: str | None = None
    response_id: str | None = None
    tool_call_id: str | None = None
    tool_name: str | None = None
    is_error: bool | None = None
    command: str | None = None
    output: str | None = None
    summary: str | None = None


class Record(msgspec.Struct, rename="camel", gc=False):
    """One entry, or the header."""

    type: str | None = None
    id: str | None = None
    parent_id: str | None = None
    timestamp: str | None = None
    message: Message | None = None
    cwd: str | None = None
    version: Raw = NO_RAW
    branched_from: str | None = None
    parent_session: str | None = None
    provider: str | None = None
    model_id: str | None = None
    thinking_level: str | None = None
    summary: str | None = None
    tokens_before: Raw = NO_RAW
    first_kept_entry_id: str | None = None
    first_kept_entry_index: Raw = NO_RAW
    from_hook: Raw = NO_RAW
    from_id: str | None = None
    content: Raw = NO_RAW
    name: str | None = None


FORM = Form(Record, {"type": "string", "id": "string", "parentId": "string", "timestamp": "string"})
"""How pi spells its records."""

_decode_blocks = msgspec.json.Decoder(list[Block]).decode


def blocks_of(content: Raw) -> list[Block]:
    """Return the elements of a content list; a string is one text block, anything else none."""
    raw = bytes(content)
    if raw[:1] == b'"':
        return [_text_block(raw)]
    if raw[:1] != b"[":
        return []
    try:
        return _decode_blocks(raw)
    except REFUSALS:
        return [_block(element) for element in elements(raw)]


def _block(element: bytes) -> Block:
    if element[:1] == b'"':
        return _text_block(element)
    return lenient_decode(element, Block) if element[:1] == b"{" else Block()


def _text_block(raw: bytes) -> Block:
    return Block(type="text", text=msgspec.json.decode(raw, type=str))


CONTROL_TYPES = frozenset({"session", "session_info", "model_change", "thinking_level_change"})
SYSTEM_TYPES = frozenset({"compaction", "branch_summary"})
OTHER_TYPES: dict[str, str] = {
    "label": "bookmark on an entry",
    "custom": "state of an extension",
    "leaf": "which branch is shown",
    "unknown_future_entry_type": "what test data call an entry of a type to come; it says nothing",
} | dict.fromkeys(
    (
        "agent/inbox/spliced", "assistant/chunk", "assistant/message", "reasoning-chunks", "request/context",
        "request/header", "session/title", "step/end", "step/start", "tool-call-chunks", "tool/call", "tool/result",
        "turn/end", "turn/start", "user/message",
    ),
    "event of another client whose log begins like pi's",
)  # fmt: skip
"""Known entries that no table but `raw_lines` reads, with the reason."""

_ROLES = frozenset({"user", "assistant", "toolResult", "bashExecution", "custom", "branchSummary", "compactionSummary"})
_USER_KINDS = {
    "user": "prompt",
    "toolResult": "tool_result",
    "bashExecution": "command",
    "custom": "meta",
    "branchSummary": "meta",
    "compactionSummary": "compact_summary",
}


def class_of(record: Record) -> str:
    """Return message, system, control, other or unknown (parser.md 8.1)."""
    kind = record.type or ""
    if kind == "custom_message" or (kind == "message" and record.message and record.message.role in _ROLES):
        return "message"
    if kind in SYSTEM_TYPES:
        return "system"
    if kind in CONTROL_TYPES:
        return "control"
    return "other" if kind in OTHER_TYPES else "unknown"


def user_kind_of(record: Record) -> str | None:
    """Return what an entry on the user's side is; None for other entries (parser.md 8.1)."""
    if record.type == "custom_message":
        return "meta"
    role = record.message.role if record.type == "message" and record.message else None
    return _USER_KINDS.get(role or "")
