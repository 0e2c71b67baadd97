"""`report citations`: which texts can be cited, and why the others cannot."""

from __future__ import annotations

from tracelake.reports.grouped import Grouping, Measure, build
from tracelake.reports.model import EVERYTHING, Options, Query, Report

ROWS = """(
    SELECT texts.*, files.project, CAST(timezone('UTC', texts.occurred_at) AS DATE) AS day
    FROM citations AS texts
    LEFT JOIN files ON files.path = texts.path AND files.session_id = texts.session_id
)"""

GROUPING = Grouping(
    rows=ROWS,
    keys={
        "reason": "pool || ': ' || coalesce(excluded_reason, 'citable')",
        "pool": "pool",
        "kind": "kind",
        "tool": "coalesce(tool_name, '')",
        "day": "day",
        "session": "session_id",
        "project": "project",
    },
    filters={"day": "day", "project": "project", "session": "session_id", "agent": "agent"},
    measures=(
        Measure.count("texts"),
        Measure.count("citable", "citable"),
        Measure.count("excluded", "NOT citable"),
        Measure.count("by_seed", "seed_citable"),
    ),
    best="texts DESC",
)


def citations(options: Options) -> Query:
    """Return texts by the key asked for, most first (days in order)."""
    return build(GROUPING, options)


CITATIONS = Report(
    "citations",
    "Texts that can be cited and texts that cannot, with the reasons; answer_wordings has the wordings of answers.",
    (EVERYTHING | {"by"}) - {"model"},
    citations,
    by=tuple(GROUPING.keys),
    has_total=True,
)
