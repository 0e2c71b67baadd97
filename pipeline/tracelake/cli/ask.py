"""`ask` and `stoppable`: what the database computes, so that Ctrl-C can stop it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from tracelake.reports.model import Query

if TYPE_CHECKING:
    from tracelake.lake.connect import Connection

T = TypeVar("T")


def ask(connection: Connection, query: Query, timeout_s: float | None = None) -> Any:
    """Return the Arrow table of one SELECT; raises as `run_select` does."""
    from tracelake.lake.connect import run_select

    return stoppable(connection, lambda: run_select(connection, query.sql, query.params or None, timeout_s))


def stoppable(connection: Connection, call: Callable[[], T]) -> T:
    """Return what `call` returns, which works on the connection; Ctrl-C interrupts it.

    It runs in a thread of its own: while the database computes, Python handles no signal in the thread that called it.
    """
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(call)
        try:
            return future.result()
        except KeyboardInterrupt:
            connection.interrupt()
            raise
