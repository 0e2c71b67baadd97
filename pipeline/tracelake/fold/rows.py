"""Rows: the rows of one file, gathered per table until they are written."""

from __future__ import annotations

from typing import Any

from tracelake.tables import TABLES
from tracelake.tables.rows import (
    AgentSignalRow,
    AttachmentRow,
    BlockRow,
    CitationRow,
    EntryRow,
    EventRow,
    FallbackRow,
    FileRow,
    MessageRow,
    RawLineRow,
    TokenUsageRow,
    ToolCallRow,
    ToolResultRow,
)


class Rows:
    """One list of row objects per table, as attributes named like the tables."""

    files: list[FileRow]
    entries: list[EntryRow]
    raw_lines: list[RawLineRow]
    blocks: list[BlockRow]
    messages: list[MessageRow]
    tool_calls: list[ToolCallRow]
    tool_results: list[ToolResultRow]
    citations: list[CitationRow]
    token_usage: list[TokenUsageRow]
    fallbacks: list[FallbackRow]
    agent_signals: list[AgentSignalRow]
    events: list[EventRow]
    attachments: list[AttachmentRow]

    def __init__(self) -> None:
        """Start with no rows."""
        for name in TABLES:
            setattr(self, name, [])

    def of(self, table: str) -> list[Any]:
        """Return the rows of one table."""
        found: list[Any] = getattr(self, table)
        return found

    def count(self) -> int:
        """Return the number of rows of all tables together."""
        return sum(len(self.of(name)) for name in TABLES)
