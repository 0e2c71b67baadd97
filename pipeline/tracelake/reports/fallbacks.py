"""`report fallbacks`: which models declined, and what that cost."""

from __future__ import annotations

from tracelake.reports.grouped import Grouping, Measure, build
from tracelake.reports.model import EVERYTHING, Options, Query, Report

GROUPING = Grouping(
    rows="fallback_costs",
    keys={
        "models": "concat_ws(' → ', coalesce(from_model, 'unknown'), coalesce(to_model, 'unknown'))",
        "category": "coalesce(refusal_category, 'uncategorized')",
        "day": "day",
        "session": "session_id",
        "project": "project",
    },
    filters={
        "day": "day",
        "project": "project",
        "session": "session_id",
        "model": "from_model",
        "agent": "agent",
    },
    measures=(
        Measure.count("hops"),
        Measure.count("billed", "declined_billed = 'yes'"),
        Measure.count("not_billed", "declined_billed = 'no'"),
        Measure.count("not_observed", "declined_billed = 'unknown'"),
        Measure.sum("declined_input_tokens"),
        Measure.sum("declined_output_tokens"),
        Measure.money("declined_cost_usd"),
        Measure.money("served_cost_usd"),
        Measure.money("counterfactual_cost_usd"),
        Measure.money("net_cost_usd"),
    ),
    best="hops DESC",
)


def fallbacks(options: Options) -> Query:
    """Return hops, declined tokens and USD by the key asked for, most hops first (days in order)."""
    return build(GROUPING, options)


FALLBACKS = Report(
    "fallbacks",
    "Model fallbacks hop by hop: declined tokens (billed only where output was streamed) and what they cost.",
    EVERYTHING | {"by"},
    fallbacks,
    by=tuple(GROUPING.keys),
    has_total=True,
)
