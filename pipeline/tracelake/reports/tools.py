"""`report tools`: how often tools were called and failed."""

from __future__ import annotations

from tracelake.reports.grouped import Grouping, Measure, build
from tracelake.reports.model import EVERYTHING, Options, Query, Report

ROWS = """(
    SELECT once.*, files.project, CAST(timezone('UTC', once.occurred_at) AS DATE) AS day
    FROM tool_calls_once AS once
    LEFT JOIN files ON files.path = once.path AND files.session_id = once.session_id
)"""
"""Every call once: forks and resumed sessions repeat calls under the same id."""

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
        Measure.count("failed", "coalesce(failed, status = 'error')"),
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
