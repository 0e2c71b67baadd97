"""Small lakes made by hand: rows as dicts, missing columns NULL, written as one bundle of segments and committed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
from tracelake.lake import manifest_files
from tracelake.lake.arrow import arrow_schema
from tracelake.lake.connect import open_lake, run_select
from tracelake.lake.layout import LakePaths
from tracelake.lake.manifest import BundleState, FileState, Manifest, PartState
from tracelake.lake.models import write_database
from tracelake.lake.prices import Alias, PriceTables, Rate
from tracelake.lake.segment_file import Origin
from tracelake.lake.segments import BundleWriter
from tracelake.sources.model import SourceFile
from tracelake.tables import SCHEMA

Row = dict[str, Any]
Rows = dict[str, list[Row]]
MakeLake = Callable[..., "Lake"]

BUNDLE = "b"
STORED_AS = {("citations", "text"): "own_text", ("tool_results", "raw"): "raw_own"}
"""Shown columns and the stored ones that give them where nothing else does."""


@dataclass
class Lake:
    """One lake on disk and the shortest way to ask it."""

    paths: LakePaths

    def ask(self, sql: str, params: Any = None) -> list[Row]:
        """Return the rows of a query as dicts."""
        with open_lake(self.paths.root) as connection:
            return run_select(connection, sql, params).to_pylist()

    def one(self, sql: str, params: Any = None) -> Row:
        """Return the only row of a query."""
        (row,) = self.ask(sql, params)
        return row


def write_lake(root: Path, rows: Rows, rates: Iterable[Rate] = (), aliases: Iterable[Alias] = ()) -> Lake:
    """Write a lake with these rows (session_id 's1', agent 'claude', path '/p/s1.jsonl' where not given)."""
    paths = LakePaths(root)
    parts: dict[str, PartState] = {}
    numbers: dict[str, int] = {}
    stored = {name: [_placed(row, numbers) for row in some] for name, some in rows.items() if some}
    vanished = {row["path"]: row.pop("vanished_at", None) for row in stored.get("files", [])}
    _store_result_texts(stored)
    for name, some in stored.items():
        for row in some:
            part = parts.setdefault(row["path"], PartState(row["path"], row["session_id"], BUNDLE, {}, {}, []))
            part.rows[name] = part.rows.get(name, 0) + 1
    prices = PriceTables(paths)
    prices.write("price_rates", list(rates), "test")
    prices.write("model_aliases", list(aliases), "test")
    manifest = Manifest(
        number=1,
        next_part=len(numbers) + 1,
        files={path: _file_state(part, numbers[path], vanished.get(path)) for path, part in parts.items()},
        parts={numbers[path]: part for path, part in parts.items()},
        bundles={BUNDLE: _write_bundle(paths, stored, sorted(numbers.values()))} if numbers else {},
        derived=prices.derived,
    )
    manifest_files.save(paths, manifest, None)
    write_database(paths, manifest, paths.database)
    return Lake(paths)


def _placed(row: Row, numbers: dict[str, int]) -> Row:
    """Return a row with what every row has; each path is one part."""
    session_id = row.get("session_id", "s1")
    placed = {"session_id": session_id, "agent": "claude", "path": f"/p/{session_id}.jsonl", **row}
    return {**placed, "part_id": numbers.setdefault(placed["path"], len(numbers) + 1)}


def _store_result_texts(stored: Rows) -> None:
    """Put the text of each call's result where the lake has it: into a row of `tool_results`, which the call names."""
    for call in stored.get("tool_calls", []):
        text = call.pop("result_text", None)
        if text is not None:
            body = _result_of(call, stored.setdefault("tool_results", []))
            body["body"] = text
            call["result_seq"] = body["seq"]


def _result_of(call: Row, results: list[Row]) -> Row:
    """Return the row of a call's result, which is made where the lake was not given it."""
    place = {name: call[name] for name in ("session_id", "agent", "path", "part_id", "tool_use_id") if name in call}
    place["line_no"] = call.get("result_line_no")
    found = next((row for row in results if place.items() <= row.items()), place)
    if found is place:
        results.append(place)
    found.setdefault("seq", 1000 + len(results))
    return found


def _write_bundle(paths: LakePaths, stored: Rows, parts: list[int]) -> BundleState:
    with BundleWriter(paths, BUNDLE) as writer:
        for name, rows in stored.items():
            rows = [{STORED_AS.get((name, column), column): value for column, value in row.items()} for row in rows]
            schema = arrow_schema(name)
            for row in rows:
                assert row.keys() <= set(schema.names), f"{name} stores no column {row.keys() - set(schema.names)}"
            writer.write_table(name, pa.Table.from_pylist(rows, schema=schema))
        files = writer.finish(Origin(1, parts))
    return BundleState(1, files, parts, schema=SCHEMA)


def _file_state(part: PartState, part_id: int, vanished_at: datetime | None) -> FileState:
    file = SourceFile(
        path=part.path,
        os_path=part.path,
        source="/p",
        project="p",
        kind="main",
        agent="claude",
        session_id=part.session_id,
        reason=None,
        agent_id=None,
        size=0,
        mtime_ns=0,
        inode=0,
        fingerprint="",
    )
    vanished_at_us = None if vanished_at is None else round(vanished_at.timestamp() * 1e6)
    return FileState(file, part_id, vanished_at_us)


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
