"""Claude Code usage objects -> rows of `token_usage` (accounting.md 1, 2)."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Any

from msgspec import UNSET

from tracelake.decode.claude import CacheCreation, Iteration, Message, Progress, Record, Usage
from tracelake.decode.json_rules import timestamp_us
from tracelake.decode.parse import Form, decode_record
from tracelake.decode.raws import NO_RAW
from tracelake.fold.place import Place
from tracelake.fold.responses import AnswerLine, Responses
from tracelake.tables.rows import TokenUsageRow

_NO_USAGE = Usage()
_PROGRESS = Form(Progress, {})
_USER_ROLE = re.compile(rb'"role"\s*:\s*"user"')


def usage_row(
    line_no: int, record_no: int, byte_offset: int, record: Record, message: Message, usage: Usage | None
) -> TokenUsageRow:
    """Return the row of one usage object; a null one counts as zeros (J7). Anchor, answer and time are left open."""
    usage = usage or _NO_USAGE
    written = usage.cache_creation_input_tokens or 0
    written_5m, written_1h = split_writes(written, usage.cache_creation)
    server, details = usage.server_tool_use, usage.output_tokens_details
    iterations = usage.iterations
    row = TokenUsageRow()
    row.line_no = line_no
    row.record_no = record_no
    row.message_id = message.id
    row.request_id = record.request_id
    row.dedup_key = dedup_key(message.id, record.request_id)
    row.uuid = record.uuid or None
    row.forked_from_session_id = record.forked_from_session_id
    row.carrier = "message"
    row.source_index = 0
    row.byte_offset = byte_offset
    row.model = message.model
    row.is_sidechain = bool(record.is_sidechain)
    row.prompt_id = record.prompt_id
    row.usage_final = bool(message.stop_reason)
    row.input_tokens = usage.input_tokens or 0
    row.output_tokens = usage.output_tokens or 0
    row.cache_read_tokens = usage.cache_read_input_tokens or 0
    row.cache_write_tokens = written
    row.cache_write_5m_tokens = written_5m
    row.cache_write_1h_tokens = written_1h
    row.thinking_tokens = details.thinking_tokens if details else None
    row.speed = usage.speed
    row.service_tier = usage.service_tier
    row.inference_geo = usage.inference_geo
    row.web_search_requests = server.web_search_requests if server else None
    row.web_fetch_requests = server.web_fetch_requests if server else None
    row.iterations = None if iterations is None else [_iteration(one) for one in iterations if one is not None]
    row.reported_cost_usd = cost_of(bytes(record.cost_usd)) if record.cost_usd is not NO_RAW else None
    return row


class ProgressCopies:
    """The usage that progress lines repeat for sub-agents whose own file may be gone."""

    def __init__(self) -> None:
        """Start before the first line."""
        self._responses = Responses()

    def row(self, place: Place, record: Record) -> TokenUsageRow | None:
        """Return the row of the usage that a progress line repeats; None where it carries none."""
        data = bytes(record.data)
        if _USER_ROLE.search(data):
            self._responses.user()
        if b'"usage"' not in data:
            return None
        copied = decode_record(data, [], _PROGRESS).message
        if copied is None or copied.message is None or copied.message.usage is UNSET:
            return None
        message, line = copied.message, place.line
        source = Record(
            request_id=copied.request_id, is_sidechain=True, uuid=copied.uuid, parent_uuid=copied.parent_uuid
        )
        row = usage_row(line.line_no, place.record_no, line.byte_offset, source, message, message.usage)
        row.answer_key = answer_key(self._responses, row, source)
        row.forked_from_session_id = record.forked_from_session_id
        row.carrier = "progress"
        row.usage_final = False
        row.occurred_at = timestamp_us(copied.timestamp) or place.at
        return row


def answer_key(responses: Responses, row: TokenUsageRow, record: Record) -> str | None:
    """Return the key of the answer that the record of a usage row belongs to; None where its ids say it."""
    if not row.message_id:
        return None
    prompt = sum(filter(None, (row.input_tokens, row.cache_read_tokens, row.cache_write_tokens)))
    line = AnswerLine(row.message_id, row.request_id or None, row.line_no or 0, row.uuid, record.parent_uuid, prompt)
    return responses.key(line)


def dedup_key(message_id: str | None, request_id: str | None) -> str | None:
    """Return the key under which the lines of one API call agree; None when the line names neither id."""
    if message_id:
        return f"{message_id}:{request_id}" if request_id else message_id
    return f":{request_id}" if request_id else None


def split_writes(written: int, creation: CacheCreation | None) -> tuple[int, int | None]:
    """Return cache writes for 5 minutes and for 1 hour; all of it is 5m where no split is reported."""
    hour = creation.ephemeral_1h_input_tokens if creation else None
    five = creation.ephemeral_5m_input_tokens if creation else None
    if five is None:
        five = written - hour if hour is not None else written
    return five, hour


def _iteration(one: Iteration) -> dict[str, Any]:
    written = one.cache_creation_input_tokens or 0
    written_5m, written_1h = split_writes(written, one.cache_creation)
    return {
        "type": one.type,
        "model": one.model,
        "input_tokens": one.input_tokens,
        "output_tokens": one.output_tokens,
        "cache_read_tokens": one.cache_read_input_tokens,
        "cache_write_tokens": one.cache_creation_input_tokens,
        "cache_write_5m_tokens": written_5m,
        "cache_write_1h_tokens": written_1h,
    }


_NANO = Decimal("0.000000001")


def cost_of(raw: bytes) -> Decimal | None:
    """Return a JSON number of USD to the ninth digit; None for any other value."""
    if raw[:1] not in b"-0123456789" or not raw:
        return None
    try:
        cost = Decimal(raw.decode()).quantize(_NANO)
    except InvalidOperation:
        return None
    return cost if abs(cost) < 10**9 else None
