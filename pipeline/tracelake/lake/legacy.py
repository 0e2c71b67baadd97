"""Lakes of the layout that came before segments: a folder of Parquet files per session, and `manifest.json`.

Sources that are still there are read again. Rows of transcripts that are gone are carried over as they are; where raw
lines were kept, the run makes them again from these. Then the old folders go.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tracelake.errors import LakeError
from tracelake.lake.arrow import arrow_schema
from tracelake.lake.durable import flush_all, reason_of
from tracelake.lake.layout import LakePaths
from tracelake.lake.manifest import BundleState, FileState, Manifest, PartState
from tracelake.lake.manifest_files import numbers
from tracelake.lake.rebuild import extent_of
from tracelake.lake.segment_file import Origin
from tracelake.lake.segment_rows import conform
from tracelake.lake.segments import BundleWriter
from tracelake.lake.store import Store
from tracelake.sources.model import SourceFile
from tracelake.tables import SCHEMA, TABLES

SESSIONS_AT_ONCE = 100
"""So many sessions become one bundle."""


class _OldFile(msgspec.Struct):
    """What the old manifest says of a file."""

    file: SourceFile
    vanished_at_us: int | None = None
    read_at_us: int | None = None
    read_error: str | None = None
    extractor_version: int = 0
    has_raw: bool = False


class _OldManifest(msgspec.Struct):
    files: dict[str, _OldFile] = {}


def is_old(paths: LakePaths) -> bool:
    """Return whether a lake has the old layout and no other yet."""
    return paths.old_manifest.is_file() and not numbers(paths)


def old_sources(paths: LakePaths) -> list[Path]:
    """Return the sources of an old lake that are still there. Raises LakeError where its manifest cannot be read."""
    sources = dict.fromkeys(Path(state.file.source) for state in _load(paths).files.values())
    return [source for source in sources if source.exists()]


def carry_over(store: Store) -> None:
    """Take over what an old lake holds of files that are gone; it is live with the run's first commit.

    Raises LakeError or LakeWriteError.
    """
    gone = {path: state for path, state in _load(store.paths).files.items() if not os.path.lexists(state.file.os_path)}
    sessions: dict[str, list[str]] = {}
    for path, state in sorted(gone.items()):
        sessions.setdefault(state.file.session_id, []).append(path)
    ordered = sorted(sessions)
    for start in range(0, len(ordered), SESSIONS_AT_ONCE):
        some = {session_id: sessions[session_id] for session_id in ordered[start : start + SESSIONS_AT_ONCE]}
        store.manifest = _carry(store, some, gone)


def remove_old(paths: LakePaths) -> None:
    """Remove what only the old layout had; published partitions are looked after elsewhere. Raises OSError."""
    for name in ("identity", "staging"):
        shutil.rmtree(paths.root / name, ignore_errors=True)
    for file in (paths.root / ".lock", *paths.prices.glob("*.parquet")):
        file.unlink(missing_ok=True)
    with suppress(OSError):
        paths.prices.rmdir()
    paths.old_manifest.unlink(missing_ok=True)


def _load(paths: LakePaths) -> _OldManifest:
    try:
        return msgspec.json.decode(paths.old_manifest.read_bytes(), type=_OldManifest)
    except OSError as error:
        raise LakeError(f"cannot read {paths.old_manifest}: {reason_of(error)}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise LakeError(
            f"{paths.old_manifest}, of an older tracelake, is damaged ({error}); "
            "extract into another --lake, or remove that file to start this one anew"
        ) from error


def _carry(store: Store, sessions: dict[str, list[str]], states: dict[str, _OldFile]) -> Manifest:
    """Write one bundle of the rows of files that are gone; return the manifest with it."""
    manifest, bundle = store.manifest, store.new_bundle()
    paths = [path for some in sessions.values() for path in some]
    parts = {path: manifest.next_part + number for number, path in enumerate(paths)}
    counts: dict[str, dict[str, int]] = {path: {} for path in paths}
    facts: dict[str, Any] = {}
    with BundleWriter(store.paths, bundle) as writer:
        for table in TABLES:
            data = _rows(store.paths, table, sessions, parts, states)
            for item in data.column("path").value_counts().to_pylist():
                counts[item["values"]][table] = item["counts"]
            if table in ("files", "entries", "token_usage"):
                facts[table] = data
            writer.write_table(table, data)
        commit = manifest.number + 1
        files = writer.finish(Origin(commit, sorted(parts.values())))
    flush_all(store.paths.root, [store.paths.segment(table, bundle) for table in files])
    made = dict(_parts(bundle, parts, counts, facts))
    known = {path: _state(states[path], parts[path], facts["files"]) for path in paths if counts[path].get("files")}
    return msgspec.structs.replace(
        manifest,
        next_part=manifest.next_part + len(paths),
        files={**manifest.files, **known},
        parts={**manifest.parts, **{number: part for number, part in made.items() if part.path in known}},
        bundles={**manifest.bundles, bundle: BundleState(commit, files, sorted(parts.values()), schema=SCHEMA)},
    )


def _rows(
    paths: LakePaths,
    table: str,
    sessions: dict[str, list[str]],
    parts: dict[str, int],
    states: dict[str, _OldFile],
) -> pa.Table:
    """Return the old rows of a table that belong to the files, as they are stored now."""
    batches = []
    for session_id, wanted in sessions.items():
        old = _partition(paths, table, session_id, wanted)
        if old is None:
            continue
        results = _partition(paths, "tool_results", session_id, wanted) if table == "tool_calls" else None
        for batch in _renamed(old, table, parts, states, results).combine_chunks().to_batches():
            batches.append(conform(batch, arrow_schema(table)))
    return pa.Table.from_batches(batches, arrow_schema(table))


def _partition(paths: LakePaths, table: str, session_id: str, wanted: Sequence[str]) -> pa.Table | None:
    file = paths.partition_file(table, session_id)
    if not file.is_file():
        return None
    try:
        with pq.ParquetFile(file) as source:
            data = source.read()
    except (OSError, pa.ArrowException) as error:
        raise LakeError(f"{file} cannot be read: {str(error).splitlines()[0]}") from error
    return data.filter(pc.is_in(data.column("path"), pa.array(wanted, pa.string())))


def _renamed(
    data: pa.Table,
    table: str,
    parts: dict[str, int],
    states: dict[str, _OldFile],
    results: pa.Table | None,
) -> pa.Table:
    """Return the rows with the columns that are stored now in place of those that were."""
    owners = data.column("path").to_pylist()
    data = data.append_column("part_id", pa.array([parts[path] for path in owners], pa.int64()))
    if table == "citations":
        return data.append_column("own_text", data.column("text"))
    if table == "tool_results":
        return data.append_column("raw_own", data.column("raw"))
    if table == "files":
        versions = pa.array([states[path].extractor_version for path in owners], pa.int64())
        return data.append_column("extractor_version", versions)
    if table == "tool_calls":
        return data.append_column("result_seq", pa.array(_result_numbers(data, results), pa.int64()))
    return data


def _result_numbers(calls: pa.Table, results: pa.Table | None) -> Iterator[int | None]:
    """Yield the number of each call's result: the first on its line with its id."""
    first: dict[tuple[str, int, str], int] = {}
    columns = ("path", "line_no", "tool_use_id", "seq")
    for row in results.select(columns).to_pylist() if results is not None else ():
        first.setdefault((row["path"], row["line_no"], row["tool_use_id"]), row["seq"])
    for row in calls.select(["path", "result_line_no", "tool_use_id"]).to_pylist():
        yield first.get((row["path"], row["result_line_no"], row["tool_use_id"]))


