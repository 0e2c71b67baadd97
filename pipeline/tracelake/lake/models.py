"""The database file: what one snapshot consists of, a view per table over its segments, and every model of `sql/`.

It holds no transcript data, only where the data lies and a few small lists, so it can be made again from the manifest
at any time. Replacing it is what makes a commit visible. Storage format v1.4.0, so that DuckDB clients from 1.4 on
open it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tracelake import __version__
from tracelake.config import cache_dir
from tracelake.errors import LakeError, LakeWriteError
from tracelake.lake.conversation_table import COLUMNS as CONVERSATION_COLUMNS
from tracelake.lake.conversation_table import TABLE as CONVERSATIONS
from tracelake.lake.derived import derived_path
from tracelake.lake.durable import make_private_dir, replace_private
from tracelake.lake.layout import LakePaths
from tracelake.lake.manifest import LAKE_VERSION, FileState, Manifest
from tracelake.lake.model_files import Model, ModelColumn, load_models, models_stamp, references, table_queries
from tracelake.lake.prices import PRICE_TABLES, column_types
from tracelake.lake.view_sql import (
    Holders,
    created_table,
    definition,
    filled_table,
    model_comments,
    quote_text,
    stored_view,
    table_view,
    typed_nulls,
    view_comments,
)
from tracelake.tables import EXTRACTOR_VERSION, SCHEMA, TABLES

if TYPE_CHECKING:
    import duckdb

__all__ = ["Model", "ModelColumn", "load_models", "write_database"]

STORAGE_VERSION = "v1.4.0"
READ_ONLY = 0o400
"""Mode of the database file: no client changes it by mistake."""

SNAPSHOT_COLUMNS = {
    "format": ("BIGINT", "Format of the lake; a tracelake that knows only lower ones refuses it."),
    "number": ("BIGINT", "Number of the commit that the views show."),
    "root": ("VARCHAR", "Folder of the lake when the file was written; the views name segments by absolute paths."),
    "tool_version": ("VARCHAR", "Version of tracelake that wrote the file."),
    "models": ("VARCHAR", "Hash of the SQL that the views were made from."),
    "prices": ("VARCHAR", "What the prices were made from."),
    "extractor_version": ("BIGINT", "Version of the extraction that rows are made by now."),
    "outdated_files": (
        "BIGINT",
        "Transcripts whose rows an older extraction made: they are gone, and so are raw lines.",
    ),
}
"""Columns of the table `lake_snapshot`, which has one row: type and sentence."""


_STATES = {
    "file_states": {"part_id": "BIGINT", "vanished_at": "TIMESTAMP WITH TIME ZONE", "read_error": "VARCHAR"},
    "dead_parts": {"part_id": "BIGINT"},
    "lake_snapshot": {name: kind for name, (kind, _) in SNAPSHOT_COLUMNS.items()},
}
"""Tables that say what is live, with the types of their columns."""


def write_database(paths: LakePaths, manifest: Manifest, target: Path) -> None:
    """Write the database file of a snapshot as the new file `target`, mode 0400, not flushed yet.

    Raises LakeWriteError when it cannot be written, LakeError when a model does not fit the tables, OSError.
    """
    _remove(target)
    target.write_bytes(_template())
    _write(target, lambda connection: _fill(connection, paths, manifest))
    target.with_name(target.name + ".wal").unlink(missing_ok=True)
    target.chmod(READ_ONLY)


def init_script(paths: LakePaths) -> bytes:
    """Return `init.sql`, which opens the lake in a DuckDB shell."""
    return (
        "-- Opens the lake in a DuckDB shell: duckdb -init init.sql\n"
        f"ATTACH {quote_text(str(paths.database))} AS lake (READ_ONLY);\nUSE lake;\nSET TimeZone = 'UTC';\n"
    ).encode()


def _fill(connection: duckdb.DuckDBPyConnection, paths: LakePaths, manifest: Manifest) -> None:
    """Put into the template what this snapshot consists of."""
    for statement in _data_statements(paths, manifest):
        connection.execute(statement)
    states = [
        (state.part_id, state.vanished_at_us, state.read_error)
        for state in manifest.files.values()
        if state.vanished_at_us is not None or state.read_error is not None
    ]
    _insert(
        connection,
        "file_states",
        "SELECT part_id, make_timestamptz(at_us), error",
        states,
        ("part_id", "at_us", "error"),
    )
    dead = [(part,) for bundle in manifest.bundles for part in manifest.dead_parts(bundle)]
    _insert(connection, "dead_parts", "SELECT part_id", dead, ("part_id",))
    prices = manifest.derived.get("price_rates")
    facts = [
        LAKE_VERSION,
        manifest.number,
        str(paths.root),
        __version__,
        models_stamp(),
        prices.stamp if prices else None,
        EXTRACTOR_VERSION,
        sum(_is_outdated(state) for state in manifest.files.values()),
    ]
    connection.execute(f"INSERT INTO lake_snapshot VALUES ({', '.join('?' * len(facts))})", facts)


def _is_outdated(state: FileState) -> bool:
    return state.file.is_transcript and state.extractor_version != EXTRACTOR_VERSION


_ROW_TYPES = {"part_id": "int64", "at_us": "int64", "error": "string"}


def _insert(
    connection: duckdb.DuckDBPyConnection, table: str, select: str, rows: list[tuple[Any, ...]], names: tuple[str, ...]
) -> None:
    if not rows:
        return
    import pyarrow as pa

    columns = zip(*rows, strict=True)
    arrays = {name: pa.array(values, _ROW_TYPES[name]) for name, values in zip(names, columns, strict=True)}
    connection.register("given_rows", pa.table(arrays))
    connection.execute(f"INSERT INTO {table} {select} FROM given_rows")
    connection.unregister("given_rows")


def _data_statements(paths: LakePaths, manifest: Manifest) -> Iterator[str]:
    """Yield what fills the template: the segments of every table, and the lists that are kept in the file itself."""
    for name in _lists():
        if file := derived_path(paths, manifest, name):
            yield filled_table(name, file)
    older = {bundle for bundle, state in manifest.bundles.items() if state.schema != SCHEMA}
    mixed = {bundle for bundle in manifest.bundles if manifest.dead_parts(bundle)} - older
    for table in TABLES.values():
        names = sorted(name for name, state in manifest.bundles.items() if table.name in state.files)
        holders = Holders(
            clean=[name for name in names if name not in mixed | older],
            mixed=[name for name in names if name in mixed],
            older=[name for name in names if name in older],
        )
        yield stored_view(paths, table, holders)


def _lists() -> dict[str, dict[str, str]]:
    """Return the computed tables that are loaded into the database file, with the types of their columns."""
    lists = {name: column_types(name) for name in PRICE_TABLES}
    return {**lists, CONVERSATIONS: {name: kind for name, (kind, _) in CONVERSATION_COLUMNS.items()}}


def _write(file: Path, fill: Callable[[duckdb.DuckDBPyConnection], None]) -> None:
    import duckdb

    # One thread: there is no data to scan, and starting workers for 1,000 tiny statements costs more than it gives.
    connection = duckdb.connect(":memory:", config={"threads": 1})
    try:
        connection.execute(f"ATTACH {quote_text(str(file))} AS lake (STORAGE_VERSION '{STORAGE_VERSION}')")
        connection.execute("USE lake; BEGIN")
        fill(connection)
        connection.execute("COMMIT; USE memory; DETACH lake")
    except (duckdb.IOException, duckdb.TransactionException) as error:
        if "No files found" in str(error):
            raise LakeError(f"a segment is missing: {_first_line(error)}; run tracelake check --read-data") from error
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

    Binding a hundred models takes two seconds, whatever the lake holds, so it is not done for every run. A copy in the
    cache counts only if it is whole and the user's own.
    """
    kept = cache_dir() / f"models-{_models_key()}.duckdb"
    with suppress(OSError, ValueError):
        return _checked(kept)
    template = _build_template()
    with suppress(OSError):
        make_private_dir(kept.parent)
        for outdated in kept.parent.glob("models-*.duckdb"):
            outdated.unlink(missing_ok=True)
        replace_private(kept, sha256(template).digest() + template)
    return template


