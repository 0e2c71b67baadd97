"""Reducer: the bytes of one transcript, region by region -> its rows, without a lake (parser.md 1.1).

    reducer = Reducer("claude")
    reducer.feed(first, 0)
    reducer.feed(more, len(first))
    delta = reducer.finish()

Rows are those that extraction stores, by the same folds: `tracelake.tables` documents their members.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import Any

from tracelake.decode.json_rules import timestamp_us
from tracelake.decode.oversize import decode_oversize
from tracelake.decode.parse import Decoded, decode_line
from tracelake.errors import UsageError
from tracelake.fold.agents import FOLDS
from tracelake.fold.rows import Rows
from tracelake.sources.lines import Line, LineReader
from tracelake.tables.rows import (
    AttachmentRow,
    EventRow,
    FallbackRow,
    MessageRow,
    TokenUsageRow,
    ToolCallRow,
    ToolResultRow,
)


@dataclass
class Delta:
    """The rows of one transcript by table, and what its lines say of the whole.

    `messages` are in order of ordinal, `tool_calls` in order of their place in the file, each with the first result
    of its id (parser.md 3.5); the others are in line order. `usage` has one row per line that carries usage, copies
    included. `started` and `ended` are the earliest and latest time of any record, in microseconds since 1970 UTC,
    `cwd` and `git_branch` the last non-empty ones; each is None where no line says it.
    """

    messages: list[MessageRow] = field(default_factory=list)
    tool_calls: list[ToolCallRow] = field(default_factory=list)
    tool_results: list[ToolResultRow] = field(default_factory=list)
    usage: list[TokenUsageRow] = field(default_factory=list)
    attachments: list[AttachmentRow] = field(default_factory=list)
    fallbacks: list[FallbackRow] = field(default_factory=list)
    events: list[EventRow] = field(default_factory=list)
    started: int | None = None
    ended: int | None = None
    cwd: str | None = None
    git_branch: str | None = None


class Session(Delta):
    """The Delta of a whole transcript."""


MEMBER_OF = {
    "messages": "messages",
    "tool_calls": "tool_calls",
    "tool_results": "tool_results",
    "token_usage": "usage",
    "attachments": "attachments",
    "fallbacks": "fallbacks",
    "events": "events",
}
"""Member of a Delta by table; rows of the other tables are let go after each region."""


class Reducer:
    """Folds one transcript; feed its bytes in order from the first, then finish.

    However the bytes are cut, the Delta is the same. A line that its region does not end waits for the next region.
    """

    def __init__(self, agent: str) -> None:
        """Read transcripts of `agent`: claude, codex or pi. Raises UsageError for any other."""
        self._delta = Delta()
        self._fold = _fold(agent)
        self._fold.on_full = self._take
        self._begun: list[bytes] = []
        self._lines = self._offset = self._fed = 0
        self._finished = False

    def feed(self, region: bytes, base_offset: int) -> None:
        """Take the bytes at `base_offset` of the file, which is where those before end.

        Raises UsageError, and takes nothing, where they leave a gap or overlap, or after `finish`.
        """
        if self._finished:
            raise UsageError("the reducer has finished; a transcript is read by a new one")
        if base_offset != self._fed:
            kind = "a gap" if base_offset > self._fed else "an overlap"
            size = abs(base_offset - self._fed)
            raise UsageError(f"the region begins at byte {base_offset}, not {self._fed}: {kind} of {size} bytes")
        self._fed += len(region)
        end = region.rfind(b"\n") + 1
        if end:
            self._fold_lines(b"".join((*self._begun, region[:end])))
            self._begun = []
        if end < len(region):
            self._begun.append(region[end:])

    def finish(self) -> Delta:
        """Fold a last line without LF as a file's, close what is open, and return the Delta; always the same one."""
        if not self._finished:
            self._finished = True
            self._fold_lines(b"".join(self._begun))
            self._begun = []
            facts = self._fold.finish()
            self._take()
            self._delta.ended = facts.end_time
            self._delta.git_branch = facts.git_branch
            self._delta.messages.sort(key=lambda row: row.ordinal)
            self._delta.tool_calls.sort(key=lambda row: (row.line_no, row.record_no, row.call_index))
        return self._delta

    def _fold_lines(self, data: bytes) -> None:
        before, offset = self._lines, self._offset
        for line in LineReader(io.BytesIO(data)):
            line.line_no += before
            line.byte_offset += offset
            decoded = self._decode(line)
            self._fold.feed(line, decoded)
            self._note(decoded)
            self._lines = line.line_no
        self._offset += len(data)
        self._take()

    def _decode(self, line: Line) -> Decoded:
        if line.data is None:
            return decode_oversize(line.pieces(), self._fold.form)
        return decode_line(line.data, line.has_lf, self._fold.form)

    def _note(self, decoded: Decoded) -> None:
        """Note the earliest time of any record; the facts of a file hold that of its first one."""
        for record in decoded.records:
            at = timestamp_us(record.timestamp)
            if at is not None and (self._delta.started is None or at < self._delta.started):
                self._delta.started = at

    def _take(self) -> None:
        """Move the rows that are complete into the Delta."""
        for entry in self._fold.rows.entries:
            # Codex: the session's folder is its header's; a turn_context names that of the turn.
            if entry.type != "turn_context":
                self._delta.cwd = entry.cwd or self._delta.cwd
        for table, member in MEMBER_OF.items():
            getattr(self._delta, member).extend(self._fold.rows.of(table))
        self._fold.rebind(Rows())


def parse(agent: str, raw: bytes) -> Session:
    """Return the rows of a whole transcript. Raises UsageError for an unknown agent."""
    reducer = Reducer(agent)
    reducer.feed(raw, 0)
    return Session(**vars(reducer.finish()))


def _fold(agent: str) -> Any:
    if agent not in FOLDS:
        raise UsageError(f"no agent {agent!r}; agents are {', '.join(FOLDS)}")
    return FOLDS[agent](Rows(), False, frozenset())
