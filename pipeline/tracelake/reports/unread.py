"""Lines that carry token counts but are of a type that nothing reads: what a sum of money may lack."""

from __future__ import annotations

from tracelake.reports.model import Query

UNREAD_USAGE = Query(
    """
    SELECT
        concat_ws(' ', coalesce(type, 'none'), subtype) AS type,
        count(*) AS lines,
        arg_min(concat(path, ':', line_no), ROW(path, line_no)) AS first
    FROM entries
    WHERE carries_usage
    GROUP BY ALL
    ORDER BY lines DESC, type
    LIMIT 10
    """,
    [],
)
"""One row per kind of line, the ten most frequent: `type`, `lines`, and `first` (path and line)."""
