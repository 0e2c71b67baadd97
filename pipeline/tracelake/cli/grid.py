"""Grid and Answer: what commands hand to the renderers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Row = Sequence[Any]
PAGE_ROWS = 10_000
"""Rows turned into Python values at a time, so that a large result stays columnar."""


@dataclass(frozen=True)
class Grid:
    """Named columns and rows that can be read more than once; `arrow` holds the same as an Arrow table."""

    names: tuple[str, ...]
    rows: Iterable[Row]
    arrow: Any = None


@dataclass(frozen=True)
class Section:
    """One block of a table or Markdown answer; the last `totals` rows are set off from the others."""

    grid: Grid
    title: str = ""
    totals: int = 0


@dataclass(frozen=True)
class Answer:
    """One command's answer.

    `grid` is what csv, jsonl, parquet and json write. `document`, where given, is what json writes instead, and
    `sections` what table and markdown show instead.
    """

    grid: Grid
    document: Any = None
    sections: tuple[Section, ...] = ()

    @property
    def shown(self) -> tuple[Section, ...]:
        """The blocks a person sees."""
        return self.sections or (Section(self.grid),)


class ArrowRows:
    """The rows of an Arrow table, made page by page each time they are read."""

    def __init__(self, table: Any) -> None:
        """Take a pyarrow Table."""
        self._table = table

    def __iter__(self) -> Iterator[Row]:
        """Yield the rows from the first."""
        for batch in self._table.to_batches(max_chunksize=PAGE_ROWS):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def from_arrow(table: Any) -> Grid:
    """Make a Grid of an Arrow table; repeated column names get a number, as a database would give them."""
    names = tuple(unique(table.column_names))
    table = table.rename_columns(list(names))
    return Grid(names, ArrowRows(table), table)


def unique(names: Iterable[str]) -> Iterator[str]:
    """Yield the names, those seen before followed by `_1`, `_2`, ..."""
    seen: set[str] = set()
    for name in names:
        choice, number = name, 0
        while choice in seen:
            number += 1
            choice = f"{name}_{number}"
        seen.add(choice)
        yield choice
