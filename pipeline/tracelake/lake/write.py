"""Rows of one session -> its staged Parquet files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tracelake.lake.arrow import arrow_schema, record_batch
from tracelake.lake.durable import write_private
from tracelake.schema import Table
from tracelake.tables import TABLES

DENSE_BYTES = 1024 * 1024
"""From this much Arrow data on a file is compressed with zstd; below, lz4 costs less than half the time."""
TINY_BYTES = 8 * 1024
"""Up to this much Arrow data a file is not compressed: it fills a block or two of the disk anyway."""
DICTIONARY_ROWS = 5_000
"""From this many rows on low-cardinality columns get a dictionary; below, it costs a third of the writing."""
BATCH_ROWS = 20_000
ONE_GROUP = 1 << 30
"""Rows at most in a row group: whatever is written at once becomes one."""
_STATISTICS = ("session_id", "path", "line_no", "timestamp", "occurred_at")


class PartitionWriter:
    """Writes one session's tables as `<folder>/<table>.parquet`, a file only for tables with rows.

    Batches gather until `flush`, which writes each table's as one row group; so memory is bounded by how
    much the caller adds between flushes. Use it in a `with` block: its end writes the rest and finishes the files,
    an exception leaves them unfinished. Raises OSError.
    """

    def __init__(self, folder: Path) -> None:
        """Write below `folder`, which must exist."""
        self._folder = folder
        self._gathered: dict[str, list[pa.RecordBatch]] = {}
        self._writers: dict[str, pq.ParquetWriter] = {}
        self.rows: dict[str, int] = {}

    def add(self, table: Table, rows: Sequence[Any], constants: Sequence[str | list[str]]) -> None:
        """Add rows; `constants` are their session_id, agent and path, one each or one per row."""
        if rows:
            self.add_batch(table.name, record_batch(table, rows, constants))

    def add_batch(self, table: str, batch: pa.RecordBatch) -> None:
        """Add a batch that has the table's schema already."""
        if batch.num_rows:
            self._gathered.setdefault(table, []).append(batch)
            self.rows[table] = self.rows.get(table, 0) + batch.num_rows

    def flush(self) -> None:
        """Write what was gathered. Raises OSError."""
        gathered, self._gathered = self._gathered, {}
        for table, batches in gathered.items():
            data = _joined(batches)
            self._writer(table, data).write_table(data, row_group_size=ONE_GROUP)

    def _finish(self) -> None:
        """Write the rest: tables that have no file yet in one piece each, which a session of usual size is."""
        begun = {table: self._gathered.pop(table) for table in list(self._gathered) if table in self._writers}
        whole, self._gathered = self._gathered, begun
        self.flush()
        while self._writers:
            self._writers.popitem()[1].close()
        for table, batches in whole.items():
            _write_whole(table, self._folder / f"{table}.parquet", _joined(batches))

    def __enter__(self) -> PartitionWriter:
        """Return the writer itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        """Write the rest and finish the files; after an exception only let go of them."""
        if kind is None:
            try:
                self._finish()
            except OSError:
                self._let_go()
                raise
        else:
            self._let_go()

    def _let_go(self) -> None:
        """Close what is open; on a full disk that fails too, and then left-over writers would complain at exit."""
        while self._writers:
            with suppress(OSError):
                self._writers.popitem()[1].close()

    def _writer(self, table: str, first: pa.Table) -> pq.ParquetWriter:
        writer = self._writers.get(table)
        if writer is None:
            writer = _open_writer(table, self._folder / f"{table}.parquet", first)
            self._writers[table] = writer
        return writer


def _joined(batches: list[pa.RecordBatch]) -> pa.Table:
    data = pa.Table.from_batches(batches)
    return data if len(batches) == 1 else data.combine_chunks()


def _write_whole(table: str, path: Path, data: pa.Table) -> None:
    """Write a table's only row group; through memory, because Parquet is written in hundreds of small pieces."""
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, arrow_schema(table), **_encoding(table, data)) as writer:
        writer.write_table(data, row_group_size=ONE_GROUP)
    write_private(path, sink.getvalue())


def _open_writer(table: str, path: Path, first: pa.Table) -> pq.ParquetWriter:
    """Return a writer to a new private file."""
    write_private(path, b"")
    return pq.ParquetWriter(path, arrow_schema(table), **_encoding(table, first))


def _encoding(table: str, first: pa.Table) -> dict[str, Any]:
    """Return how a file is encoded, by the size of its first row group."""
    size = first.get_total_buffer_size()
    codec = "zstd" if size >= DENSE_BYTES else "lz4" if size > TINY_BYTES else "none"
    return _options(table, codec, first.num_rows >= DICTIONARY_ROWS)


@cache
def _options(table: str, codec: str, with_dictionaries: bool) -> dict[str, Any]:
    columns = TABLES[table].columns
    return {
        "compression": codec,
        "compression_level": 1 if codec == "zstd" else None,
        "use_dictionary": [column.name for column in columns if column.few_values and with_dictionaries],
        "write_statistics": [column.name for column in columns if column.name in _STATISTICS],
        "store_schema": False,
    }


def kept_batches(partition_file: Path, table: str, paths: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of an existing partition that belong to `paths`, in the table's present schema.

    Columns that the old file lacks are NULL. Nothing when there is no such file. Raises OSError.
    """
    if not partition_file.exists():
        return
    wanted = pa.array(paths, pa.string())
    with pq.ParquetFile(partition_file) as source:
        for batch in source.iter_batches(batch_size=BATCH_ROWS):
            kept = batch.filter(pc.is_in(batch.column("path"), wanted))
            if kept.num_rows:
                yield _conform(kept, arrow_schema(table))


def _conform(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    arrays = [
        batch.column(field.name).cast(field.type)
        if field.name in batch.schema.names
        else pa.nulls(batch.num_rows, field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
