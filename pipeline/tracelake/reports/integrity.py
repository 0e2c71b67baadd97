"""The SQL behind `tracelake check`."""

from __future__ import annotations

from tracelake.reports.model import Query


def coverage() -> Query:
    """Return the query for the physical lines of all transcripts against their rows, one row (E-1)."""
    counts = ("physical_lines", "entries", "difference", "missing_bytes")
    statuses = ("ok", "bad_type", "bad_value", "glued", "oversize", "bad_utf8", "torn", "bad_json", "blank")
    sums = ", ".join(f"coalesce(sum({name}), 0)::BIGINT AS {name}" for name in (*counts, *statuses))
    return Query(
        f"SELECT count(*)::BIGINT AS files, {sums}, count(read_error)::BIGINT AS read_errors,"
        " count(vanished_at)::BIGINT AS vanished FROM coverage",
        [],
    )


def rows_by_path() -> Query:
    """Return the query for the rows of every transcript."""
    return Query("SELECT path, entries FROM coverage", [])


def identities() -> Query:
    """Return the query for the survey of identities, a row per project folder (I-2)."""
    sql = """
        SELECT
            project_dir,
            count(*)::BIGINT AS files,
            count(*) FILTER (WHERE is_restart)::BIGINT AS restarts,
            count(*) FILTER (WHERE stable_id IS NOT NULL AND degraded IS NULL)::BIGINT AS ok,
            count(*) FILTER (WHERE degraded = 'missing')::BIGINT AS missing,
            count(*) FILTER (WHERE degraded = 'runaway')::BIGINT AS runaway,
            count(*) FILTER (WHERE identity_error = 'no_origin')::BIGINT AS no_origin,
            count(*) FILTER (WHERE identity_error = 'unreadable')::BIGINT AS unreadable
        FROM conversation_files
        GROUP BY project_dir
        ORDER BY project_dir
    """
    return Query(sql, [])


def issues() -> Query:
    """Return the query for every integrity issue, the severe ones first."""
    sql = """
        SELECT severity, check_id, session_id, path, line_no, detail, expectation
        FROM integrity_issues
        ORDER BY list_position(['error', 'warning', 'info'], severity), check_id, path, line_no
    """
    return Query(sql, [])
