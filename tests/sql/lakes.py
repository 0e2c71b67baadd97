"""Small lakes made by hand: rows as dicts, missing columns NULL, the real folder layout and database file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from tracelake.lake.connect import open_lake, run_select
from tracelake.lake.layout import LakePaths, escape_session_id
from tracelake.lake.models import build_database
from tracelake.lake.prices import PRICE_TABLES, Alias, Rate, price_file, write_table
from tracelake.lake.view_sql import partition_view, quote_text
from tracelake.schema import Table
from tracelake.tables import TABLES

Rows = dict[str, list[dict[str, Any]]]
MakeLake = Callable[..., "Lake"]

COUNTS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
ITERATION = pa.struct(
    [("type", pa.string()), ("model", pa.string())]
    + [(name, pa.int64()) for name in (*COUNTS, "cache_write_5m_tokens", "cache_write_1h_tokens")]
)
ARROW_TYPES: dict[str, pa.DataType] = {
    "string": pa.string(),
    "int64": pa.int64(),
    "int32": pa.int32(),
    "bool": pa.bool_(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "binary": pa.binary(),
    "decimal": pa.decimal128(18, 9),
    "list<string>": pa.list_(pa.string()),
    "iterations": pa.list_(ITERATION),
}


@dataclass
class SessionRows:
    """What `build_database` reads of one session of a manifest."""

    rows: dict[str, int] = field(default_factory=dict)


@dataclass
class FakeManifest:
    """What `build_database` reads of a manifest."""

    sessions: dict[str, SessionRows] = field(default_factory=dict)


@dataclass
class Lake:
    """One lake on disk and the shortest way to ask it."""

    paths: LakePaths

    def ask(self, sql: str, params: Any = None) -> list[dict[str, Any]]:
        """Return the rows of a query as dicts."""
        with open_lake(self.paths.root) as connection:
            return run_select(connection, sql, params).to_pylist()

    def one(self, sql: str, params: Any = None) -> dict[str, Any]:
        """Return the only row of a query."""
        (row,) = self.ask(sql, params)
        return row


def write_lake(
    root: Path, rows: Rows, rates: Iterable[Rate] = (), aliases: Iterable[Alias] = (), *, quick: bool = False
) -> Lake:
    """Write the rows as partitions (session_id 's1', agent 'claude', path '/p/s1.jsonl' where not given).

    `quick` copies the database file of an empty lake and replaces only what has rows: for tests of the views, many
    of which would spend a second each on making the same views again.
    """
    paths = LakePaths(root)
    manifest = FakeManifest()
    for name, table_rows in rows.items():
        for session_id, partition in _by_session(table_rows).items():
            _write_partition(paths, TABLES[name], session_id, partition)
            manifest.sessions.setdefault(session_id, SessionRows()).rows[name] = len(partition)
    paths.root.mkdir(parents=True, exist_ok=True)
    write_table(paths, "price_rates", list(rates), "test")
    write_table(paths, "model_aliases", list(aliases), "test")
    (_copy_database if quick else build_database)(paths, manifest)
    return Lake(paths)


@cache
def _empty_database() -> bytes:
    with TemporaryDirectory() as folder:
        return write_lake(Path(folder), {}).paths.database.read_bytes()


def _copy_database(paths: LakePaths, manifest: FakeManifest) -> None:
    paths.database.write_bytes(_empty_database())
    with duckdb.connect(str(paths.database), config={"threads": 1}) as connection:
        for name in PRICE_TABLES:
            connection.execute(f"INSERT INTO {name} FROM read_parquet({quote_text(str(price_file(paths, name)))})")
        for table in TABLES.values():
            live = [session_id for session_id, state in manifest.sessions.items() if state.rows.get(table.name)]
            if live:
                connection.execute(partition_view(paths, table, sorted(map(escape_session_id, live))))


def at(text: str) -> datetime:
    """Return '2026-05-01 10:00:00' as a UTC time."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def day(text: str) -> date:
    """Return '2026-05-01' as a date."""
    return date.fromisoformat(text)


def rate(model_id: str, input_: str, output: str, **more: Any) -> Rate:
    """Return one rate row of provider anthropic; rates as text, everything else open or absent."""
    money = {
        key: Decimal(value) if isinstance(value, str) and key not in _TEXT else value for key, value in more.items()
    }
    blank: dict[str, Any] = dict.fromkeys(Rate.__dataclass_fields__)
    fixed = {"provider": "anthropic", "model_id": model_id, "variant": "", "source": "test"}
    return Rate(**{**blank, **fixed, "input": Decimal(input_), "output": Decimal(output), **money})


_TEXT = {"provider", "variant", "source", "reason"}


def _by_session(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    sessions: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        session_id = row.get("session_id", "s1")
        defaults = {"session_id": session_id, "agent": "claude", "path": f"/p/{session_id}.jsonl"}
        sessions.setdefault(session_id, []).append({**defaults, **row})
    return sessions


def _write_partition(paths: LakePaths, table: Table, session_id: str, rows: list[dict[str, Any]]) -> None:
    names = {column.name for column in table.columns}
    for row in rows:
        assert row.keys() <= names, f"{table.name} has no column {row.keys() - names}"
    schema = pa.schema([(column.name, ARROW_TYPES[column.type]) for column in table.columns])
    file = paths.partition_file(table.name, session_id)
    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), file)