def _checked(kept: Path) -> bytes:
    """Return the content of a cached template. Raises OSError, or ValueError where it is damaged or another's."""
    if kept.stat(follow_symlinks=False).st_uid != os.getuid():
        raise ValueError("it belongs to another user")
    content = kept.read_bytes()
    digest, template = content[:32], content[32:]
    if sha256(template).digest() != digest:
        raise ValueError("it is damaged")
    return template


@cache
def _models_key() -> str:
    import duckdb

    return sha256("\n".join([duckdb.__version__, *_model_statements()]).encode()).hexdigest()[:16]


@cache
def _build_template() -> bytes:
    with TemporaryDirectory(prefix="tracelake-") as folder:
        file = Path(folder) / "template.duckdb"
        _write(file, _build_models)
        return file.read_bytes()


def _build_models(connection: duckdb.DuckDBPyConnection) -> None:
    for statement in _model_statements():
        connection.execute(statement)


def _model_statements() -> Iterator[str]:
    yield from _bare_tables()
    for table in TABLES.values():
        yield f"CREATE VIEW stored_{table.name} AS {typed_nulls(table.stored_columns)}"
    shaping = table_queries()
    early = _needed_by(shaping.values())
    yield from _statements(model for model in load_models() if model.name in early)
    for table in TABLES.values():
        yield table_view(table, shaping.get(table.name))
        yield view_comments(table.name, table.grain, table.columns)
    yield from _statements(model for model in load_models() if model.name not in early)


def _needed_by(queries: Iterable[str]) -> set[str]:
    """Return the models that the views of tables use; they read no table themselves."""
    return {name for query in queries for name in references(query)} & {model.name for model in load_models()}


def _statements(models: Iterable[Model]) -> Iterator[str]:
    for model in models:
        yield definition(model)
        yield model_comments(model)


def _bare_tables() -> Iterator[str]:
    for name, columns in {**_lists(), **_STATES}.items():
        yield created_table(name, columns)
    for name, (_, sentence) in PRICE_TABLES.items():
        yield f"COMMENT ON TABLE {name} IS {quote_text(sentence)}"
    yield f"COMMENT ON TABLE {CONVERSATIONS} IS 'One row per root file: its identity, as last computed.'"
    yield "COMMENT ON TABLE file_states IS 'One row per file that vanished or can no longer be read.'"
    yield "COMMENT ON TABLE dead_parts IS 'One row per part whose rows are still in a segment but no longer live.'"
    yield "COMMENT ON TABLE lake_snapshot IS 'One row: which commit this file shows.'"
    for table, documented in ((CONVERSATIONS, CONVERSATION_COLUMNS), ("lake_snapshot", SNAPSHOT_COLUMNS)):
        for name, (_, sentence) in documented.items():
            yield f"COMMENT ON COLUMN {table}.{name} IS {quote_text(sentence)}"


def _remove(file: Path) -> None:
    for leftover in (file, file.with_name(file.name + ".wal")):
        leftover.unlink(missing_ok=True)
