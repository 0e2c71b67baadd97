"""Published copies: Hive partitions by session of the tables that were chosen, for programs that read plain files.

    tables/<table>/session_id=<escaped id>/data.parquet

They show what the view of the table shows, of one snapshot each, whose number is in their footer; each is replaced by a
rename. Nothing of tracelake reads them. Which reading of its files a partition shows is kept beside them, so that an
interrupted run is gone on with by the next one.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from tracelake.lake.connect import open_lake
from tracelake.lake.durable import make_private_dir, move, replace_private, write_private, writing
from tracelake.lake.layout import LakePaths
from tracelake.lake.manifest import Manifest
from tracelake.lake.model_files import models_stamp
from tracelake.tables import TABLES

SESSIONS_AT_ONCE = 500
"""So many sessions are read from the lake by one query."""
SNAPSHOT_KEY = b"tracelake.snapshot"
"""Key of the Parquet metadata that says which commit a file shows."""
STATE = "published.json"


class _State(msgspec.Struct):
    """What the partitions show: by table and session a mark of the parts, and the SQL that they were made by."""

    models: str
    tables: dict[str, dict[str, str]]


def publish(paths: LakePaths, manifest: Manifest) -> int:
    """Bring the published partitions up to date with the manifest's snapshot; return how many files were written.

    Raises LakeError or LakeWriteError.
    """
    state = _load(paths)
    wanted = {table: _marks(manifest, table) for table in manifest.settings.partitions}
    written = 0
    with writing(paths.published):
        _remove_tables(paths, state, wanted)
        for table, marks in wanted.items():
            shown = state.tables.setdefault(table, {})
            if not shown:
                _remove_strangers(paths, table, marks)
            for session_id in shown.keys() - marks.keys():
                shutil.rmtree(paths.partition_file(table, session_id).parent, ignore_errors=True)
                del shown[session_id]
            stale = sorted(session_id for session_id, mark in marks.items() if shown.get(session_id) != mark)
            for some in _chunks(stale, SESSIONS_AT_ONCE):
                written += _write(paths, manifest, table, some)
                shown |= {session_id: marks[session_id] for session_id in some}
                _save(paths, state)
        _save(paths, state)
    return written


def _remove_strangers(paths: LakePaths, table: str, sessions: Iterable[str]) -> None:
    """Remove the partitions of sessions that there are none of, where nothing says what is there."""
    folder = paths.published / table
    expected = {paths.partition_file(table, session_id).parent.name for session_id in sessions}
    for partition in folder.iterdir() if folder.is_dir() else ():
        if partition.name not in expected:
            shutil.rmtree(partition)


def _marks(manifest: Manifest, table: str) -> dict[str, str]:
    """Return, for every session with rows of the table, what changes when these rows may have changed."""
    marks: dict[str, list[str]] = {}
    for part_id, part in manifest.parts.items():
        if part.rows.get(table):
            state = manifest.files[part.path]
            mark = f"{part_id}:{state.vanished_at_us or ''}:{'!' if state.read_error else ''}"
            marks.setdefault(part.session_id, []).append(mark if table == "files" else str(part_id))
    return {session_id: ",".join(sorted(some)) for session_id, some in marks.items()}


def _chunks(items: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _write(paths: LakePaths, manifest: Manifest, table: str, sessions: Sequence[str]) -> int:
    metadata = {SNAPSHOT_KEY: str(manifest.number).encode()}
    written = 0
    with open_lake(paths.root) as connection:
        order = ", ".join(name for name in ("session_id", "path", "line_no", "seq") if name in _names(table))
        sql = f"FROM {table} WHERE session_id IN (SELECT unnest(?::VARCHAR[])) ORDER BY {order}"
        data = connection.sql(sql, params=[list(sessions)]).to_arrow_table()
    for session_id, rows in _by_session(data):
        _write_one(paths.partition_file(table, session_id), rows.replace_schema_metadata(metadata), table)
        written += 1
    return written


def _names(table: str) -> set[str]:
    return {column.name for column in TABLES[table].columns}


def _by_session(data: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """Yield each session's stretch of rows that are sorted by session."""
    import pyarrow.compute as pc

    runs = pc.run_end_encode(data.column("session_id").combine_chunks())
    start = 0
    for session_id, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist(), strict=True):
        yield session_id, data.slice(start, end - start)
        start = end


def _write_one(target: Path, rows: pa.Table, table: str) -> None:
    few = [column.name for column in TABLES[table].columns if column.few_values]
    sink = pa.BufferOutputStream()
    pq.write_table(rows, sink, compression="zstd", compression_level=1, use_dictionary=few, write_statistics=False)
    make_private_dir(target.parent)
    aside = target.with_name(target.name + ".new")
    write_private(aside, sink.getvalue())
    move(aside, target)


def _remove_tables(paths: LakePaths, state: _State, wanted: Iterable[str]) -> None:
    """Remove the folders of tables that are no longer published, those of an older layout included."""
    kept = set(wanted)
    for name in [*state.tables, *TABLES]:
        if name not in kept:
            state.tables.pop(name, None)
            if (paths.published / name).is_dir():
                shutil.rmtree(paths.published / name)
    if not kept and paths.published.is_dir():
        (paths.published / STATE).unlink(missing_ok=True)
        with suppress(OSError):
            paths.published.rmdir()


def _load(paths: LakePaths) -> _State:
    fresh = _State(models_stamp(), {})
    try:
        state = msgspec.json.decode((paths.published / STATE).read_bytes(), type=_State)
    except (OSError, msgspec.MsgspecError):
        return fresh
    return state if state.models == fresh.models else fresh


def _save(paths: LakePaths, state: _State) -> None:
    """Keep the state, unless the very same is kept already."""
    file, content = paths.published / STATE, msgspec.json.encode(state)
    if state.tables and not (file.is_file() and file.read_bytes() == content):
        make_private_dir(paths.published)
        replace_private(file, content)
