"""What a lake answers, in a form that can be compared: a digest of each session's rows in all tables."""

from __future__ import annotations

from pathlib import Path

from tracelake.lake.connect import open_lake, run_select
from tracelake.lake.layout import LakePaths
from tracelake.lake.store import live_manifest
from tracelake.tables import TABLES

VOLATILE = {"files": ("extracted_at", "mtime", "vanished_at")}
"""Columns that differ from run to run."""


def session_digests(lake: Path) -> dict[str, str]:
    """Return a digest by session of all its rows in all tables, whatever their order."""
    found: dict[str, list[str]] = {}
    with open_lake(lake) as connection:
        for table in TABLES.values():
            columns = [f'"{one.name}"' for one in table.columns if one.name not in VOLATILE.get(table.name, ())]
            row = f"hash({', '.join(columns)})"
            sql = (
                f"SELECT session_id, bit_xor({row})::VARCHAR || '/' || count(*) AS mark FROM {table.name} GROUP BY ALL"
            )
            for one in run_select(connection, sql).to_pylist():
                found.setdefault(one["session_id"], []).append(f"{table.name}:{one['mark']}")
    return {session_id: " ".join(sorted(marks)) for session_id, marks in found.items()}


def strangers(lake: Path) -> list[str]:
    """Return the files of a lake that belong to no snapshot, are not on their way out, and are nothing else known."""
    paths = LakePaths(lake)
    manifest = live_manifest(paths)
    assert manifest is not None
    known = {f"segments/{name}" for name in (*manifest.live_files, *manifest.dead)}
    names = (str(path.relative_to(lake)) for path in lake.rglob("*") if path.is_file())
    other = ("segments/_manifests/", "manifest-", "tables/", "init.sql", "tracelake.duckdb", ".writer.lock", "prices/")
    return [name for name in names if name not in known and (not name.startswith(other) or name.endswith(".new"))]
