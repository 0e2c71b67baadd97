"""The stored table `conversation_roots`: its columns, where it is kept, and how the database file loads it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tracelake.lake.durable import make_private_dir, replace_private, writing
from tracelake.lake.layout import LakePaths
from tracelake.lake.view_sql import quote_text

COLUMNS: dict[str, tuple[str, str]] = {
    "path": ("VARCHAR", "The root file: a transcript directly in a project folder."),
    "session_id": ("VARCHAR", "Session the file belongs to."),
    "project_dir": ("VARCHAR", "Folder in which the conversation's other files lie (I-6); of Codex the whole home."),
    "stable_id": ("VARCHAR", "uuid of the conversation's origin; NULL where the file has no root record (I-2)."),
    "degraded": ("VARCHAR", "NULL, missing (a predecessor is gone) or runaway (a ring, 64 hops or 512 visits) (I-2)."),
    "unreadable_siblings": ("VARCHAR[]", "Files that could not be read on the way, each once (I-3)."),
    "identity_error": ("VARCHAR", "no_origin or unreadable where there is no identity; else NULL (I-1)."),
}
"""Columns of the stored table: DuckDB type and sentence."""


class ConversationFiles(NamedTuple):
    """Where the table and what it was made from are kept."""

    table: Path
    state: Path


def conversation_files(paths: LakePaths) -> ConversationFiles:
    """Return the files of a lake's identities."""
    folder = paths.root / "identity"
    return ConversationFiles(folder / "conversation_roots.parquet", folder / "state.json")


def conversation_table(paths: LakePaths) -> Iterator[str]:
    """Yield the SQL that makes the table in the database file, empty where nothing is stored."""
    declared = ", ".join(f'"{name}" {kind}' for name, (kind, _) in COLUMNS.items())
    yield f"CREATE OR REPLACE TABLE conversation_roots ({declared})"
    stored = conversation_files(paths).table
    if stored.is_file():
        yield f"INSERT INTO conversation_roots BY NAME SELECT * FROM read_parquet({quote_text(str(stored))})"
    yield "COMMENT ON TABLE conversation_roots IS 'One row per root file: its identity, as last computed.'"
    for name, (_, sentence) in COLUMNS.items():
        yield f"COMMENT ON COLUMN conversation_roots.{name} IS {quote_text(sentence)}"


def store_conversations(paths: LakePaths, rows: list[dict[str, Any]], state: bytes) -> None:
    """Replace the table and the state it was made from. Raises LakeWriteError."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = {"VARCHAR": pa.string(), "VARCHAR[]": pa.list_(pa.string())}
    fields = [(name, types[kind]) for name, (kind, _) in COLUMNS.items()]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(rows, schema=pa.schema(fields)), sink, compression="zstd")
    kept = conversation_files(paths)
    with writing(kept.table):
        make_private_dir(kept.table.parent)
        replace_private(kept.table, sink.getvalue().to_pybytes())
        replace_private(kept.state, state)
