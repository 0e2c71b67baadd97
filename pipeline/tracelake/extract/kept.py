"""Rows that a session keeps from its present partition: files that vanished, moved out of sight or broke."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from tracelake.lake.arrow import arrow_schema, arrow_type
from tracelake.lake.layout import LakePaths
from tracelake.lake.tasks import KeptFile, SessionTask
from tracelake.lake.write import PartitionWriter, kept_batches
from tracelake.tables import TABLES


@dataclass
class Carried:
    """What was carried over, in the terms of a task's result."""

    statuses: Counter[str] = field(default_factory=Counter)
    models: set[str] = field(default_factory=set)
    lines: int = 0
    bytes: int = 0
    moved: list[str] = field(default_factory=list)
    """Files that are gone and not carried over, because what they held was read under another path."""


class Extent(NamedTuple):
    """How a file begins (uuid of its root, first time in microseconds) and how far it goes (decompressed bytes)."""

    root_uuid: str | None
    start_us: int | None
    lines: int
    bytes: int

    def holds(self, other: Extent) -> bool:
        """Return whether the file begins like the other and is no shorter."""
        return self[:2] == other[:2] and self.lines >= other.lines and self.bytes >= other.bytes


def carry_over(
    task: SessionTask,
    unreadable: Sequence[KeptFile],
    errors: Mapping[str, str],
    writer: PartitionWriter,
    read: Mapping[str, Extent],
) -> Carried:
    """Copy the rows of `task.kept` and of `unreadable` files from the present partition into the new one.

    Their rows in `files` get `vanished_at`, and `read_error` where `errors` has one. `read` is what was read now, by
    path: a file that is gone and among them under another path (moved, archived, compressed) is left out.
    Raises OSError.
    """
    kept = {file.path: file for file in (*task.kept, *unreadable)}
    carried = Carried()
    if not kept:
        return carried
    paths = LakePaths(Path(task.old_partition_root).parent)
    carried.moved = _moved(paths.partition_file("files", task.session_id), task.kept, read)
    kept = {path: file for path, file in kept.items() if path not in carried.moved}
    for table in TABLES:
        for batch in kept_batches(paths.partition_file(table, task.session_id), table, list(kept)):
            writer.add_batch(table, _stamped(batch, kept, errors) if table == "files" else batch)
            _count(table, batch, carried)
        writer.flush()
    return carried


def _moved(files: Path, kept: Sequence[KeptFile], read: Mapping[str, Extent]) -> list[str]:
    """Return the kept files that are gone and that were read elsewhere: same name and beginning, and no less of it."""
    gone = [file.path for file in kept if file.vanished_at_us is not None and _named_alike(file.path, read)]
    if not gone:
        return []
    moved = []
    for batch in kept_batches(files, "files", gone):
        starts = batch.column("start_time").cast(pa.int64()).to_pylist()
        rows = batch.select(["path", "root_uuid", "lines", "bytes"]).to_pylist()
        for start_us, row in zip(starts, rows, strict=True):
            before = Extent(row["root_uuid"], start_us, row["lines"] or 0, row["bytes"] or 0)
            if any(read[path].holds(before) for path in _named_alike(row["path"], read)):
                moved.append(row["path"])
    return moved


def _named_alike(path: str, others: Mapping[str, Extent]) -> list[str]:
    """Return the other paths that end in the same file name, compressed or not."""
    name = PurePosixPath(path).name.removesuffix(".zst")
    return [other for other in others if PurePosixPath(other).name.removesuffix(".zst") == name]


def _count(table: str, batch: pa.RecordBatch, carried: Carried) -> None:
    if table == "entries":
        carried.statuses.update(batch.column("status").to_pylist())
    elif table == "files":
        carried.lines += pc.sum(batch.column("lines")).as_py() or 0
        carried.bytes += pc.sum(batch.column("bytes")).as_py() or 0
    elif table == "token_usage":
        carried.models.update(filter(None, batch.column("model").unique().to_pylist()))
        for iterations in batch.column("iterations").drop_null().to_pylist():
            carried.models.update(one["model"] for one in iterations if one["model"])


def _stamped(batch: pa.RecordBatch, kept: Mapping[str, KeptFile], errors: Mapping[str, str]) -> pa.RecordBatch:
    """Return rows of `files` with the times their files vanished and the errors they gave now."""
    paths = batch.column("path").to_pylist()
    vanished = pa.array([kept[path].vanished_at_us for path in paths], pa.int64()).view(arrow_type("timestamp"))
    before = batch.column("read_error").to_pylist()
    read_errors = [errors.get(path, old) for path, old in zip(paths, before, strict=True)]
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    columns |= {"vanished_at": vanished, "read_error": pa.array(read_errors, pa.string())}
    return pa.RecordBatch.from_arrays(list(columns.values()), schema=arrow_schema("files"))
