"""Codex records -> rows of `entries` and `blocks` (parser.md 8.1; transcript.md 9)."""

from __future__ import annotations

from tracelake.decode.codex import Payload, Record, subagent_of
from tracelake.decode.codex_types import CALL_TYPES, OUTPUT_TYPES, class_of, user_kind_of
from tracelake.decode.content import content_parts, parts_text
from tracelake.decode.json_rules import str_of
from tracelake.decode.usage_signs import carries_usage
from tracelake.fold.place import Place
from tracelake.tables.rows import BlockRow, EntryRow


class Chain:
    """The ids of a rollout's items: a plain sequence, so the parent of each is the one before it."""

    def __init__(self) -> None:
        """Start before the first item."""
        self._last: str | None = None
        self._began = False

    def link(self, line_type: str, payload: Payload) -> tuple[str | None, str | None]:
        """Return uuid and parent of a record; the first header has its thread's id and no parent, others neither."""
        if line_type == "session_meta":
            uuid = None if self._began else payload.id
        else:
            uuid = payload.id if line_type == "response_item" else None
        if not uuid:
            return None, None
        parent, self._last, self._began = self._last, uuid, True
        return uuid, parent


def entry_row(
    place: Place, record: Record, line_type: str, payload: Payload, is_sidechain: bool, opens: bool
) -> EntryRow:
    """Return the row of a line; `opens` says that no user item came before it in a sub-agent's file."""
    line, decoded = place.line, place.decoded
    row = EntryRow(
        line_no=line.line_no,
        byte_offset=line.byte_offset,
        byte_len=line.byte_len,
        status=decoded.status,
        error=decoded.error,
        record_count=decoded.record_count,
        type=record.type,
        subtype=payload.type if record.payload is not None else None,
        timestamp=place.at,
        timestamp_text=record.timestamp,
        is_sidechain=is_sidechain,
        is_meta=False,
        is_compact_summary=line_type == "compacted",
        is_visible_in_transcript_only=False,
        role=payload.role,
        model=payload.model or (payload.info.model if payload.info else None),
        prompt_id=_turn_id(payload),
        cwd=payload.cwd if line_type in ("session_meta", "turn_context") else None,
    )
    row.class_ = class_of(line_type, payload)
    if line_type == "response_item":
        _fill_item(row, payload, opens)
    elif line_type == "session_meta":
        _fill_header(row, payload)
    else:
        _fill_others(row, line_type, payload)
    if row.class_ == "unknown":
        row.value = decoded.values[place.record_no].decode(errors="replace")
        row.carries_usage = carries_usage(decoded.values[place.record_no])
    return row


def _turn_id(payload: Payload) -> str | None:
    carried = payload.internal_chat_message_metadata_passthrough
    return payload.turn_id or (carried.turn_id if carried else None)


def _fill_item(row: EntryRow, payload: Payload, opens: bool) -> None:
    text = item_text(payload)
    row.user_kind = user_kind_of(payload, text, opens)
    row.is_meta = row.user_kind in ("meta", "interrupt") or payload.role in ("developer", "system")
    row.message_id = payload.id if payload.role else None
    if payload.type in (None, "message", "agent_message"):
        row.text = text or None


def _fill_header(row: EntryRow, payload: Payload) -> None:
    row.record_session_id = payload.id
    row.logical_parent_uuid = payload.forked_from_id
    row.git_branch = payload.git.branch if payload.git else None
    row.version = payload.cli_version
    spawn = subagent_of(payload)
    if spawn is not None:
        row.agent_id = payload.id
        row.agent_name = spawn.agent_nickname


def _fill_others(row: EntryRow, line_type: str, payload: Payload) -> None:
    message = bytes(payload.message)
    text = str_of(message) if message[:1] == b'"' else None
    row.content = text if text is not None else payload.text
    row.custom_title = payload.thread_name if payload.type == "thread_name_updated" else None
    if line_type == "turn_context":
        row.permission_mode = payload.sandbox_policy.type if payload.sandbox_policy else None
        row.mode = payload.collaboration_mode.mode if payload.collaboration_mode else None


def item_text(payload: Payload) -> str:
    """Return the text of an item's content, its parts joined by LF."""
    return parts_text(content_parts(bytes(payload.content)))


def block_rows(place: Place, payload: Payload, is_sidechain: bool) -> list[BlockRow]:
    """Return one row per part of a message, or the one row of any other item."""
    kind = payload.type
    role = payload.role or ("user" if kind in OUTPUT_TYPES or kind == "agent_message" else "assistant")
    if kind in (None, "message", "agent_message"):
        parts = content_parts(bytes(payload.content))
        return [_block(place, index, role, part.type, part.text, is_sidechain) for index, part in enumerate(parts)]
    text = "\n".join(reasoning_texts(payload)) or None if kind == "reasoning" else None
    row = _block(place, 0, role, kind, text, is_sidechain)
    if kind in CALL_TYPES or kind in OUTPUT_TYPES:
        row.tool_use_id = payload.call_id or payload.id
        row.tool_name = payload.name
    if payload.encrypted_content is not None:
        row.data_bytes = len(payload.encrypted_content.encode())
    return [row]


def _block(place: Place, index: int, role: str, kind: str | None, text: str | None, is_sidechain: bool) -> BlockRow:
    return BlockRow(
        line_no=place.line.line_no,
        record_no=place.record_no,
        block_index=index,
        role=role,
        type=kind,
        text=text,
        list_valid=True,
        is_sidechain=is_sidechain,
        occurred_at=place.at,
    )


def reasoning_texts(payload: Payload) -> list[str]:
    """Return the kept texts of a reasoning item: that of its content, then those of its summary (parser.md 2)."""
    summary = [part.text for part in content_parts(bytes(payload.summary)) if part.text]
    return [text for text in (item_text(payload), *summary) if text]
