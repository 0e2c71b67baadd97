"""`report thinking`: how much of the work was thinking, and what it cost."""

from __future__ import annotations

from tracelake.reports.grouped import Grouping, Measure, build
from tracelake.reports.model import EVERYTHING, Options, Query, Report

GROUPING = Grouping(
    rows="(SELECT *, CAST(timezone('UTC', occurred_at) AS DATE) AS day FROM thinking_weight)",
    keys={
        "model": "model",
        "band": "band",
        "day": "day",
        "session": "session_id",
        "project": "project",
    },
    filters={
        "day": "day",
        "project": "project",
        "session": "session_id",
        "model": "model",
        "agent": "agent",
    },
    measures=(
        Measure.count("turns"),
        Measure.count("thinking_turns", "has_thinking"),
        Measure.count("exact_turns", "basis = 'reported'"),
        Measure.sum("thinking_bytes"),
        Measure.sum("thinking_tokens"),
        Measure.money("thinking_usd"),
        Measure.money("cost_usd"),
    ),
    best="thinking_tokens DESC NULLS LAST",
)


def thinking(options: Options) -> Query:
    """Return assistant turns, thinking and USD by the key asked for, most thinking first (days in order)."""
    return build(GROUPING, options)


THINKING = Report(
    "thinking",
    "Thinking tokens, exact where reported and else estimated from bytes, and their part of the cost.",
    EVERYTHING | {"by"},
    thinking,
    by=tuple(GROUPING.keys),
    has_total=True,
)