def _parts(
    bundle: str, parts: dict[str, int], counts: dict[str, dict[str, int]], facts: dict[str, pa.Table]
) -> Iterator[tuple[int, PartState]]:
    statuses: dict[str, Counter[str]] = {}
    for row in facts["entries"].select(["path", "status"]).to_pylist():
        statuses.setdefault(row["path"], Counter())[row["status"]] += 1
    models: dict[str, set[str]] = {}
    for row in facts["token_usage"].select(["path", "model", "iterations"]).to_pylist():
        named = [row["model"], *(one["model"] for one in row["iterations"] or ())]
        models.setdefault(row["path"], set()).update(filter(None, named))
    sessions = dict(_pairs(facts["files"], "path", "session_id"))
    for path, part_id in parts.items():
        found = sorted(models.get(path, ()))
        state = PartState(path, sessions.get(path, ""), bundle, counts[path], dict(statuses.get(path, ())), found)
        yield part_id, state


def _pairs(data: pa.Table, key: str, value: str) -> Iterable[tuple[Any, Any]]:
    return zip(data.column(key).to_pylist(), data.column(value).to_pylist(), strict=True)


def _state(old: _OldFile, part_id: int, files: pa.Table) -> FileState:
    (row,) = files.filter(pc.equal(files.column("part_id"), part_id)).to_pylist()
    return FileState(
        file=old.file,
        part_id=part_id,
        vanished_at_us=old.vanished_at_us,
        read_at_us=old.read_at_us,
        read_error=old.read_error,
        extractor_version=old.extractor_version,
        has_raw=old.has_raw,
        extent=extent_of(row),
    )
