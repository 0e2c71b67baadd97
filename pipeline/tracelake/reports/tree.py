"""The SQL behind `tracelake session --tree`."""

from __future__ import annotations

from tracelake.reports.model import Query


def tree(session_id: str) -> Query:
    """Return the query for the files of a session, parents before their agents, and how each is shown."""
    sql = """
        SELECT
            concat(repeat('  ', depth), coalesce(agent_id, kind)) AS file,
            depth, kind, agent_type, description, started_at, ended_at, messages, tool_calls,
            TRY_CAST(cost_usd AS DECIMAL(18, 6)) AS cost_usd, parent_source, path, parent_path
        FROM session_tree(?)
    """
    return Query(sql, [session_id])


SHOWN = ("file", "agent_type", "description", "started_at", "messages", "tool_calls", "cost_usd", "parent_source")
"""The columns a person sees."""
