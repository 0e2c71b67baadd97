"""pi records -> rows of `entries` and `blocks` (parser.md 8.1)."""

from __future__ import annotations

import re

from tracelake.decode.json_rules import str_of
from tracelake.decode.pi import Block, Message, Record, class_of, user_kind_of
from tracelake.decode.raws import present
from tracelake.decode.usage_signs import carries_usage
from tracelake.fold.place import Place
from tracelake.tables.rows import BlockRow, EntryRow

NO_MESSAGE = Message()
_SESSION_FILE = re.compile(r"_([0-9a-fA-F-]{8,})\.jsonl$")


def entry_row(place: Place, record: Record, blocks: list[Block]) -> EntryRow:
    """Return the row of a line; `blocks` are those of its message."""
    line, decoded = place.line, place.decoded
    message = record.message or NO_MESSAGE
    row = EntryRow(
        line_no=line.line_no,
        byte_offset=line.byte_offset,
        byte_len=line.byte_len,
        status=decoded.status,
        error=decoded.error,
        record_count=decoded.record_count,
        type=record.type,
        user_kind=user_kind_of(record),
        uuid=record.id or None,
        parent_uuid=record.parent_id or None,
        timestamp=place.at,
        timestamp_text=record.timestamp,
        is_sidechain=False,
        is_meta=False,
        is_compact_summary=record.type == "compaction",
        is_visible_in_transcript_only=False,
        message_id=message.response_id or None,
        role=message.role,
        model=message.model or record.model_id,
        stop_reason=message.stop_reason,
        cwd=record.cwd,
        text=_text(record, message, blocks),
        content=record.summary or message.summary,
        custom_title=record.name if record.type == "session_info" else None,
    )
    row.class_ = class_of(record)
    row.is_meta = row.user_kind == "meta"
    row.is_compact_summary = row.is_compact_summary or row.user_kind == "compact_summary"
    if record.type == "session":
        row.record_session_id = record.id
        row.logical_parent_uuid = origin_of(record)
        row.version = str_of(bytes(record.version)) if present(record.version) else None
    elif present(record.content):
        row.content = str_of(bytes(record.content))
    if row.class_ == "unknown":
        row.value = decoded.values[place.record_no].decode(errors="replace")
        row.carries_usage = carries_usage(decoded.values[place.record_no])
    return row


def origin_of(record: Record) -> str | None:
    """Return the id of the session that a header branched from, else the path it gives for it."""
    path = record.parent_session or record.branched_from
    found = _SESSION_FILE.search(path) if path else None
    return found[1] if found else path or None


def _text(record: Record, message: Message, blocks: list[Block]) -> str | None:
    if message.role == "bashExecution":
        return message.command
    if record.type == "custom_message" or message.role == "toolResult":
        return None
    return "\n".join(block.text for block in blocks if block.type == "text" and block.text) or None


def block_rows(place: Place, message: Message, blocks: list[Block]) -> list[BlockRow]:
    """Return one row per element of the message's content."""
    is_result = message.role == "toolResult"
    return [
        BlockRow(
            line_no=place.line.line_no,
            record_no=place.record_no,
            block_index=index,
            role="assistant" if message.role == "assistant" else "user",
            type=block.type,
            text=None if is_result else block.thinking if block.type == "thinking" else block.text,
            tool_use_id=message.tool_call_id if is_result else block.id,
            tool_name=block.name,
            is_error=message.is_error if is_result else None,
            signature_bytes=len(block.thinking_signature.encode()) if block.thinking_signature is not None else None,
            list_valid=True,
            is_sidechain=False,
            occurred_at=place.at,
        )
        for index, block in enumerate(blocks)
    ]
