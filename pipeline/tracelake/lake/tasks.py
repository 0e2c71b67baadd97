"""What crosses the process border: the task of one session and its result.

Light to import: the process that plans needs no data library.
"""

from __future__ import annotations

import msgspec

from tracelake.sources.model import SourceFile


class KeptFile(msgspec.Struct, frozen=True):
    """A file whose rows are carried over from the session's present partition instead of being read."""

    path: str
    vanished_at_us: int | None
    """Microseconds since 1970 UTC at which it was first found gone; None while it exists."""


class SessionTask(msgspec.Struct, frozen=True):
    """One session to extract.

    `files` are read, `kept` are carried over. Tables are written as `<staging>/<table>.parquet`, only those
    with rows. `old_partition_root` is the lake's tables folder: the present rows of a table are in
    `<old_partition_root>/<table>/session_id=<escape_session_id(id)>/data.parquet`, if that exists.
    """

    session_id: str
    files: list[SourceFile]
    kept: list[KeptFile]
    staging: str
    old_partition_root: str
    with_raw: bool
    read_before: list[str] = []
    """Paths among `files` that the present partition has rows of: what to keep should reading fail now."""


class SessionResult(msgspec.Struct):
    """What one task wrote; rows, statuses and models include what was carried over."""

    session_id: str
    rows: dict[str, int]
    statuses: dict[str, int]
    files: int
    lines: int
    bytes: int
    models: list[str]
    read_errors: list[tuple[str, str]]
    """Path and reason of each file that could not be read, or not to its end."""
    seconds: float
    kept_errors: list[str] = []
    """Paths among `read_errors` whose earlier rows were carried over already."""
    moved: list[str] = []
    """Kept files of the task that were not carried over after all: their lines were read under another path."""
