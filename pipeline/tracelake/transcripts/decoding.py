"""Physical lines -> typed lines, in file order."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from msgspec import UNSET, Raw

from tracelake.decode import claude
from tracelake.decode.claude import FORM, Record
from tracelake.decode.json_rules import timestamp_us
from tracelake.decode.lenient import members
from tracelake.decode.oversize import decode_oversize
from tracelake.decode.parse import Decoded, decode_line
from tracelake.fold.claude_entries import FirstUser, entry_row
from tracelake.fold.claude_usage import split_writes
from tracelake.sources import lines as physical
from tracelake.tables.rows import EntryRow
from tracelake.transcripts.model import Attachment, Control, Line, Message, Usage, utc

_CONTROL = tuple(name for name in Control.__struct_fields__ if name != "value")


class LineDecoder:
    """Decodes the lines of one file in order; `keep_raw` says whether lines keep their bytes."""

    def __init__(self, is_agent_file: bool, keep_raw: bool) -> None:
        """Start before the first line; `is_agent_file` says that the file is a sub-agent's."""
        self._first_user = FirstUser(is_agent_file)
        self._keep_raw = keep_raw

    def copy(self) -> LineDecoder:
        """Return a decoder that goes on from the same place, so that this one is left as it is."""
        made = LineDecoder(False, self._keep_raw)
        made._first_user = self._first_user.copy()
        return made

    def decode(self, line: physical.Line, pieces: Iterable[bytes]) -> Line:
        """Return the typed line; `pieces` is the content of a line that is too long to have `data`. Never raises."""
        decoded = decode_oversize(pieces, FORM) if line.data is None else decode_line(line.data, line.has_lf, FORM)
        raw = line.data if self._keep_raw else None
        if not decoded.records:
            return Line(
                ordinal=line.line_no, byte_offset=line.byte_offset, status=decoded.status, error=decoded.error, raw=raw
            )
        opens = self._first_user.opens(decoded.records[0])
        further = range(1, len(decoded.records))
        glued = tuple(_line(line, decoded, number, False, None, ()) for number in further)
        return _line(line, decoded, 0, opens, raw, glued)


def _line(
    line: physical.Line, decoded: Decoded, number: int, opens: bool, raw: bytes | None, glued: tuple[Line, ...]
) -> Line:
    record: Record = decoded.records[number]
    value = decoded.values[number]
    only = decoded._replace(records=[record], values=[value])
    row = entry_row(line, only, record, timestamp_us(record.timestamp), opens)
    class_ = row.class_
    plain = class_ not in ("message", "attachment")
    return Line(
        ordinal=line.line_no,
        byte_offset=line.byte_offset,
        status=decoded.status,
        error=decoded.error,
        class_=class_,
        type=_shared(row.type),
        subtype=_shared(row.subtype),
        user_kind=row.user_kind,
        raw=raw,
        uuid=row.uuid,
        parent_uuid=row.parent_uuid,
        session_id=_shared(row.record_session_id),
        agent_id=_shared(row.agent_id),
        prompt_id=_shared(row.prompt_id),
        request_id=row.request_id,
        timestamp_us=row.timestamp,
        is_sidechain=bool(row.is_sidechain),
        is_meta=bool(row.is_meta),
        cwd=_shared(row.cwd),
        git_branch=_shared(row.git_branch),
        version=_shared(row.version),
        prompt_source=_shared(row.prompt_source),
        origin=_source(record.origin),
        tool_denial_kind=_shared(row.tool_denial_kind),
        tool_use_result=_source(record.tool_use_result),
        message=_message(record.message, value) if class_ == "message" else None,
        control=_control(row, value) if plain else None,
        attachment=_attachment(row) if class_ == "attachment" else None,
        glued=glued,
    )


def _shared(text: str | None) -> str | None:
    """Return one object for all equal texts: most lines of a file repeat these values."""
    return None if text is None else sys.intern(text)


def _source(raw: Raw) -> bytes | None:
    """Return a captured value as bytes of its own, so that the line it came from can be freed."""
    return bytes(raw) or None


def _message(message: claude.Message | None, value: bytes) -> Message | None:
    if message is None:
        return None
    content = members(members(value).get("message", b"")).get("content", b"")
    usage = message.usage
    return Message(
        message.id,
        _shared(message.role),
        _shared(message.model),
        _shared(message.stop_reason),
        None if usage is UNSET or usage is None else _usage(usage),
        content,
    )


def _usage(usage: claude.Usage) -> Usage:
    written = usage.cache_creation_input_tokens or 0
    return Usage(
        usage.input_tokens or 0,
        usage.output_tokens or 0,
        written,
        usage.cache_read_input_tokens or 0,
        split_writes(written, usage.cache_creation)[1],
        _shared(usage.speed),
    )


def _control(row: EntryRow, value: bytes) -> Control:
    found = {name: getattr(row, name) for name in _CONTROL}
    return Control(**found, value=None if row.value is None else value)


def _attachment(row: EntryRow) -> Attachment:
    return Attachment(
        row.attachment_type,
        (row.attachment_payload or "").encode(),
        row.queued_prompt,
        row.command_mode,
        None if row.queued_origin is None else row.queued_origin.encode(),
        utc(row.queued_at),
    )
