"""Folds bytes in memory: what extraction does with one file, without a lake."""

from __future__ import annotations

import io
import random

import msgspec
from tracelake.decode.oversize import decode_oversize
from tracelake.decode.parse import decode_line
from tracelake.fold.agents import FOLDS
from tracelake.fold.rows import Rows
from tracelake.sources.lines import LineReader, open_counting
from tracelake.tables import TABLES


class Folded:
    """Rows by table as dictionaries, facts, and the byte counter."""

    def __init__(self, rows, facts, counter):
        self.tables = {name: [by_column(table, row) for row in rows.of(name)] for name, table in TABLES.items()}
        self.facts = facts
        self.counter = counter

    def __getitem__(self, table):
        return self.tables[table]

    def column(self, table, *names):
        """Return the rows of a table as tuples of some columns, messages by ordinal."""
        rows = sorted(self[table], key=lambda row: (row.get("ordinal") or 0, row["line_no"]))
        return [tuple(row[name] for name in names) for row in rows]


def by_column(table, row):
    """Return a row's values by the names of the table's columns."""
    return dict(zip([column.name for column in table.own_columns], msgspec.structs.astuple(row), strict=True))


class ChunkedStream(io.RawIOBase):
    """Hands out its bytes in pieces of random size."""

    def __init__(self, data, seed, largest):
        self._data, self._at = data, 0
        self._random, self._largest = random.Random(seed), largest

    def read(self, size=-1):
        step = min(size if size >= 0 else 1 << 30, self._random.randint(1, self._largest))
        piece = self._data[self._at : self._at + step]
        self._at += len(piece)
        return piece


def fold(data: bytes, agent="claude", is_agent_file=False, stream=None, buffer_bytes=1 << 16) -> Folded:
    """Fold the bytes of one file; `stream` may deliver them in its own way."""
    counter, buffered = open_counting(stream or io.BytesIO(data), buffer_bytes)
    made = FOLDS[agent](Rows(), is_agent_file, frozenset())
    for line in LineReader(buffered):
        if line.data is None:
            decoded = decode_oversize(line.pieces(), made.form)
        else:
            decoded = decode_line(line.data, line.has_lf, made.form)
        made.feed(line, decoded)
    facts = made.finish()
    return Folded(made.rows, facts, counter)
