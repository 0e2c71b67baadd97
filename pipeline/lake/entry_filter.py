"""Entries picked by a SQL condition, and marks to read on from (transcript.md Q-1 to Q-4).

A condition is any SQL expression over the columns of the view `entries_json`: those of `entries`, and `message`,
`tool_use_result` and `json` as JSON, so that arrows reach what no column holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from pipeline.errors import QueryError
from pipeline.lake.connect import run_select

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

Row = TypeVar("Row", bound=dict[str, Any])


class ExpressionNeverRanError(QueryError):
    """The condition failed on every entry that was offered (Q-2)."""


class ExpressionNotBooleanError(QueryError):
    """The expression is no condition (Q-2)."""


def filter_entries(
    con: duckdb.DuckDBPyConnection, where: str = "", *, path: str | None = None, include_sidechains: bool = False
) -> pa.Table:
    """Return the entries for which `where` is true, in order of path and line.

    Offered are lines with status ok and a uuid, of one file or of all, without sidechains unless included. An entry on
    which the condition is NULL or fails is left out; one that fails on all that were offered is an error.

    Raises ExpressionNotBooleanError, ExpressionNeverRanError, or QueryError for a condition that cannot be read.
    """
    offered, params = _offered(path, include_sidechains)
    if not where.strip():
        return run_select(con, f"SELECT entries.* FROM entries {offered} ORDER BY path, line_no", params)
    source = f"FROM entries_json AS entries {offered}"
    columns = "* EXCLUDE (json, message, tool_use_result)"
    _require_condition(con, where, source, params)
    verdict = f"TRY(\n{where}\n)"
    found = run_select(con, f"SELECT {columns} {source} AND {verdict} ORDER BY path, line_no", params)
    if found.num_rows == 0:
        _require_one_run(con, where, source, params)
    return found


def _offered(path: str | None, include_sidechains: bool) -> tuple[str, list[Any]]:
    condition = "WHERE entries.status = 'ok' AND entries.uuid IS NOT NULL"
    if not include_sidechains:
        condition += " AND NOT coalesce(entries.is_sidechain, false)"
    return (condition, []) if path is None else (condition + " AND entries.path = ?", [path])


def _require_condition(con: duckdb.DuckDBPyConnection, where: str, source: str, params: list[Any]) -> None:
    kind = run_select(con, f"SELECT\n{where}\nAS verdict {source} LIMIT 0", params).schema.field(0).type
    if str(kind) not in ("bool", "null"):
        raise ExpressionNotBooleanError(f"the expression gives {kind}, not true or false: {where.strip()}")


def _require_one_run(con: duckdb.DuckDBPyConnection, where: str, source: str, params: list[Any]) -> None:
    """Raise unless some entry was evaluated, to whatever end, or none was offered."""
    ran = run_select(con, f"SELECT 1 {source} AND TRY(\n{where}\n) IS NOT NULL LIMIT 1", params)
    if ran.num_rows:
        return
    try:
        run_select(con, f"SELECT count(*) FILTER (WHERE\n{where}\n) {source}", params)
    except QueryError as error:
        raise ExpressionNeverRanError(f"the expression failed on every entry: {error}") from error


def since(entries: Sequence[Row], mark: str) -> Sequence[Row]:
    """Return the entries after the first with the uuid `mark`; all for an empty or unknown mark (Q-4)."""
    for position, entry in enumerate(entries):
        if mark and entry["uuid"] == mark:
            return entries[position + 1 :]
    return entries


def mark_of(entries: Sequence[Row]) -> str:
    """Return the uuid of the last entry, empty where there is none: then the previous mark is kept (Q-4)."""
    return str(entries[-1]["uuid"]) if entries else ""
