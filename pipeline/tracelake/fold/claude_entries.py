"""Claude Code records -> rows of `entries` and `blocks`."""

from __future__ import annotations

from tracelake.decode.claude import Block, Message, Record, text_of
from tracelake.decode.claude_lists import block_text
from tracelake.decode.claude_types import (
    AttachmentHead,
    attachment_head,
    class_of,
    progress_type,
    shows_payload_raw,
    user_kind_of,
)
from tracelake.decode.content import content_parts, parts_text
from tracelake.decode.json_rules import str_of, timestamp_us
from tracelake.decode.parse import NO_CUTS, Decoded
from tracelake.decode.usage_signs import carries_usage
from tracelake.fold.bodies import text_bytes
from tracelake.fold.claude_usage import cost_of
from tracelake.sources.lines import Line
from tracelake.tables.rows import BlockRow, EntryRow

NO_MESSAGE = Message()
NO_BLOCKS: list[Block] = []


def blocks_of(message: Message) -> list[Block]:
    """Return a message's content blocks; none when its content is a string or absent."""
    return message.content if isinstance(message.content, list) else NO_BLOCKS


def assistant_text(message: Message) -> str | None:
    """Return string content as it is, else the non-empty texts of text blocks joined by LF (T-1)."""
    if isinstance(message.content, str):
        return message.content or None
    return "\n".join(block.text for block in blocks_of(message) if block.type == "text" and block.text) or None


def user_text(message: Message) -> str:
    """Return the text of a user line: its string content, else its text blocks joined by LF."""
    return message.content if isinstance(message.content, str) else block_text(blocks_of(message))


class FirstUser:
    """Says of the lines of one file, in order, which is the prompt that a sub-agent was started with."""

    def __init__(self, is_agent_file: bool) -> None:
        """Start before the first line; `is_agent_file` says that the file is a sub-agent's by name or place."""
        self._may_open = is_agent_file

    def copy(self) -> FirstUser:
        """Return one that goes on from the same place."""
        return FirstUser(self._may_open)

    def opens(self, record: Record) -> bool:
        """Return whether a line's (first) record is the first user line of a sub-agent's file (parser.md 8.1)."""
        first = record.type == "user" and self._may_open
        self._may_open = self._may_open and not first
        return first


def undecoded_entry(line: Line, decoded: Decoded) -> EntryRow:
    """Return the row of a line that yielded no record."""
    return EntryRow(
        line_no=line.line_no,
        byte_offset=line.byte_offset,
        byte_len=line.byte_len,
        status=decoded.status,
        error=decoded.error,
        record_count=decoded.record_count,
    )


def entry_row(line: Line, decoded: Decoded, record: Record, timestamp: int | None, opens_agent_file: bool) -> EntryRow:
    """Return the row of a line from its (first) record."""
    kind = record.type
    message = record.message or NO_MESSAGE
    text = user_kind = None
    if kind == "assistant":
        text = assistant_text(message)
    elif kind == "user":
        text = user_text(message)
        user_kind = user_kind_of(record, blocks_of(message), text, opens_agent_file)
    row = EntryRow(status=decoded.status)
    row.line_no = line.line_no
    row.byte_offset = line.byte_offset
    row.byte_len = line.byte_len
    row.error = decoded.error
    row.record_count = decoded.record_count
    row.class_ = class_of(record)
    row.type = kind
    row.subtype = record.subtype
    row.user_kind = user_kind
    row.uuid = record.uuid or None
    row.parent_uuid = record.parent_uuid
    row.logical_parent_uuid = record.logical_parent_uuid
    row.timestamp = timestamp
    row.timestamp_text = record.timestamp
    row.is_sidechain = bool(record.is_sidechain)
    row.is_meta = bool(record.is_meta)
    row.is_compact_summary = bool(record.is_compact_summary)
    row.is_visible_in_transcript_only = bool(record.is_visible_in_transcript_only)
    row.record_session_id = record.session_id or record.stream_session_id
    row.agent_id = record.agent_id
    row.request_id = record.request_id
    row.message_id = message.id
    row.role = message.role
    row.model = message.model
    row.stop_reason = message.stop_reason
    row.prompt_id = record.prompt_id
    row.prompt_source = record.prompt_source
    row.origin = text_of(record.origin)
    row.tool_denial_kind = record.tool_denial_kind
    row.cwd = record.cwd
    row.git_branch = record.git_branch
    row.version = record.version
    row.text = text or None
    if kind == "user":
        row.permission_mode = record.permission_mode
    elif kind == "progress":
        row.subtype = record.subtype or progress_type(record)
        row.tool_use_id = record.tool_use_id
        row.parent_tool_use_id = record.parent_tool_use_id
    elif kind != "assistant":
        _fill_others(row, record, decoded)
    return row


