"""What the package offers to Python programs; `tracelake` itself hands these names on."""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from tracelake import config
from tracelake.errors import LakeError, NoSourceError, QueryError, UsageError
from tracelake.sources.paths import text_of

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    from tracelake.build import Summary
    from tracelake.lake.connect import Connection

StrPath = str | os.PathLike[str]
Sources = StrPath | Iterable[StrPath]
"""One source or several: agent homes, projects folders, any folders, single files."""


def extract(
    sources: Sources | None = None,
    lake: StrPath | None = None,
    *,
    full: bool = False,
    workers: int | None = None,
    engine: str = "auto",
    with_raw: bool = True,
    dry_run: bool = False,
    prices: str | None = None,
    partitions: str | None = None,
) -> Summary:
    """Bring a lake up to date with its sources and return what was done; what has not changed is not read again.

    The sources default to your agent homes, the lake to `$TRACELAKE_HOME`, else to your user data folder. `full` reads
    everything again, `engine` is auto, serial or local (in `workers` processes, by default one per core), `with_raw`
    keeps the exact bytes of every line, `dry_run` writes nothing, `prices` names a file of your own prices that the
    lake keeps (`none` forgets it), `partitions` the tables that the lake publishes as a folder per session from now on:
    all, none, or names with commas between them.

    Raises UsageError, NoSourceError, LakeBusyError or another LakeError. A file that cannot be read raises nothing: it
    is in the summary, and in the table `files` with its reason.
    """
    from tracelake.build import extract as build

    return build(
        found_homes() if sources is None else _paths(sources),
        lake_folder(lake),
        full=full,
        workers=workers,
        engine=engine,
        with_raw=with_raw,
        dry_run=dry_run,
        prices=prices,
        partitions=partitions,
    )


def open_lake(lake: StrPath | None = None, *, sandbox: bool = False) -> AbstractContextManager[Connection]:
    """Return a context manager that gives a read-only DuckDB connection; tables, views and macros are there by name.

    All that is asked in one block is answered from one state of the lake. With `sandbox` the SQL can reach no file but
    the lake's and change no setting. Raises LakeError when there is no lake or it cannot be opened.
    """
    from tracelake.lake.connect import open_lake as connect

    return connect(lake_folder(lake), sandbox=sandbox)


