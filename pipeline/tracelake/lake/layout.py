"""Where everything of a lake lies on disk; the only place that turns ids into paths."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

_UNSAFE_BYTE = re.compile(rb"[^A-Za-z0-9_-]|^_")
_LONGEST = 180
"""Longest escaped id in bytes; with `session_id=` in front a component stays below 200."""


@dataclass(frozen=True, slots=True)
class LakePaths:
    """The paths of one lake; nothing is created by asking for them."""

    root: Path

    @property
    def tables_dir(self) -> Path:
        """Folder of the partitioned tables."""
        return self.root / "tables"

    @property
    def manifest(self) -> Path:
        """What is live: files and sessions."""
        return self.root / "manifest.json"

    @property
    def staging(self) -> Path:
        """Folder in which runs write aside."""
        return self.root / "staging"

    @property
    def prices(self) -> Path:
        """Folder of the flat price tables."""
        return self.root / "prices"

    @property
    def database(self) -> Path:
        """DuckDB file with the views and macros."""
        return self.root / "tracelake.duckdb"

    @property
    def lock(self) -> Path:
        """Lock shared by queries, exclusive while a commit renames."""
        return self.root / ".lock"

    @property
    def writer_lock(self) -> Path:
        """Lock held by a writer for its whole run."""
        return self.root / ".writer.lock"

    def partition_dir(self, table: str, session_id: str) -> Path:
        """Return the folder that holds one session's rows of one table."""
        return self.tables_dir / table / f"session_id={escape_session_id(session_id)}"

    def partition_file(self, table: str, session_id: str) -> Path:
        """Return the one Parquet file of one session and table."""
        return self.partition_dir(table, session_id) / "data.parquet"


def escape_session_id(session_id: str) -> str:
    """Return any id as one harmless path component of at most 180 ASCII bytes; different ids stay different.

    Everything but ASCII letters, digits, `-` and `_` is percent-encoded (a leading `_` too, so that no id
    reads as Hive's name for NULL). `%empty` stands for the empty id. A longer name is cut and ends in `%-`
    and the SHA-256 of the id; neither form can arise from encoding, as `em` and `-` are no hex digits.
    """
    encoded = session_id.encode("utf-8", "surrogatepass")
    escaped = _UNSAFE_BYTE.sub(lambda match: b"%%%02X" % match[0][0], encoded).decode("ascii")
    if not escaped:
        return "%empty"
    if len(escaped) <= _LONGEST:
        return escaped
    ending = "%-" + hashlib.sha256(encoded).hexdigest()
    return re.sub(r"%.?$", "", escaped[: _LONGEST - len(ending)]) + ending
