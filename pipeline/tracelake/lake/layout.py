"""Where everything of a lake lies on disk; the only place that turns ids into paths.

LAKE/
  segments/<table>/<bundle>.parquet    the rows, many sessions to a file; never changed once written
  segments/_prices/, _conversations/   small derived tables, each version a file of its own
  manifest-<n>                         what is live after commit <n>; a second copy lies in segments/_manifests/
  tracelake.duckdb                     views and macros over the segments of one commit, which it names
  tables/<table>/session_id=<id>/      published copies by session; nothing of tracelake reads them
  .writer.lock  .spill/
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

_UNSAFE_BYTE = re.compile(rb"[^A-Za-z0-9_-]|^_")
_LONGEST = 180
"""Longest escaped id in bytes; with `session_id=` in front a component stays below 200."""
_MANIFEST = re.compile(r"manifest-(\d{8,})")


@dataclass(frozen=True, slots=True)
class LakePaths:
    """The paths of one lake; nothing is created by asking for them."""

    root: Path

    @property
    def segments(self) -> Path:
        """Folder of everything that a snapshot is made of."""
        return self.root / "segments"

    @property
    def database(self) -> Path:
        """DuckDB file with the views and macros."""
        return self.root / "tracelake.duckdb"

    @property
    def writer_lock(self) -> Path:
        """Lock held by a writer for its whole run."""
        return self.root / ".writer.lock"

    @property
    def spill(self) -> Path:
        """Folder for what a run needs for a while and removes again."""
        return self.root / ".spill"

    @property
    def prices(self) -> Path:
        """Folder of the prices that the user gave; it need not exist."""
        return self.root / "prices"

    @property
    def published(self) -> Path:
        """Folder of the published partitions by session."""
        return self.root / "tables"

    @property
    def manifest_copies(self) -> Path:
        """Folder of the second copies of manifests."""
        return self.segments / "_manifests"

    @property
    def old_manifest(self) -> Path:
        """The manifest of the layout with a folder per session, which lakes had before."""
        return self.root / "manifest.json"

    def segment(self, table: str, bundle: str) -> Path:
        """Return the file that holds a bundle's rows of one table."""
        return self.segments / segment_name(table, bundle)

    def manifest(self, number: int) -> Path:
        """Return the manifest of a commit."""
        return self.root / f"manifest-{number:08d}"

    def manifest_copy(self, number: int) -> Path:
        """Return the second copy of a manifest."""
        return self.manifest_copies / f"manifest-{number:08d}"

    def partition_file(self, table: str, session_id: str) -> Path:
        """Return the published file of one session and table."""
        return self.published / table / f"session_id={escape_session_id(session_id)}" / "data.parquet"


def segment_name(table: str, bundle: str) -> str:
    """Return the path of a segment below the folder of segments."""
    return f"{table}/{bundle}.parquet"


def manifest_number(name: str) -> int | None:
    """Return the commit number in a manifest's file name, None where it is another file."""
    found = _MANIFEST.fullmatch(name)
    return int(found[1]) if found else None


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
