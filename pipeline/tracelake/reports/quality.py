"""`report quality`: how sessions went, the latest first."""

from __future__ import annotations

from tracelake.reports.conditions import where
from tracelake.reports.model import EVERYTHING, Options, Query, Report

FILTERS = {
    "day": "CAST(timezone('UTC', started_at) AS DATE)",
    "project": "project",
    "session": "session_id",
    "agent": "agent",
}


def quality(options: Options) -> Query:
    """Return outcome, grade and what went wrong of the main files that start in the days asked for."""
    condition = where(options, FILTERS)
    sql = f"""
        SELECT started_at, session_id, project, archetype, outcome, confidence, grade, score, messages, tool_calls,
            failures, retries, edit_churn, longest_failure_streak, trailing_failures, pending, settled, ended_at, agent
        FROM (FROM session_quality WHERE kind = 'main') {condition.sql}
        ORDER BY started_at DESC NULLS LAST, session_id, path
        LIMIT ?
    """
    return Query(sql, [*condition.params, options.limit])


QUALITY = Report(
    "quality",
    "Outcome and grade of every session and what went wrong in it, the latest first.",
    EVERYTHING - {"model"},
    quality,
)
