"""Rows of one session -> its staged Parquet files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipeline.lake.arrow import arrow_schema, record_batch
from pipeline.schema import Table
from pipeline.tables import TABLES

DENSE_BYTES = 1024 * 1024
"""From this much Arrow data on a file is compressed with zstd; below, lz4 costs less than half the time."""
DICTIONARY_ROWS = 5_000
"""From this many rows on low-cardinality columns get a dictionary; below, it costs a third of the writing."""
BATCH_ROWS = 20_000
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
            data = pa.Table.from_batches(batches).combine_chunks()
            self._writer(table, data).write_table(data, row_group_size=1 << 30)

    def __enter__(self) -> PartitionWriter:
        """Return the writer itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        """Write the rest and finish the files; after an exception only let go of them."""
        if kind is None:
            try:
                self.flush()
                self._close()
            except OSError:
                self._let_go()
                raise
        else:
            self._let_go()

    def _close(self) -> None:
        while self._writers:
            self._writers.popitem()[1].close()

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


def _open_writer(table: str, path: Path, first: pa.Table) -> pq.ParquetWriter:
    """Return a writer to a new private file; how it encodes depends on the size of the first row group."""
    dense = first.nbytes >= DENSE_BYTES
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600))
    columns = TABLES[table].columns
    return pq.ParquetWriter(
        path,
        arrow_schema(table),
        compression="zstd" if dense else "lz4",
        compression_level=1 if dense else None,
        use_dictionary=[column.name for column in columns if column.few_values and first.num_rows >= DICTIONARY_ROWS],
        write_statistics=[column.name for column in columns if column.name in _STATISTICS],
        store_schema=False,
    )


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