def _fill_others(row: EntryRow, record: Record, decoded: Decoded) -> None:
    """Fill the payload columns of lines that are neither messages nor progress."""
    if record.type == "system" and record.subtype == "stop_hook_summary":
        row.stop_hook_refused = bool(record.hook_errors)
        row.stop_hook_reasons = [reason or "" for reason in record.hook_errors or []]
    if record.type == "attachment":
        row.attachment_payload = text_of(record.attachment)
        head = attachment_head(record)
        row.attachment_type = head.type if head else None
        if head is not None and head.type == "queued_command":
            _fill_queued(row, head)
    row.tool_use_id = record.tool_use_id
    content = bytes(record.content)
    row.content = str_of(content) if content else None
    row.mode = record.mode
    row.permission_mode = record.permission_mode
    row.ai_title = record.ai_title
    row.custom_title = record.custom_title
    row.agent_name = record.agent_name
    row.leaf_uuid = record.leaf_uuid
    row.last_prompt = record.last_prompt
    row.bridge_session_id = record.bridge_session_id
    row.last_sequence_num = record.last_sequence_num
    row.operation = record.operation
    row.summary = record.summary
    row.pr_number = record.pr_number
    row.pr_url = record.pr_url
    row.pr_repository = record.pr_repository
    if record.type in ("cost-state", "result"):
        row.reported_total_cost_usd = cost_of(bytes(record.running_cost_usd) or bytes(record.total_cost_usd))
        row.reported_has_unknown_model = record.has_unknown_model_cost
        row.reported_model_usage = text_of(record.model_usage)
    if shows_payload_raw(record):
        row.value = decoded.values[0].decode(errors="replace")
    if row.class_ == "unknown":
        row.carries_usage = carries_usage(decoded.values[0])


def _fill_queued(row: EntryRow, head: AttachmentHead) -> None:
    """Fill the typed columns of a queued command (parser.md 8.3)."""
    prompt = bytes(head.prompt)
    row.queued_prompt = parts_text(content_parts(prompt)) if prompt[:1] in (b'"', b"[") else None
    row.command_mode = str_of(bytes(head.command_mode) or b"null")
    row.queued_origin = text_of(head.origin)
    row.queued_at = timestamp_us(str_of(bytes(head.timestamp) or b"null"))


def block_rows(line_no: int, record_no: int, record: Record, timestamp: int | None) -> list[BlockRow]:
    """Return one row per element of the record's content list."""
    message = record.message
    if message is None or not isinstance(message.content, list):
        return []
    is_sidechain = bool(record.is_sidechain)
    rows = []
    for index, block in enumerate(message.content):
        row = BlockRow()
        row.line_no = line_no
        row.record_no = record_no
        row.block_index = index
        row.role = record.type
        row.type = block.type
        row.text = block.thinking if block.type == "thinking" else block.text
        row.tool_use_id = block.tool_use_id if block.type == "tool_result" else block.id
        row.tool_name = block.name
        row.is_error = block.is_error
        row.signature_bytes = None if block.signature is None else text_bytes(block.signature, NO_CUTS)
        row.data_bytes = None if block.data is None else text_bytes(block.data, NO_CUTS)
        row.list_valid = message.list_valid
        row.is_sidechain = is_sidechain
        row.occurred_at = timestamp
        rows.append(row)
    return rows
