"""The SQL behind `tracelake session`."""

from __future__ import annotations

from pipeline.reports.model import Query

TEXT_LENGTH = 200
"""Characters of a text that the timeline shows; `messages` and `tool_calls` hold all of it."""


def matching(beginning: str) -> Query:
    """Return the query for the ids that begin so."""
    return Query("SELECT session_id FROM sessions WHERE starts_with(session_id, ?) ORDER BY 1", [beginning])


def header(session_id: str) -> Query:
    """Return the query for the session's own row."""
    return Query("SELECT * FROM sessions WHERE session_id = ?", [session_id])


def steps(session_id: str) -> Query:
    """Return the query for messages and tool calls: main file first, then the others by their start.

    Tokens and USD stand on the message that the call's earliest record belongs to; a copy of a call that another
    file or session owns shows none.
    """
    return Query(_STEPS, [TEXT_LENGTH, TEXT_LENGTH, *[session_id] * 5])


_STEPS = """
WITH texts AS (
    SELECT left(regexp_replace(coalesce(m.content, ''), '\\s+', ' ', 'g'), ?) AS text, m.*
    FROM messages AS m WHERE session_id = $3
)
"""
