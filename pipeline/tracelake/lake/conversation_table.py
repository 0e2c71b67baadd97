"""The stored table `conversation_roots`: its columns, and how it is kept."""

from __future__ import annotations

from typing import Any

from tracelake.lake.derived import store_derived
from tracelake.lake.durable import writing
from tracelake.lake.layout import LakePaths
from tracelake.lake.manifest import Derived
from tracelake.lake.zstd import compress

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


TABLE, STATE = "conversation_roots", "conversation_state"
"""Names, among the computed tables of a snapshot, of the table and of what it was made from."""


def store_conversations(paths: LakePaths, rows: list[dict[str, Any]], state: bytes) -> dict[str, Derived]:
    """Write the table and the state it was made from; return what the manifest says of them. Raises LakeWriteError."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = {"VARCHAR": pa.string(), "VARCHAR[]": pa.list_(pa.string())}
    fields = [(name, types[kind]) for name, (kind, _) in COLUMNS.items()]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(rows, schema=pa.schema(fields)), sink, compression="zstd")
    content = {TABLE: sink.getvalue().to_pybytes(), STATE: compress(state)}
    with writing(paths.segments):
        return {name: store_derived(paths, "_conversations", name, data, len(rows)) for name, data in content.items()}
