"""The database file: a view per table over the partitions, the price tables, and every model of `sql/`.

It holds no transcript data, only where the data lies, so it is built anew after each commit and can be deleted at
any time. Storage format v1.4.0, so that DuckDB clients from 1.4 on open it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from tracelake.config import cache_dir
from tracelake.errors import LakeError, LakeWriteError
from tracelake.lake.conversation_table import conversation_table
from tracelake.lake.durable import flush_all, make_private, make_private_dir, move, replace_private, writing
from tracelake.lake.layout import LakePaths, escape_session_id
from tracelake.lake.model_files import Model, ModelColumn, load_models
from tracelake.lake.prices import PRICE_TABLES
from tracelake.lake.view_sql import (
    definition,
    model_comments,
    partition_view,
    price_table,
    quote_text,
    typed_nulls,
    view_comments,
)
from tracelake.tables import TABLES

__all__ = ["Model", "ModelColumn", "build_database", "load_models", "partition_files"]

STORAGE_VERSION = "v1.4.0"


class _Session(Protocol):
    @property
    def rows(self) -> Mapping[str, int]: ...


class Sessions(Protocol):
    """What is read of a manifest: the live sessions, each with its rows by table."""

    @property
    def sessions(self) -> Mapping[str, _Session]: ...


def build_database(paths: LakePaths, manifest: Sessions) -> None:
    """Write the database file aside, flush it and rename it into place, mode 0600; likewise `init.sql`.

    Raises LakeWriteError when it cannot be written, LakeError when a model does not fit the tables.
    """
    aside = paths.database.with_name(paths.database.name + ".new")
    with writing(paths.database):
        _remove(aside)
        try:
            aside.write_bytes(_template())
            _write(aside, _data_statements(paths, manifest))
            make_private(aside)
            flush_all(paths.root, [aside])
            move(aside, paths.database)
        finally:
            _remove(aside)
        replace_private(paths.root / "init.sql", _init_script(paths).encode())


def partition_files(paths: LakePaths, manifest: Sessions, table: str) -> list[Path]:
    """Return the files that hold a table's rows, in session order: never a glob, only what is live."""
    return [
        paths.partition_file(table, session_id)
        for session_id, session in sorted(manifest.sessions.items())
        if session.rows.get(table)
    ]


def _write(file: Path, statements: Iterable[str]) -> None:
    import duckdb

    # One thread: there is no data to scan, and starting workers for 1,000 tiny statements costs more than it gives.
    connection = duckdb.connect(":memory:", config={"threads": 1})
    try:
        connection.execute(f"ATTACH {quote_text(str(file))} AS lake (STORAGE_VERSION '{STORAGE_VERSION}')")
        connection.execute("USE lake; BEGIN")
        for statement in statements:
            connection.execute(statement)
        connection.execute("COMMIT; USE memory; DETACH lake")
    except (duckdb.IOException, duckdb.TransactionException) as error:
        if "No files found" in str(error):
            raise LakeError(f"a partition is missing, extract again with --full: {_first_line(error)}") from error
        raise LakeWriteError(f"cannot write {file}: {_first_line(error)}") from error
    except duckdb.Error as error:
        raise LakeError(f"cannot build the views of {file.parent}: {_first_line(error)}") from error
    finally:
        connection.close()


def _first_line(error: Exception) -> str:
    """Return the first line of a database error."""
    return str(error).strip().split("\n", 1)[0]


def _template() -> bytes:
    """Return a database file with all models over empty tables, kept in the user's cache until a model changes.

    Binding a hundred models takes two seconds, whatever the lake holds, so it is not done for every run. Over empty
    tables they bind faster than over 10,000 partitions.
    """
    kept = cache_dir() / f"models-{_models_key()}.duckdb"
    with suppress(OSError):
        return kept.read_bytes()
    template = _build_template()
    with suppress(OSError):
        make_private_dir(kept.parent)
        for outdated in kept.parent.glob("models-*.duckdb"):
            outdated.unlink(missing_ok=True)
        replace_private(kept, template)
    return template


@cache
def _models_key() -> str:
    import duckdb

    return sha256("\n".join([duckdb.__version__, *_model_statements()]).encode()).hexdigest()[:16]


@cache
def _build_template() -> bytes:
    with TemporaryDirectory(prefix="tracelake-") as folder:
        file = Path(folder) / "template.duckdb"
        _write(file, _model_statements())
        return file.read_bytes()


def _model_statements() -> Iterator[str]:
    nowhere = LakePaths(Path(os.devnull))
    for table in TABLES.values():
        yield f"CREATE VIEW {table.name} AS {typed_nulls(table)}"
        yield view_comments(table.name, table.grain, table.columns)
    yield from _lists(nowhere)
    for model in load_models():
        yield definition(model)
        yield model_comments(model)


def _lists(paths: LakePaths) -> Iterator[str]:
    for name in PRICE_TABLES:
        yield from price_table(paths, name)
    yield from conversation_table(paths)


def _data_statements(paths: LakePaths, manifest: Sessions) -> Iterator[str]:
    """Yield what fills the template: the partitions of every table, and the lists that are kept in the file itself."""
    yield from _lists(paths)
    escaped = {session_id: escape_session_id(session_id) for session_id in sorted(manifest.sessions)}
    for table in TABLES.values():
        parts = [part for session_id, part in escaped.items() if manifest.sessions[session_id].rows.get(table.name)]
        if parts:
            yield partition_view(paths, table, parts)
            yield view_comments(table.name, table.grain, table.columns)


def _init_script(paths: LakePaths) -> str:
    return (
        "-- Opens the lake in a DuckDB shell: duckdb -init init.sql\n"
        f"ATTACH {quote_text(str(paths.database))} AS lake (READ_ONLY);\nUSE lake;\nSET TimeZone = 'UTC';\n"
    )


def _remove(aside: Path) -> None:
    for file in (aside, aside.with_name(aside.name + ".wal")):
        file.unlink(missing_ok=True)
