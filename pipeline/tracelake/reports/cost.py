"""`report cost`: what the calls cost."""

from __future__ import annotations

from tracelake.reports.conditions import where
from tracelake.reports.grouped import Grouping, Measure, build
from tracelake.reports.model import EVERYTHING, Options, Query, Report

CALL_KEYS = {
    "model": "model_id",
    "day": "day",
    "session": "session_id",
    "project": "project",
    "agent_type": "agent_type",
    "agent": "agent",
    "branch": "git_branch",
    "cwd": "cwd",
}
CALL_FILTERS = {
    "day": "day",
    "project": "project",
    "session": "session_id",
    "models": "[model, model_id]",
    "agent": "agent",
}
"""The views count every call once before these apply, so a filter never turns a copy into a call."""

GROUPING = Grouping(
    rows="(FROM costs WHERE is_api_call)",
    keys=CALL_KEYS,
    filters=CALL_FILTERS,
    measures=(
        Measure.count("calls", "part_of IS NULL"),
        Measure.sum("input_tokens"),
        Measure.sum("output_tokens"),
        Measure.sum("cache_read_tokens"),
        Measure.sum("cache_write_5m_tokens"),
        Measure.sum("cache_write_1h_tokens"),
        Measure.money("cost_usd"),
        Measure.count("unpriced_calls", "NOT priced"),
    ),
    best="cost_usd DESC NULLS LAST, calls DESC",
)


def cost(options: Options) -> Query:
    """Return calls, tokens and USD by the key asked for, dearest first (days in order)."""
    return build(GROUPING, options)


def unpriced_models(options: Options) -> Query:
    """Return the query for the models whose calls have no price, the most called first."""
    found = where(options, CALL_FILTERS)
    condition = f"{found.sql} AND" if found.sql else "WHERE"
    sql = f"""
        SELECT coalesce(model, 'no model named') AS model, unpriced_reason, count(*)::BIGINT AS calls
        FROM costs
        {condition} is_api_call AND NOT priced
        GROUP BY ALL
        ORDER BY calls DESC, model
    """
    return Query(sql, found.params)


COST = Report(
    "cost",
    "Calls, tokens and USD; what has no known price is counted, not guessed.",
    EVERYTHING | {"by"},
    cost,
    by=tuple(CALL_KEYS),
    has_total=True,
)
