"""`ask`: one SELECT that Ctrl-C can stop."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from pipeline.reports.model import Query

if TYPE_CHECKING:
    import duckdb


def ask(connection: duckdb.DuckDBPyConnection, query: Query, timeout_s: float | None = None) -> Any:
    """Return the Arrow table of one SELECT; raises as `run_select` does.

    It runs in a thread of its own: while the database computes, Python handles no signal in the thread that called it.
    """
    from pipeline.lake.connect import run_select

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(run_select, connection, query.sql, query.params or None, timeout_s)
        try:
            return future.result()
        except KeyboardInterrupt:
            connection.interrupt()
            raise
