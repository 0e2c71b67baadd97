"""A file that is read again, beside its reading before: what that held and the file holds no longer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from tracelake.extract.superseded import superseded
from tracelake.fold.rows import Rows
from tracelake.lake.arrow import FileKey, arrow_schema, record_batch
from tracelake.lake.layout import LakePaths
from tracelake.lake.segment_rows import conform, read_parts
from tracelake.lake.tasks import EarlierPart
from tracelake.tables import TABLES

KEPT = ("token_usage", "fallbacks")
"""Tables whose rows outlast the line they come from: the money was spent."""
_LINE = ("uuid", "type", "timestamp_text", "byte_len")
"""What tells one line of a file from another: its uuid, where it has one, else the rest."""


class Rewriting:
    """Gathers what is read of one file, and compares it with the reading before."""

    def __init__(self, paths: LakePaths, before: EarlierPart) -> None:
        """Name the reading before; it is looked at only at the end."""
        self._paths = paths
        self._before = before
        self._rows: dict[str, list[Any]] = {table: [] for table in KEPT}
        self._lines: Counter[tuple[Any, ...]] = Counter()
        self.models: set[str] = set()
        self.problem: str | None = None
        """Why rows of the reading before cannot be looked at; then nothing is known of what it held."""

    def note(self, rows: Rows) -> None:
        """Remember what is needed of rows that were read."""
        for table, kept in self._rows.items():
            kept += rows.of(table)
        self._lines.update(_identity(row.uuid, row.type, row.timestamp_text, row.byte_len) for row in rows.entries)

    def superseded(self, key: FileKey, now_us: int) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Yield, by table, the earlier rows of calls that were not read again, as rows of this reading."""
        for table, rows in self._rows.items():
            earlier = self._earlier(table)
            if not earlier.num_rows:
                continue
            batches = [record_batch(TABLES[table], rows, [(key, len(rows))])] if rows else []
            now = pa.Table.from_batches(batches, earlier.schema)
            left = superseded(table, earlier, now, now_us)
            if left.num_rows:
                if table == "token_usage":
                    self.models.update(filter(None, left.column("model").to_pylist()))
                yield table, _owned(left, table, key)

    def lines_gone(self) -> int:
        """Return how many lines of the reading before were not read again."""
        columns = self._earlier("entries", _LINE).to_pydict()
        before = Counter(_identity(*line) for line in zip(*columns.values(), strict=True))
        return (before - self._lines).total()

    def gone_before(self) -> int:
        """Return how many lines were gone already when the file was read before."""
        found = self._earlier("files", ("lines_gone",)).column(0).to_pylist()
        return sum(filter(None, found))

    def _earlier(self, table: str, columns: tuple[str, ...] | None = None) -> pa.Table:
        path = self._paths.segment(table, self._before.bundle)
        if path.exists():
            try:
                return read_parts(path, table, [self._before.part_id], columns)
            except OSError as error:
                self.problem = f"{path}: {error.strerror}"
        schema = arrow_schema(table)
        return pa.schema([schema.field(name) for name in columns or schema.names]).empty_table()


def _identity(uuid: str | None, kind: str | None, time: str | None, size: int | None) -> tuple[Any, ...]:
    return (uuid,) if uuid else (kind, time, size)


def _owned(rows: pa.Table, table: str, key: FileKey) -> pa.RecordBatch:
    """Return rows as those of another reading of the file."""
    for name, value in zip(key._fields, key, strict=True):
        column = pa.repeat(pa.scalar(value), rows.num_rows)
        rows = rows.set_column(rows.schema.get_field_index(name), name, column)
    (batch,) = rows.combine_chunks().to_batches()
    return conform(batch, arrow_schema(table))
