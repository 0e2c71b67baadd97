"""`report tools`: how often tools were called and failed."""

from __future__ import annotations

from pipeline.reports.grouped import Grouping, Measure, build
from pipeline.reports.model import EVERYTHING, Options, Query, Report

ROWS = """(
    SELECT calls.*, files.project, CAST(timezone('UTC', calls.occurred_at) AS DATE) AS day
    FROM tool_calls AS calls LEFT JOIN files ON files.path = calls.path AND files.session_id = calls.session_id
    QUALIFY row_number() OVER (
        PARTITION BY coalesce(calls.tool_use_id, concat_ws(':', calls.path, calls.line_no, calls.block_index))
        ORDER BY calls.status = 'pending', calls.occurred_at NULLS LAST, calls.path, calls.line_no
    ) = 1
)"""
"""Every call once: forks and resumed sessions repeat calls under the same id; one that has its result is preferred."""

GROUPING = Grouping(
    rows=ROWS,
    keys={
        "tool": "tool_name",
        "category": "coalesce(nullif(category, ''), 'other')",
        "day": "day",
        "session": "session_id",
        "project": "project",
    },
    filters={"day": "day", "project": "project", "session": "session_id", "agent": "agent"},
    measures=(
        Measure.count("calls"),
        Measure.count("failed", "status = 'error'"),
        Measure.count("pending", "status = 'pending'"),
        Measure.sum("input_bytes"),
        Measure.sum("result_bytes"),
    ),
    best="calls DESC",
)


def tools(options: Options) -> Query:
    """Return calls and failures by the key asked for, most calls first (days in order)."""
    return build(GROUPING, options)


TOOLS = Report(
    "tools",
    "Tool calls, failures and bytes, every call once however many files repeat it.",
    (EVERYTHING | {"by"}) - {"model"},
    tools,
    by=tuple(GROUPING.keys),
    has_total=True,
)
