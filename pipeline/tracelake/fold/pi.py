"""pi: the records of one session -> rows of every table (parser.md 1.5).

Every assistant line is a message of its own; nothing is folded. The tree of ids and parents is in `entries`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import UNSET

from tracelake.bodies.sentinel import read_sentinel
from tracelake.decode.content import Source
from tracelake.decode.pi import FORM, Block, Message, Record, blocks_of
from tracelake.decode.raws import NO_RAW, any_value
from tracelake.fold.bodies import text_bytes
from tracelake.fold.line_fold import Input, LineFold
from tracelake.fold.patches import patch_paths
from tracelake.fold.pi_entries import NO_MESSAGE, block_rows, entry_row
from tracelake.fold.pi_usage import usage_row
from tracelake.fold.place import Place
from tracelake.fold.turn import Turn
from tracelake.tables.rows import EntryRow


class PiFold(LineFold):
    """Folds one session."""

    form = FORM
    _session_id: str | None = None

    def record(self, place: Place, record: Record) -> EntryRow:
        """Take one entry."""
        message = record.message or NO_MESSAGE
        blocks = blocks_of(message.content)
        if record.type == "session":
            self._session_id = self._session_id or record.id
        elif record.type == "message":
            self._message(place, record, message, blocks)
        else:
            self._other(place, record)
        return entry_row(place, record, blocks)

    def _message(self, place: Place, record: Record, message: Message, blocks: list[Block]) -> None:
        self.rows.blocks += block_rows(place, message, blocks)
        if message.role == "user":
            self._user(place, blocks)
        elif message.role == "assistant":
            self._assistant(place, record, message, blocks)
        elif message.role == "toolResult":
            self._result(place, message, blocks)

    def _user(self, place: Place, blocks: list[Block]) -> None:
        row = self.start("user", place)
        row.content = "\n".join(block.text or "" for block in blocks if block.type == "text")
        self.turns.emit(row)
        self._images(place, "user_image", blocks)

    def _assistant(self, place: Place, record: Record, message: Message, blocks: list[Block]) -> None:
        row = self.start("assistant", place)
        row.model, row.message_id = message.model, message.response_id or None
        turn = self.turns.open = Turn(row, None)
        for index, block in enumerate(blocks):
            self._block(place, turn, index, block)
        if message.usage is not UNSET:
            self.usage(usage_row(place, record, message, message.usage, self._session_id))
        if message.error_message and message.stop_reason == "error":
            self.event(place, "api_error", {"message": message.error_message})
        self.turns.close()

    def _block(self, place: Place, turn: Turn, index: int, block: Block) -> None:
        if block.type == "text":
            turn.texts.append(block.text or "")
        elif block.type == "thinking":
            turn.row.has_thinking = True
            turn.row.thinking_plain_bytes += text_bytes(block.thinking, place.decoded.cuts)
            if block.thinking:
                turn.thoughts.append(block.thinking)
        elif block.type == "toolCall":
            raw = bytes(block.arguments)
            text = raw.decode() if block.arguments is not NO_RAW else None
            given = Input(text, patch_paths=patch_paths(text or ""), lifted=read_sentinel(raw))
            self.call(place, turn, index, block.id, block.name, given)

    def _result(self, place: Place, message: Message, blocks: list[Block]) -> None:
        self.result(place, message.tool_call_id, bytes(message.content), message.is_error)
        self._images(place, "tool_result_image", blocks)

    def _images(self, place: Place, carrier: str, blocks: list[Block]) -> None:
        for index, block in enumerate(blocks):
            if block.type == "image":
                self.blob(place, index, carrier, Source(type="base64", media_type=block.mime_type, data=block.data))

    def _other(self, place: Place, record: Record) -> None:
        make = _EVENTS.get(record.type or "")
        if make is not None:
            self.event(place, *make(record))


_EVENTS: dict[str, Callable[[Record], tuple[str, dict[str, Any]]]] = {
    "model_change": lambda record: ("model_change", {"provider": record.provider, "model": record.model_id}),
    "thinking_level_change": lambda record: ("thinking_level_change", {"level": record.thinking_level}),
    "branch_summary": lambda record: ("branch_summary", {"from_id": record.from_id}),
    "compaction": lambda record: (
        "compaction",
        {
            "pre_tokens": any_value(record.tokens_before),
            "first_kept_entry_id": record.first_kept_entry_id,
            "first_kept_entry_index": any_value(record.first_kept_entry_index),
            "from_hook": any_value(record.from_hook),
        },
    ),
}
