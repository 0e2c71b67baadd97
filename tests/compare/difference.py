"""What differs in one relation: rows only one side has, and columns of the rows that both have."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from tests.compare.side import ROWS_KEPT, Column, Side

IDENTITY = (
    "agent", "session_id", "path", "root_path", "line_no", "record_no", "chunk_no", "block_index", "call_index",
    "side", "hop_index", "source_index", "seq", "ordinal", "pool", "part", "model", "day",
)  # fmt: skip
"""Columns that name a row, where a relation has them: rows of both sides that agree here are compared."""
EXAMPLES = 3

ONLY_OLD, ONLY_NEW = "only old", "only new"


@dataclass
class Difference:
    """One way in which a relation differs: `subject` is a column, `(rows)`, or `(relation)`."""

    relation: str
    subject: str
    kind: str
    count: int = 0
    examples: list[str] = field(default_factory=list)

    @property
    def is_addition(self) -> bool:
        """A new relation or column, which takes nothing away."""
        return self.kind == ONLY_NEW and self.subject != "(rows)"


@dataclass
class Comparison:
    """One relation: its rows on both sides (None where it is not there) and the differences."""

    relation: str
    rows: tuple[int | None, int | None]
    differences: list[Difference] = field(default_factory=list)


def compare_relation(relation: str, old: Side, new: Side, scratch: Path) -> Comparison:
    """Compare one relation that both sides have, as multisets of rows over the columns that both have."""
    columns = (old.columns(relation), new.columns(relation))
    common = [name for name in columns[0] if name in columns[1]]
    found = [Difference(relation, name, ONLY_OLD) for name in columns[0] if name not in columns[1]]
    found += [Difference(relation, name, ONLY_NEW) for name in columns[1] if name not in columns[0]]
    found += [
        Difference(relation, name, f"type {columns[0][name].type} -> {columns[1][name].type}")
        for name in common
        if columns[0][name].type != columns[1][name].type
    ]
    values = [
        [comparable(side[name], columns[0][name].type != columns[1][name].type) for name in common] for side in columns
    ]
    hashes, kept = [scratch / "old.parquet", scratch / "new.parquet"], [scratch / "a.parquet", scratch / "b.parquet"]
    for side, sql, target in zip((old, new), values, hashes, strict=True):
        side.hash_rows(relation, sql, target)
    with duckdb.connect(config={"memory_limit": "1GB", "threads": 2}) as judge:
        rows = tuple(_count(judge, target) for target in hashes)
        wanted = [_surplus(judge, hashes[at], hashes[1 - at], scratch / f"wanted{at}.parquet") for at in (0, 1)]
        if any(wanted):
            for at, side in enumerate((old, new)):
                side.keep_rows(relation, values[at], scratch / f"wanted{at}.parquet", kept[at])
            found += _Leftovers(judge, relation, common, [columns[0][name].type for name in common], kept).differences(
                wanted
            )
    return Comparison(relation, (rows[0], rows[1]), found)


def comparable(column: Column, is_text: bool) -> str:
    """Return the SQL of a value as it is compared: floats to seven digits, values of unlike types as text."""
    if column.type in ("DOUBLE", "FLOAT"):
        return f"CAST({column.sql} AS FLOAT)"
    return f"CAST({column.sql} AS VARCHAR)" if is_text else column.sql


def _count(judge: duckdb.DuckDBPyConnection, hashes: Path) -> int:
    ((count,),) = judge.sql(f"SELECT coalesce(sum(copies), 0)::BIGINT FROM read_parquet('{hashes}')").fetchall()
    return int(count)


def _surplus(judge: duckdb.DuckDBPyConnection, mine: Path, others: Path, target: Path) -> int:
    """Write the hashes that `mine` has more copies of, and return how many rows that is."""
    judge.execute(
        "COPY (SELECT row_hash, mine.copies - coalesce(others.copies, 0) AS surplus "
        f"FROM read_parquet('{mine}') AS mine LEFT JOIN read_parquet('{others}') AS others USING (row_hash) "
        f"WHERE surplus > 0) TO '{target}' (FORMAT parquet)"
    )
    ((count,),) = judge.sql(f"SELECT coalesce(sum(surplus), 0)::BIGINT FROM read_parquet('{target}')").fetchall()
    return int(count)


class _Leftovers:
    """The rows that have no equal on the other side, paired by what names them."""

    def __init__(
        self, judge: duckdb.DuckDBPyConnection, relation: str, names: list[str], types: list[str], kept: list[Path]
    ) -> None:
        self._judge, self._relation, self._names, self._kept = judge, relation, names, kept
        self._key = [at for at, name in enumerate(names) if name in IDENTITY]
        if not self._key:
            self._key = [at for at, kind in enumerate(types) if kind in ("VARCHAR", "DATE")]
        for name, file in zip("ab", kept, strict=True):
            judge.execute(f"CREATE OR REPLACE TABLE {name} AS FROM read_parquet('{file}')")
        self._pair()

    def differences(self, expected: list[int]) -> list[Difference]:
        """Return them; `expected` are the rows that were found without an equal, old and new."""
        found = []
        for at, (mine, other, kind) in enumerate((("a", "b", ONLY_OLD), ("b", "a", ONLY_NEW))):
            ((kept,),) = self._judge.sql(f"SELECT count(*) FROM {mine}").fetchall()
            if kept < min(expected[at], ROWS_KEPT):
                found.append(Difference(self._relation, "(rows)", "differ from one reading to the next", expected[at]))
            alone = f"FROM pairs WHERE {other}_found IS NULL"
            ((count,),) = self._judge.sql(f"SELECT count(*) {alone}").fetchall()
            if count:
                names = self._judge.sql(
                    f"SELECT {self._label(mine)} AS label {alone} ORDER BY ALL LIMIT {EXAMPLES}"
                ).fetchall()
                found.append(Difference(self._relation, "(rows)", kind, count, [label for (label,) in names]))
        return found + [one for one in map(self._column, range(len(self._names))) if one.count]

    def _column(self, at: int) -> Difference:
        changed = f"FROM pairs WHERE a_found AND b_found AND a_h{at} <> b_h{at}"
        ((count,),) = self._judge.sql(f"SELECT count(*) {changed}").fetchall()
        found = Difference(self._relation, self._names[at], "values differ", count)
        if count:
            shown = f"SELECT {self._label('a')} AS label, a_t{at}, b_t{at} {changed} ORDER BY ALL LIMIT {EXAMPLES}"
            found.examples = [f"{label}: {old!r} -> {new!r}" for label, old, new in self._judge.sql(shown).fetchall()]
        return found

    def _label(self, side: str) -> str:
        """Return SQL for the values that name a row of `pairs`."""
        parts = [f"'{self._names[at]}=' || {side}_t{at}" for at in self._key]
        return f"concat_ws(' ', {', '.join(parts)})" if parts else "''"

    def _pair(self) -> None:
        """Make `pairs`: rows with the same key side by side, several of one key in the order of their other values.

        Columns whose values are the same on both sides, taken together, come first in that order: they are the ones
        that pair rows well.
        """
        every = range(len(self._names))
        totals = ", ".join(f"sum(h{at})" for at in every)
        (old_sums,), (new_sums,) = (self._judge.sql(f"SELECT {totals} FROM {side}").fetchall() for side in "ab")
        order = sorted(every, key=lambda at: old_sums[at] != new_sums[at])
        key = ", ".join(f"h{at}" for at in self._key)
        within = f"PARTITION BY {key}" if key else ""
        for side in "ab":
            shown = ", ".join(f"h{at} AS {side}_h{at}, t{at} AS {side}_t{at}" for at in every)
            self._judge.execute(
                f"CREATE OR REPLACE TABLE numbered_{side} AS SELECT true AS {side}_found, {shown}, row_number() OVER "
                f"({within} ORDER BY {', '.join(f'h{at}' for at in order)}) AS {side}_copy FROM {side}"
            )
        same = " AND ".join(["a_copy = b_copy", *(f"a_h{at} = b_h{at}" for at in self._key)])
        self._judge.execute(f"CREATE OR REPLACE TABLE pairs AS FROM numbered_a FULL JOIN numbered_b ON {same}")
