"""pi usage objects -> rows of `token_usage` (parser.md 6.4)."""

from __future__ import annotations

from tracelake.decode.pi import Message, Record, Usage
from tracelake.fold.claude_usage import cost_of
from tracelake.fold.place import Place
from tracelake.tables.rows import TokenUsageRow

_NO_USAGE = Usage()


def usage_row(
    place: Place, record: Record, message: Message, usage: Usage | None, session_id: str | None
) -> TokenUsageRow:
    """Return the row of one usage object; a null one counts as zeros (J7)."""
    usage = usage or _NO_USAGE
    written, for_1h = usage.cache_write or 0, usage.cache_write_1h
    return TokenUsageRow(
        line_no=place.line.line_no,
        record_no=place.record_no,
        message_ordinal=place.ordinal,
        message_id=message.response_id or None,
        dedup_key=_key(record, message, usage, session_id),
        carrier="message",
        source_index=0,
        byte_offset=place.line.byte_offset,
        model=message.model,
        occurred_at=place.at,
        is_sidechain=False,
        usage_final=bool(message.stop_reason),
        input_tokens=usage.input or 0,
        output_tokens=usage.output or 0,
        cache_read_tokens=usage.cache_read or 0,
        cache_write_tokens=written,
        cache_write_5m_tokens=written - (for_1h or 0),
        cache_write_1h_tokens=for_1h,
        thinking_tokens=usage.reasoning,
        reported_cost_usd=cost_of(bytes(usage.cost.total)) if usage.cost else None,
    )


def _key(record: Record, message: Message, usage: Usage, session_id: str | None) -> str | None:
    """Return what copies of a response have in common, and other responses have not.

    Entry ids are short and unique in their session only, and gateways give every response the same id; copies keep
    the time. Old entries have no id: there the time and the counts must do. Without a time an id counts within its
    session.
    """
    own = message.response_id or record.id
    if record.timestamp:
        counts = (usage.input, usage.output, usage.cache_read, usage.cache_write)
        return f"pi:{own or ':'.join(str(count or 0) for count in counts)}@{record.timestamp}"
    return f"pi:{session_id or ''}:{own}" if own else None
