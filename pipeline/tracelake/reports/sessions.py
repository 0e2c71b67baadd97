"""`report sessions`: one row per session, the latest first."""

from __future__ import annotations

from tracelake.reports.conditions import where
from tracelake.reports.model import EVERYTHING, Options, Query, Report

FILTERS = {
    "first_day": "CAST(timezone('UTC', started_at) AS DATE)",
    "last_day": "CAST(timezone('UTC', coalesce(ended_at, started_at)) AS DATE)",
    "project": "project",
    "session": "session_id",
    "models": "models",
    "agent": "agent",
}


def sessions(options: Options) -> Query:
    """Return the sessions that were under way in the days asked for."""
    condition = where(options, FILTERS)
    sql = f"""
        SELECT started_at, session_id, project, title, messages, tool_calls, subagents,
            TRY_CAST(cost_usd AS DECIMAL(18, 6)) AS cost_usd, ended_at, models, agent, first_prompt
        FROM sessions {condition.sql}
        ORDER BY started_at DESC NULLS LAST, session_id
        LIMIT ?
    """
    return Query(sql, [*condition.params, options.limit])


SESSIONS = Report("sessions", "Sessions, the latest first.", EVERYTHING, sessions)
