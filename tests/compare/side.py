"""One of the two lakes: its relations and their columns, read through its own database file."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

import duckdb

VOLATILE = {
    ("*", "extracted_at"): "the clock of the run",
    ("*", "extractor_version"): "who read the file, not what was read",
    ("*", "part_id"): "numbered in the order of the work",
    ("session_quality", "settled"): "depends on the present moment",
    ("usage_blocks", "is_active"): "depends on the present moment",
}
"""Columns that differ between two runs by nature, as (relation, column), and why. They are not compared."""

MEMORY = "2GB"
ROWS_KEPT = 200_000
"""How many differing rows of a relation are looked at."""
TEXT_SHOWN = 70


class Column(NamedTuple):
    """A column, or a field of a struct column (`call.path`), and how SQL reads it."""

    name: str
    sql: str
    type: str


class Side:
    """The lake as a plain DuckDB client sees it. A query that takes more than `timeout_s` seconds is stopped."""

    def __init__(self, lake: Path, scratch: Path, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        config = {"memory_limit": MEMORY, "threads": 2, "temp_directory": str(scratch / "spill")}
        self._connection = duckdb.connect(str(lake / "tracelake.duckdb"), read_only=True, config=config)
        self._connection.execute("SET TimeZone = 'UTC'")

    def close(self) -> None:
        self._connection.close()

    def relations(self) -> list[str]:
        """Return the names of all tables and views."""
        names = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'main' ORDER BY ALL"
        return [name for (name,) in self._connection.sql(names).fetchall()]

    def columns(self, relation: str) -> dict[str, Column]:
        """Return the columns that can be compared, by name; fields stand in place of their struct."""
        empty = self._connection.sql(f"SELECT * FROM {quoted(relation)} LIMIT 0")
        found: dict[str, Column] = {}
        for name, kind in zip(empty.columns, empty.types, strict=True):
            for column in leaves(name, quoted(name), kind):
                if not is_volatile(relation, column.name):
                    found[column.name] = column
        return found

    def hash_rows(self, relation: str, values: list[str], target: Path) -> None:
        """Write one row per distinct row of the relation: its hash and how many copies there are."""
        self._copy(
            f"SELECT hash({', '.join(values)}) AS row_hash, count(*) AS copies FROM {quoted(relation)} GROUP BY 1",
            target,
        )

    def keep_rows(self, relation: str, values: list[str], wanted: Path, target: Path) -> None:
        """Write the rows whose hash is in `wanted`, `surplus` copies of each: a hash and a short text per column."""
        shown = [
            f"hash({sql}) AS h{n}, left(CAST({sql} AS VARCHAR), {TEXT_SHOWN}) AS t{n}" for n, sql in enumerate(values)
        ]
        self._copy(
            f"WITH kept AS (SELECT hash({', '.join(values)}) AS row_hash, {', '.join(shown)} FROM {quoted(relation)}) "
            f"SELECT kept.* FROM kept JOIN read_parquet('{wanted}') AS wanted USING (row_hash) WHERE surplus > 0 "
            f"QUALIFY row_number() OVER (PARTITION BY row_hash) <= surplus LIMIT {ROWS_KEPT}",
            target,
        )

    def _copy(self, sql: str, target: Path) -> None:
        with stopped_after(self._timeout_s, self._connection.interrupt):
            self._connection.execute(f"COPY ({sql}) TO '{target}' (FORMAT parquet)")


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def leaves(name: str, sql: str, kind: duckdb.DuckDBPyType) -> Iterator[Column]:
    """Yield a column, or the fields of a struct, so that a struct with one field more is still comparable."""
    if kind.id != "struct":
        yield Column(name, sql, str(kind))
        return
    for field, field_kind in kind.children:
        yield from leaves(f"{name}.{field}", f"struct_extract({sql}, '{field}')", field_kind)


def is_volatile(relation: str, column: str) -> bool:
    return any(fnmatchcase(relation, where) and column.rpartition(".")[2] == name for where, name in VOLATILE)


@contextmanager
def stopped_after(seconds: float, interrupt: Callable[[], None]) -> Iterator[None]:
    timer = threading.Timer(seconds, interrupt)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
