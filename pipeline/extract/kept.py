"""Rows that a session keeps from its present partition: files that vanished, moved out of sight or broke."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.lake.arrow import arrow_schema, arrow_type
from pipeline.lake.layout import LakePaths
from pipeline.lake.tasks import KeptFile, SessionTask
from pipeline.lake.write import PartitionWriter, kept_batches
from pipeline.tables import TABLES


@dataclass
class Carried:
    """What was carried over, in the terms of a task's result."""

    statuses: Counter[str] = field(default_factory=Counter)
    models: set[str] = field(default_factory=set)
    lines: int = 0
    bytes: int = 0


def carry_over(
    task: SessionTask, unreadable: Sequence[KeptFile], errors: Mapping[str, str], writer: PartitionWriter
) -> Carried:
    """Copy the rows of `task.kept` and of `unreadable` files from the present partition into the new one.

    Their rows in `files` get `vanished_at`, and `read_error` where `errors` has one. Raises OSError.
    """
    kept = {file.path: file for file in (*task.kept, *unreadable)}
    carried = Carried()
    if not kept:
        return carried
    paths = LakePaths(Path(task.old_partition_root).parent)
    for table in TABLES:
        for batch in kept_batches(paths.partition_file(table, task.session_id), table, list(kept)):
            writer.add_batch(table, _stamped(batch, kept, errors) if table == "files" else batch)
            _count(table, batch, carried)
        writer.flush()
    return carried


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
