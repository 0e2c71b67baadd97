"""Rows of many sessions -> the segments of one bundle: a Parquet file for each table that has rows.

Rows gather as Python objects over the edges of files and sessions, become Arrow batches when there are enough, and
row groups when there are enough of these. Each segment's footer says what is needed to find out, without any other
file, whether its bundle is whole and what it holds.
"""

from __future__ import annotations

from typing import Any, Protocol

import pyarrow as pa

from tracelake.lake.arrow import FileKey, Run, record_batch
from tracelake.lake.durable import writing
from tracelake.lake.layout import LakePaths
from tracelake.lake.manifest import SegmentFile
from tracelake.lake.segment_file import Footer, OpenSegment, Origin
from tracelake.tables import SCHEMA, TABLES

BATCH_ROWS = 20_000
"""So many rows, of all tables together, become Arrow batches at once: what bounds the memory of small rows."""
BATCH_BYTES = 6 * 1024 * 1024
"""So many bytes of source become Arrow batches at once: what bounds the memory of large rows."""
GROUP_ROWS = 400_000
"""So many rows, of all tables together, are written as row groups."""
GROUP_BYTES = 24 * 1024 * 1024
"""So many bytes of source are written as row groups."""


class RowLists(Protocol):
    """Rows of one file by table."""

    def of(self, table: str) -> list[Any]:
        """Return the rows of one table."""


class BundleWriter:
    """Writes one bundle. Use it in a `with` block; call `finish` as its last act, else nothing of it counts.

    Memory is bounded by the limits above, whatever is added. Raises LakeWriteError where the lake cannot be written.
    """

    def __init__(self, paths: LakePaths, bundle: str) -> None:
        """Write the files `segments/<table>/<bundle>.parquet`; folders are made, files only for tables with rows."""
        self._paths = paths
        self.bundle = bundle
        self._rows: dict[str, list[Any]] = {name: [] for name in TABLES}
        self._runs: dict[str, list[Run]] = {name: [] for name in TABLES}
        self._batches: dict[str, list[pa.RecordBatch]] = {}
        self._open: dict[str, OpenSegment] = {}
        self._row_count = self._batch_rows = self._batch_bytes = self._source_bytes = 0

    def add(self, rows: RowLists, key: FileKey, source_bytes: int = 0) -> dict[str, int]:
        """Take over the rows of (a stretch of) one file, made of so many source bytes; return their number by table.

        The lists themselves stay the caller's.
        """
        counts = {}
        for name in TABLES:
            if some := rows.of(name):
                counts[name] = len(some)
                self._rows[name] += some
                self._runs[name].append((key, len(some)))
        self._row_count += sum(counts.values())
        self._source_bytes += source_bytes
        if self._row_count >= BATCH_ROWS or self._source_bytes >= BATCH_BYTES:
            with writing(self._paths.segments):
                self._to_batches()
        return counts

    def add_batch(self, table: str, batch: pa.RecordBatch) -> None:
        """Take rows that have the table's schema already; they follow what was added before."""
        with writing(self._paths.segments):
            self._to_batches()
        self._batches.setdefault(table, []).append(batch)
        self._batch_rows += batch.num_rows

    def write_table(self, table: str, data: pa.Table) -> None:
        """Write rows that have the table's schema already as one row group."""
        if data.num_rows:
            with writing(self._paths.segments):
                self._segment(table).write(data)

    def finish(self, origin: Origin) -> dict[str, SegmentFile]:
        """Write what is left and the footers; return the files by table. They are not flushed to the disk yet."""
        with writing(self._paths.segments):
            self._to_batches()
            self._write_groups()
            beginnings = {name: segment.beginning() for name, segment in self._open.items()}
            made = {}
            for name in list(self._open):
                made[name] = self._open[name].finish(Footer(self.bundle, name, beginnings, origin, SCHEMA))
                del self._open[name]
            return made

    def session_ends(self) -> None:
        """Cut the row groups here if they are nearly full, so that the next session does not lie across two."""
        if self._batch_rows + self._row_count >= GROUP_ROWS // 2 or (
            self._batch_bytes + self._source_bytes >= GROUP_BYTES // 2
        ):
            with writing(self._paths.segments):
                self._to_batches()
                self._write_groups()

    def __enter__(self) -> BundleWriter:
        """Return the writer itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Let go of files that were not finished, and remove them."""
        while self._open:
            self._open.popitem()[1].abandon()

    def _to_batches(self) -> None:
        for name, rows in self._rows.items():
            if rows:
                batch = record_batch(TABLES[name], rows, self._runs[name])
                self._batches.setdefault(name, []).append(batch)
                self._rows[name], self._runs[name] = [], []
        self._batch_rows += self._row_count
        self._batch_bytes += self._source_bytes
        self._row_count = self._source_bytes = 0
        self._write_if_full()

    def _write_if_full(self) -> None:
        if self._batch_rows >= GROUP_ROWS or self._batch_bytes >= GROUP_BYTES:
            self._write_groups()

    def _write_groups(self) -> None:
        batches, self._batches = self._batches, {}
        for name, some in batches.items():
            self._segment(name).write(pa.Table.from_batches(some))
        self._batch_rows = self._batch_bytes = 0

    def _segment(self, table: str) -> OpenSegment:
        segment = self._open.get(table)
        if segment is None:
            segment = self._open[table] = OpenSegment(table, self._paths.segment(table, self.bundle))
        return segment
