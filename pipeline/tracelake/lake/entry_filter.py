"""Entries picked by a SQL condition, and marks to read on from (transcript.md Q-1 to Q-4).

A condition is any SQL expression over the columns of the view `entries_json`: those of `entries`, and `message`,
`tool_use_result` and `json` as JSON, so that arrows reach what no column holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from tracelake.errors import QueryError
from tracelake.lake.connect import run_select

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

Row = TypeVar("Row", bound=dict[str, Any])


class ExpressionNeverRanError(QueryError):
    """The condition was NULL or failed on every entry that was offered: it looked at nothing (Q-2)."""


class ExpressionNotBooleanError(QueryError):
    """The expression is no condition (Q-2)."""


def filter_entries(
    con: duckdb.DuckDBPyConnection,
    where: str = "",
    *,
    path: str | None = None,
    include_sidechains: bool = False,
    timeout_s: float | None = None,
) -> pa.Table:
    """Return the entries for which `where` is true, in order of path and line, with the columns of `entries`.

    Offered are lines that a strict reader takes, with a uuid, of one file or of all, without sidechains by default.
    An entry on which the condition is NULL or fails is left out; one that is NULL or fails on all that were offered
    is an error. `timeout_s` is the limit of each query, in seconds.

    Raises ExpressionNotBooleanError, ExpressionNeverRanError, or QueryError for a condition that cannot be read and a
    `path` that is no transcript of the lake.
    """
    if path is not None and not run_select(con, "SELECT 1 FROM files WHERE path = ?", [path]).num_rows:
        raise QueryError(f"{path} is not a file of this lake")
    offered, params = _offered(path, include_sidechains)
    if not where.strip():
        return run_select(con, f"SELECT entries.* FROM entries {offered} ORDER BY path, line_no", params, timeout_s)
    _require_condition(con, where)
    source = f"FROM entries_json AS entries {offered}"
    verdict = f"TRY((\n{where}\n))"
    columns = "* EXCLUDE (json, message, tool_use_result)"
    found = run_select(con, f"SELECT {columns} {source} AND {verdict} ORDER BY path, line_no", params, timeout_s)
    if found.num_rows == 0:
        _require_one_run(con, where, verdict, source, params, timeout_s)
    return found


def _offered(path: str | None, include_sidechains: bool) -> tuple[str, list[Any]]:
    condition = "WHERE is_strict(entries.status) AND entries.uuid IS NOT NULL"
    if not include_sidechains:
        condition += " AND NOT coalesce(entries.is_sidechain, false)"
    return (condition, []) if path is None else (condition + " AND entries.path = ?", [path])


def _require_condition(con: duckdb.DuckDBPyConnection, where: str) -> None:
    """Raise unless the text is one expression whose type is BOOLEAN."""
    # Bare and in parentheses: the one refuses a text that closes them, the other a list or a FROM of its own.
    both = f"(\n{where}\n) AS verdict,\n{where}\nAS bare"
    described = run_select(con, f"DESCRIBE SELECT {both} FROM entries_json AS entries")
    kind = described.column("column_type")[0].as_py()
    if kind != "BOOLEAN":
        raise ExpressionNotBooleanError(f"the expression gives {kind}, not true or false: {where.strip()}")


def _require_one_run(
    con: duckdb.DuckDBPyConnection, where: str, verdict: str, source: str, params: list[Any], timeout_s: float | None
) -> None:
    """Raise unless the condition was true or false of some entry, or none was offered."""
    counted = run_select(con, f"SELECT count(*) AS offered, count({verdict}) AS evaluated {source}", params, timeout_s)
    (counts,) = counted.to_pylist()
    if counts["evaluated"] or not counts["offered"]:
        return
    why = _why(con, where, source, params, timeout_s)
    raise ExpressionNeverRanError(f"the expression {why} on every one of {counts['offered']} entries")


def _why(con: duckdb.DuckDBPyConnection, where: str, source: str, params: list[Any], timeout_s: float | None) -> str:
    try:
        run_select(con, f"SELECT count(*) FILTER (WHERE (\n{where}\n)) {source}", params, timeout_s)
    except QueryError as error:
        return f"fails ({error})"
    return "is NULL (a misspelt key, or one that no entry has)"


def since(entries: Sequence[Row], mark: str) -> Sequence[Row]:
    """Return the entries after the first with the uuid `mark`; all for an empty or unknown mark (Q-4)."""
    for position, entry in enumerate(entries):
        if mark and entry["uuid"] == mark:
            return entries[position + 1 :]
    return entries


def mark_of(entries: Sequence[Row]) -> str:
    """Return the uuid of the last entry, empty where there is none: then the previous mark is kept (Q-4)."""
    return str(entries[-1]["uuid"]) if entries else ""
