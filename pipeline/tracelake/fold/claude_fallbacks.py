"""Claude Code markers of model fallbacks -> rows of `fallbacks` (parser.md 5.1 to 5.3, 5.6).

Only markers count: a changed model string is never a fallback. A message with several fallback blocks, or with
several declined attempts, is a chain; each hop is a row of its own.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, Raw

from tracelake.decode.claude import Block, Iteration, Message, Record, Usage, any_value
from tracelake.fold.claude_entries import NO_MESSAGE, blocks_of
from tracelake.fold.claude_usage import split_writes
from tracelake.fold.place import Place
from tracelake.fold.rows import Rows
from tracelake.tables.rows import FallbackRow

_NO_USAGE = Usage()


class Fallbacks:
    """Observer of one file; remembers how many fallback blocks the current message has shown so far.

    `models` holds the models that were met, so that they can be priced.
    """

    def __init__(self) -> None:
        """Start before the first line."""
        self.models: dict[str, None] = {}
        self._message_id: str | None = None
        self._shown = 0

    def record(self, rows: Rows, place: Place, record: Record) -> None:
        """Add the rows of one record; most have none."""
        if record.type == "assistant":
            found = self._assistant(place, record, record.message or NO_MESSAGE)
        elif record.type == "system" and record.subtype == "model_refusal_fallback":
            found = [_system_row(place, record)]
        else:
            return
        for row in found:
            self.models.update(dict.fromkeys(name for name in (row.declined_model, row.from_model) if name))
            rows.fallbacks.append(row)

    def finish(self, rows: Rows) -> None:
        """Nothing is held back."""

    def _assistant(self, place: Place, record: Record, message: Message) -> list[FallbackRow]:
        usage = (message.usage if message.usage is not UNSET else None) or _NO_USAGE
        iterations = [one for one in usage.iterations or () if one is not None]
        serving = [one for one in iterations if one.type == "fallback_message"]
        blocks = [block for block in blocks_of(message) if block.type == "fallback"]
        if not serving and not blocks:
            return []
        attempts = [one for one in iterations if one.type == "message"] if serving else []
        model = (serving[-1].model if serving else None) or message.model or None
        made = []
        for index, block, attempt in pair(blocks, attempts, self._blocks_before(message.id, len(blocks))):
            row = FallbackRow(
                line_no=place.line.line_no,
                record_no=place.record_no,
                side="assistant",
                hop_index=index,
                message_ordinal=place.ordinal,
                has_block=block is not None,
                to_model=_next_model(index, block, attempts) or model,
                serving_model=model,
                speed=usage.speed,
                dedup_key=record.request_id or message.id or None,
                occurred_at=place.at,
                is_sidechain=bool(record.is_sidechain),
                uuid=record.uuid or None,
            )
            _fill_from(row, block, attempt)
            _fill_declined(row, attempt, observed=bool(serving) and (attempt is not None or not attempts))
            made.append(row)
        return made

    def _blocks_before(self, message_id: str | None, count: int) -> int:
        """Return how many blocks earlier lines of the message showed; each block has a line of its own."""
        if not message_id or message_id != self._message_id:
            self._message_id, self._shown = message_id, 0
        before = self._shown
        self._shown += count
        return before


def pair(
    blocks: list[Block], attempts: list[Iteration], before: int
) -> list[tuple[int, Block | None, Iteration | None]]:
    """Return the hops of a line: position in the chain, the block and the declined attempt that belong to it.

    A block goes to the attempt of its own model, else to the one at its position (`before` blocks were on earlier
    lines); attempts without a block, and blocks without an attempt, are hops too. Never empty.
    """
    taken: dict[int, Block] = {}
    for number, block in enumerate(blocks, before):
        free = [index for index in range(len(attempts)) if index not in taken]
        model = model_of(block.from_model)
        same = [index for index in free if model and attempts[index].model == model]
        index = same[0] if same else number
        while index in taken:
            index += 1
        taken[index] = block
    indexes = sorted({*taken, *range(len(attempts))}) or [0]
    return [(index, taken.get(index), attempts[index] if index < len(attempts) else None) for index in indexes]


def model_of(raw: Raw) -> str | None:
    """Return the model of a `from` or `to` member; None where there is none."""
    found = any_value(raw)
    model = found.get("model") if isinstance(found, dict) else None
    return model if isinstance(model, str) and model else None


def _next_model(index: int, block: Block | None, attempts: list[Iteration]) -> str | None:
    """Return the model tried after a hop, as far as its block or the next attempt tells."""
    if block is not None:
        return model_of(block.to)
    return attempts[index + 1].model if index + 1 < len(attempts) else None


def _fill_from(row: FallbackRow, block: Block | None, attempt: Iteration | None) -> None:
    own = (attempt.model if attempt else None) or None
    row.from_model = (model_of(block.from_model) if block else None) or own
    row.declined_model = own or row.from_model
    trigger = any_value(block.trigger) if block else None
    if isinstance(trigger, dict):
        row.trigger, row.refusal_category = _text(trigger.get("type")), _text(trigger.get("category"))
    else:
        row.trigger = _text(trigger)


def _fill_declined(row: FallbackRow, attempt: Iteration | None, observed: bool) -> None:
    row.declined_observed = observed
    if not observed:
        return
    one = attempt or Iteration()
    written = one.cache_creation_input_tokens or 0
    row.declined_input_tokens = one.input_tokens or 0
    row.declined_output_tokens = one.output_tokens or 0
    row.declined_cache_write_tokens = written
    row.declined_cache_write_5m_tokens, row.declined_cache_write_1h_tokens = split_writes(written, one.cache_creation)
    row.declined_cache_read_tokens = one.cache_read_input_tokens or 0


def _system_row(place: Place, record: Record) -> FallbackRow:
    return FallbackRow(
        line_no=place.line.line_no,
        record_no=place.record_no,
        side="system",
        hop_index=0,
        has_block=False,
        from_model=record.original_model or None,
        to_model=record.fallback_model or None,
        declined_model=record.original_model or None,
        trigger=record.trigger or None,
        refusal_category=record.api_refusal_category or None,
        refusal_explanation=record.api_refusal_explanation or None,
        declined_observed=False,
        dedup_key=record.request_id or None,
        occurred_at=place.at,
        is_sidechain=bool(record.is_sidechain),
        uuid=record.uuid or None,
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
