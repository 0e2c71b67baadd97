"""Turns: the mechanics of folding lines into messages that all agents share (parser.md 1.1)."""

from __future__ import annotations

from tracelake.tables.rows import MessageRow


class Turn:
    """The open assistant turn: its row, its fragments, and the number of its next call."""

    __slots__ = ("calls", "message_id", "row", "streamed", "texts", "thoughts")

    def __init__(self, row: MessageRow, message_id: str | None) -> None:
        """Open a turn around its row."""
        self.row = row
        self.message_id = message_id
        self.texts: list[str] = []
        self.thoughts: list[str] = []
        self.streamed: list[str] = []
        self.calls = 0


class Turns:
    """Hands out ordinals, holds at most one open turn, and emits rows to `out` when they are complete."""

    def __init__(self, out: list[MessageRow]) -> None:
        """Emit finished MessageRows to the list `out`."""
        self.out = out
        self.open: Turn | None = None
        self._next = 0

    @property
    def anchor(self) -> int | None:
        """Ordinal that an event belongs to: the open turn's, else the last one handed out (parser.md 1.3)."""
        if self.open is not None:
            return self.open.row.ordinal
        return self._next - 1 if self._next else None

    def start(self, role: str, line_no: int, record_no: int, timestamp: int | None, is_sidechain: bool) -> MessageRow:
        """Return a new row with the next ordinal; nothing is closed or emitted."""
        row = MessageRow(
            line_no=line_no,
            record_no=record_no,
            last_line_no=line_no,
            ordinal=self._next,
            role=role,
            content="",
            thinking_bytes=0,
            thinking_plain_bytes=0,
            thinking_signature_bytes=0,
            thinking_redacted_bytes=0,
            thinking_encrypted_bytes=0,
            has_thinking=False,
            has_tool_use=False,
            timestamp=timestamp,
            is_sidechain=is_sidechain,
        )
        self._next += 1
        return row

    def emit(self, row: MessageRow) -> None:
        """Close the open turn, then emit a complete row."""
        self.close()
        self.out.append(row)

    def close(self) -> None:
        """Join the fragments of the open turn and emit it."""
        turn, self.open = self.open, None
        if turn is None:
            return
        row = turn.row
        row.content = "\n".join(turn.texts)
        row.thinking_text = "\n".join(turn.thoughts or turn.streamed) or None
        row.thinking_bytes = (
            row.thinking_plain_bytes
            + row.thinking_signature_bytes
            + row.thinking_redacted_bytes
            + row.thinking_encrypted_bytes
        )
        if turn.streamed and not row.thinking_bytes:
            row.thinking_bytes = row.thinking_plain_bytes = len((row.thinking_text or "").encode())
        self.out.append(row)
