"""The rows of some parts out of a segment; row groups without any of them are not read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tracelake.lake.arrow import arrow_schema


def read_parts(path: Path, table: str, parts: Iterable[int], columns: Sequence[str] | None = None) -> pa.Table:
    """Return the rows of some parts of a segment, in the table's stored schema; only row groups with them are read.

    Raises OSError where the file is missing or damaged.
    """
    wanted = pa.array(sorted(parts), pa.int64())
    schema = arrow_schema(table)
    if columns is not None:
        schema = pa.schema([schema.field(name) for name in columns])
    batches = [batch for batch, _ in _matching(path, wanted, schema)]
    return pa.Table.from_batches(batches, schema)


def segment_batches(path: Path, table: str, parts: Iterable[int]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of some parts of a segment, a row group at a time. Raises OSError."""
    for batch, _ in _matching(path, pa.array(sorted(parts), pa.int64()), arrow_schema(table)):
        yield batch


def _matching(path: Path, wanted: pa.Array, schema: pa.Schema) -> Iterator[tuple[pa.RecordBatch, int]]:
    import pyarrow.compute as pc

    if not len(wanted):
        return
    first, last = wanted[0].as_py(), wanted[-1].as_py()
    try:
        with pq.ParquetFile(path, read_dictionary=["session_id", "agent", "path"]) as source:
            place = source.schema_arrow.get_field_index("part_id")
            present = [name for name in schema.names if source.schema_arrow.get_field_index(name) >= 0]
            names = list(dict.fromkeys([*present, "part_id"]))
            for number in range(source.num_row_groups):
                statistics = source.metadata.row_group(number).column(place).statistics
                if statistics is not None and (statistics.max < first or statistics.min > last):
                    continue
                group = source.read_row_group(number, columns=names)
                kept = group.filter(pc.is_in(group.column("part_id"), wanted))
                for batch in kept.combine_chunks().to_batches():
                    yield conform(batch, schema), number
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _named(error, path) from error


def _named(error: Exception, path: Path) -> OSError:
    """Return an error of Arrow's as one that names the file and says in one line what is wrong with it."""
    code = error.errno if isinstance(error, OSError) else None
    if code:
        return OSError(code, os.strerror(code), str(path))
    return OSError(0, f"damaged segment ({str(error).splitlines()[0]})", str(path))


def conform(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch with exactly the schema's columns; those that it lacks are NULL."""
    arrays = [
        _cast(batch.column(field.name), field.type)
        if field.name in batch.schema.names
        else pa.nulls(batch.num_rows, field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _cast(array: pa.Array, wanted: pa.DataType) -> pa.Array:
    return array if array.type == wanted else array.cast(wanted)