@dataclass(frozen=True)
class QueryResult:
    """The rows of one query, held in memory as Arrow; anything that takes Arrow streams takes it as it is."""

    table: pa.Table

    def arrow(self) -> pa.Table:
        """Return the rows as a pyarrow Table."""
        return self.table

    def pl(self) -> pl.DataFrame:
        """Return the rows as a Polars DataFrame. Raises QueryError for a column type that Polars lacks."""
        import polars as pl

        try:
            frame = pl.from_arrow(self.table)
        except (pl.exceptions.PolarsError, TypeError, ValueError, NotImplementedError) as error:
            types = ", ".join(f"{field.name} {field.type}" for field in self.table.schema)
            raise QueryError(f"Polars lacks a type of this result ({types}); cast the column in the query") from error
        assert isinstance(frame, pl.DataFrame)
        return frame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand the rows over by the Arrow PyCapsule interface."""
        stream: object = self.table.__arrow_c_stream__(requested_schema)
        return stream


def query(
    sql: str,
    params: Sequence[Any] | dict[str, Any] | None = None,
    *,
    lake: StrPath | None = None,
    timeout_s: float | None = None,
) -> QueryResult:
    """Return the result of one SELECT over a lake, read-only and fenced in; times are in UTC.

    `params` are the values of `?` and `$name` in the text. Raises QueryError, one line, when the text is anything else
    or cannot run, or takes more than `timeout_s` seconds; LakeError when there is no lake.
    """
    from tracelake.lake.connect import run_select

    with open_lake(lake, sandbox=True) as connection:
        return QueryResult(run_select(connection, sql, params, timeout_s))


def scan(view: str, *, lake: StrPath | None = None) -> pl.LazyFrame:
    """Return a Polars LazyFrame over the view of that name; every table has a view of its name.

    The lake is opened each time the frame is collected, and only then: the rows are those of that moment, and DuckDB
    reads no more than the columns and rows that Polars asks for. Raises LakeError when there is no lake or no such
    view.
    """
    from polars.io.plugins import register_io_source

    folder = lake_folder(lake)
    with open_lake(folder) as connection:
        names = sorted(
            name for (name,) in connection.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()
        )
        if view not in names:
            raise LakeError(f"no view {view!r}; tracelake schema lists them")
        schema = connection.table(view).limit(0).pl().schema

    def rows(
        columns: list[str] | None, predicate: pl.Expr | None, most: int | None, _batch_rows: int | None
    ) -> Iterator[pl.DataFrame]:
        with open_lake(folder) as connection:
            frame: pl.LazyFrame = connection.table(view).pl(lazy=True)
            if most is not None:
                frame = frame.head(most)
            if predicate is not None:
                frame = frame.filter(predicate)
            if columns is not None:
                frame = frame.select(columns)
            yield frame.collect()

    return register_io_source(rows, schema=schema)


def read_tables(sources: Sources, *, with_raw: bool = True) -> dict[str, pa.RecordBatchReader]:
    """Read transcripts and return a reader per table, by name; there is no lake, before or after.

    The rows are those that the views of a lake show. They lie in a temporary folder that only you can read and that is
    deleted with the last of the readers, so that transcripts may be larger than memory. Without `with_raw` the table
    `raw_lines` is empty.

    Raises NoSourceError when none of the sources is there. A file that cannot be read is a row of `files` with its
    reason.
    """
    from tracelake.tables import TABLES

    folder = _Folder()
    extract(sources, folder.path, with_raw=with_raw, partitions="none")
    return {table: _reader(folder, table) for table in TABLES}


class _Folder:
    """A private temporary folder that is deleted with this object."""

    def __init__(self) -> None:
        self.path = Path(mkdtemp(prefix="tracelake-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def _reader(folder: _Folder, table: str) -> pa.RecordBatchReader:
    import pyarrow as pa

    with open_lake(folder.path) as connection:
        schema = connection.table(table).limit(0).to_arrow_table().schema

    def batches() -> Iterator[pa.RecordBatch]:
        with open_lake(folder.path) as connection:
            yield from connection.table(table).to_arrow_reader()

    return pa.RecordBatchReader.from_batches(schema, batches())


def found_homes() -> list[Path]:
    """Return the user's agent homes. Raises NoSourceError, saying where it looked, if there is none."""
    homes = config.agent_homes()
    if homes:
        return homes
    looked = ", ".join(str(folder) for folder in config.transcript_folders())
    raise NoSourceError(f"no transcripts found (looked for {looked}); name a source: tracelake extract FOLDER")


def lake_folder(given: StrPath | None) -> Path:
    """Return the folder of a lake, `~` resolved, the default for None; it need not exist.

    Raises UsageError, one line, for what is not a folder, and for a path that the database would misread: it takes `?`
    for a wildcard, and stores paths as UTF-8 with `/` alone between folders.
    """
    folder = (Path(given) if given is not None else config.default_lake()).expanduser()
    whole = os.fspath(folder.absolute())
    shown = text_of(whole)
    if shown != whole or "\\" in whole:
        raise UsageError(f"the path of a lake must be UTF-8 text without a backslash, not {shown}")
    if "?" in whole:
        raise UsageError(f"the path of a lake must not contain a question mark: {whole}")
    if os.path.exists(whole) and not os.path.isdir(whole):  # noqa: PTH110, PTH112 - unlike Path's, they raise nothing
        raise UsageError(f"the lake {whole} is not a folder")
    return folder


def _paths(sources: Sources) -> list[Path]:
    given = [sources] if isinstance(sources, (str, os.PathLike)) else sources
    return [Path(source).expanduser() for source in given]
