"""Rows: the rows of one file, gathered per table until they are written."""

from __future__ import annotations

from typing import Any

from tracelake.tables import TABLES


class Rows:
    """One list of row objects per table, as attributes named like the tables."""

    files: list[Any]
    entries: list[Any]
    raw_lines: list[Any]
    blocks: list[Any]
    messages: list[Any]
    tool_calls: list[Any]
    tool_results: list[Any]
    citations: list[Any]
    token_usage: list[Any]
    fallbacks: list[Any]
    agent_signals: list[Any]
    events: list[Any]
    attachments: list[Any]

    def __init__(self) -> None:
        """Start with no rows."""
        for name in TABLES:
            setattr(self, name, [])

    def of(self, table: str) -> list[Any]:
        """Return the rows of one table."""
        found: list[Any] = getattr(self, table)
        return found
