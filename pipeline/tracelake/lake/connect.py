"""Reading a lake: read-only connections, the sandbox for SQL that is not ours, and Polars scans."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tracelake.errors import LakeError, QueryError
from tracelake.lake.guard import require_select
from tracelake.lake.layout import LakePaths
from tracelake.lake.repair import usable_database
from tracelake.lake.view_sql import quote_text

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    Connection = duckdb.DuckDBPyConnection
    """What `open_lake` yields."""

_NO_NETWORK = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}
"""Nothing is downloaded, and a name in a query is never a Python variable of ours."""

_ERROR_POSITION = re.compile(r"\n\s*\n|\nLINE \d+:")


@contextmanager
def open_lake(lake: Path, *, sandbox: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a read-only connection to a lake, its views in reach by name, times shown in UTC.

    All that is asked in the block is answered from one snapshot; commits go on meanwhile, and the files of the snapshot
    stay for the lake's grace period. With `sandbox` SQL can read no file but the lake's segments, load nothing and
    change no setting; `run_select` must still be the one to run it, because DuckDB lets COPY write where it may read.

    Raises LakeError when there is no lake or it cannot be opened.
    """
    import duckdb

    paths = LakePaths(Path(lake).expanduser().absolute())
    with TemporaryDirectory(prefix="tracelake-") as spill:
        database = usable_database(paths, Path(spill))
        # An instance of its own in memory: DuckDB shares one between connections to the same file, settings included.
        connection = duckdb.connect(":memory:", config={**_NO_NETWORK, "temp_directory": spill})
        try:
            try:
                connection.execute(f"ATTACH {quote_text(str(database))} AS lake (READ_ONLY)")
                connection.execute("USE lake; SET TimeZone = 'UTC'")
            except duckdb.Error as error:
                raise LakeError(f"cannot open {database}: {error_text(error)}") from error
            if sandbox:
                _lock_down(connection, paths)
            yield connection
        finally:
            connection.close()


def snapshot_of(connection: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    """Return what the open snapshot is: its number, the lake's folder, what its views and prices were made from."""
    rows: list[dict[str, Any]] = run_select(connection, "FROM lake_snapshot").to_pylist()
    return rows[0]


def run_select(
    connection: duckdb.DuckDBPyConnection,
    sql: str,
    params: Sequence[Any] | dict[str, Any] | None = None,
    timeout_s: float | None = None,
) -> pa.Table:
    """Return the result of exactly one SELECT (FROM, VALUES, DESCRIBE, SHOW and SUMMARIZE are SELECTs too).

    Raises QueryError, one line, when the text is anything else, cannot run, or takes longer than `timeout_s` seconds.
    """
    import duckdb

    try:
        require_select(connection, sql)
        with _interrupted_after(connection, timeout_s):
            table: pa.Table = connection.sql(sql, params=params).to_arrow_table()
    except duckdb.InterruptException as error:
        raise QueryError(f"the query was stopped after {timeout_s:g} seconds" if timeout_s else "stopped") from error
    except duckdb.Error as error:
        raise QueryError(error_text(error)) from error
    return table


def error_text(error: Exception) -> str:
    """Return a database error as one line: its message with hints, without the quoted SQL."""
    return " ".join(_ERROR_POSITION.split(str(error).strip(), maxsplit=1)[0].split())


def _lock_down(connection: duckdb.DuckDBPyConnection, paths: LakePaths) -> None:
    connection.execute(f"SET allowed_directories = [{quote_text(str(paths.segments) + '/')}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


@contextmanager
def _interrupted_after(connection: duckdb.DuckDBPyConnection, seconds: float | None) -> Iterator[None]:
    timer = threading.Timer(seconds or 0, connection.interrupt)
    if seconds:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
