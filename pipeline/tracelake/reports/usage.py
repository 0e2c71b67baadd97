"""`report usage`: tokens of the calls, each counted once."""

from __future__ import annotations

from tracelake.reports.cost import CALL_FILTERS, CALL_KEYS
from tracelake.reports.grouped import Grouping, Measure, build
from tracelake.reports.model import EVERYTHING, Options, Query, Report

GROUPING = Grouping(
    rows="""(
        SELECT usage.*, coalesce(aliases.model_id, usage.model) AS model_id
        FROM usage
        LEFT JOIN model_aliases AS aliases ON aliases.model = usage.model
        WHERE usage.is_api_call
    )""",
    keys={**CALL_KEYS, "speed": "coalesce(speed, 'standard')"},
    filters=CALL_FILTERS,
    measures=(
        Measure.count("calls"),
        Measure.sum("input_tokens"),
        Measure.sum("output_tokens"),
        Measure.sum("thinking_tokens"),
        Measure.sum("cache_read_tokens"),
        Measure.sum("cache_write_tokens"),
        Measure.sum("web_search_requests"),
        Measure.sum("web_fetch_requests"),
    ),
    best="output_tokens DESC NULLS LAST, calls DESC",
)


def usage(options: Options) -> Query:
    """Return calls and tokens by the key asked for, most output first (days in order)."""
    return build(GROUPING, options)


USAGE = Report(
    "usage",
    "Calls and tokens, every call once however many files repeat it.",
    EVERYTHING | {"by"},
    usage,
    by=tuple(GROUPING.keys),
    has_total=True,
)
