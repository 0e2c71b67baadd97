"""`report blocks`: five-hour blocks of use, the latest first."""

from __future__ import annotations

from tracelake.reports.conditions import where
from tracelake.reports.model import Options, Query, Report

FILTERS = {"day": "CAST(timezone('UTC', starts_at) AS DATE)", "models": "models", "agent": "agent"}


def blocks(options: Options) -> Query:
    """Return the blocks and gaps that start in the days asked for."""
    condition = where(options, FILTERS)
    sql = f"""
        SELECT agent, starts_at, ends_at,
            CASE WHEN is_gap THEN 'gap' WHEN is_active THEN 'active' ELSE 'block' END AS state,
            first_call_at, last_call_at, calls, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,
            TRY_CAST(cost_usd AS DECIMAL(18, 6)) AS cost_usd, unpriced_calls, models
        FROM usage_blocks {condition.sql}
        ORDER BY starts_at DESC, agent
        LIMIT ?
    """
    return Query(sql, [*condition.params, options.limit])


BLOCKS = Report(
    "blocks",
    "Five-hour blocks of use and the gaps between them, the latest first.",
    frozenset({"since", "until", "model", "agent", "limit"}),
    blocks,
)
