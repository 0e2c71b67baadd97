"""What is live in a lake after a commit: files, their parts, the bundles that hold these, and what went wrong.

A manifest is never changed; each commit makes the next one. It is kept as a checkpoint (everything) or as a delta to
the one before it, see `manifest_files`.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from tracelake.lake.layout import segment_name
from tracelake.sources.model import SourceFile

LAKE_VERSION = 2
"""Raised when an older tracelake could no longer read a lake."""
RUNS_KEPT = 20
GRACE_SECONDS = 3600.0
PUBLISHED = ("entries", "tool_calls", "citations", "token_usage")
"""Tables that a lake publishes as partitions by session until something else is chosen."""
_HEX = "hex:"


class SegmentFile(msgspec.Struct, frozen=True, array_like=True):
    """One file that a snapshot is made of: its SHA-256 (hex), length in bytes and number of rows."""

    sha256: str
    bytes: int
    rows: int


class Extent(msgspec.Struct, frozen=True, array_like=True):
    """How a file begins (uuid of its root, first time in microseconds) and how far it goes (decompressed bytes)."""

    root_uuid: str | None
    start_us: int | None
    lines: int
    bytes: int

    def holds(self, other: Extent) -> bool:
        """Return whether the file begins like the other and is no shorter."""
        same = (self.root_uuid, self.start_us) == (other.root_uuid, other.start_us)
        return same and self.lines >= other.lines and self.bytes >= other.bytes


class FileState(msgspec.Struct, frozen=True):
    """One file as the lake knows it."""

    file: SourceFile
    part_id: int
    """The live part that its rows belong to."""
    vanished_at_us: int | None = None
    """When an extraction first found it gone, in microseconds since 1970 UTC; None while it exists."""
    read_at_us: int | None = None
    """When its rows were read; None if it never could be read to its end."""
    read_error: str | None = None
    """Why it could not be read when it last was tried; rows of an earlier reading stay."""
    extractor_version: int = 0
    has_raw: bool = False
    extent: Extent | None = None
    """None for files that are only listed, and where nothing is known of it."""


class PartState(msgspec.Struct, frozen=True, array_like=True):
    """One reading of one file: where its rows are, how many by table, its lines by status, the models it names."""

    path: str
    session_id: str
    bundle: str
    rows: dict[str, int]
    statuses: dict[str, int]
    models: list[str]


class BundleState(msgspec.Struct, frozen=True):
    """One set of segments that were written together."""

    commit: int
    """The commit that it came with."""
    files: dict[str, SegmentFile]
    """Its segments by table."""
    parts: list[int]
    """The parts that it was written for."""
    born_dead: list[int] = []
    """Parts that it holds some rows of, although reading them failed."""
    source_bytes: int = 0
    """Bytes of transcripts that its rows were made from."""
    schema: str = ""
    """Stamp of the columns that its segments have."""

    @property
    def rows(self) -> int:
        """Rows of all tables, dead ones included."""
        return sum(file.rows for file in self.files.values())


class FailureState(msgspec.Struct, frozen=True):
    """Something that a run could not bring into the lake, until a later run does."""

    reason: str
    at_us: int
    """When it last failed, in microseconds since 1970 UTC."""
    path: str
    """The file, or one of the session, as the system names it: once it is gone nothing can be tried again."""


class RunState(msgspec.Struct, frozen=True):
    """One extraction that changed the lake."""

    started_at_us: int
    seconds: float
    sources: list[str]
    sessions_changed: int
    sessions_failed: int
    vanished: int
    lines: int
    bytes: int
    complete: bool = True
    """False when it was interrupted."""


class Settings(msgspec.Struct, frozen=True):
    """What was chosen for a lake and holds until something else is."""

    partitions: list[str] = msgspec.field(default_factory=lambda: list(PUBLISHED))
    """Tables that are published as partitions by session."""
    grace_seconds: float = msgspec.field(default_factory=lambda: GRACE_SECONDS)
    """How long files that no snapshot needs any more are kept for readers that still have an older one."""


class Derived(msgspec.Struct, frozen=True):
    """A small table that was computed from others: its file below `segments`, and what it was made from."""

    name: str
    file: SegmentFile
    stamp: str = ""


class Manifest(msgspec.Struct, frozen=True):
    """Everything that is live in a lake. Dictionaries are not changed; `commit` makes a new manifest."""

    number: int = 0
    """Number of commits so far."""
    lake_version: int = LAKE_VERSION
    next_part: int = 1
    """The lowest part id that was never given out."""
    files: dict[str, FileState] = {}
    """By path."""
    parts: dict[int, PartState] = {}
    """Live parts."""
    bundles: dict[str, BundleState] = {}
    derived: dict[str, Derived] = {}
    """Small computed tables by table name."""
    failures: dict[str, FailureState] = {}
    """By path, or by session id where a whole session failed."""
    dead: dict[str, int] = {}
    """Files below `segments` that are no longer live, and since when (microseconds since 1970 UTC)."""
    runs: list[RunState] = []
    settings: Settings = msgspec.field(default_factory=lambda: Settings())
    rebuilt: bool = False
    """Made from the footers of segments, because no manifest was left: what these do not say is unknown."""

    @property
    def known(self) -> dict[str, SourceFile]:
        """What was known of every file when it was last met, by path."""
        return {path: state.file for path, state in self.files.items()}

    @property
    def models(self) -> set[str]:
        """Every model string that a live row names."""
        return {model for part in self.parts.values() for model in part.models}

    @property
    def live_files(self) -> dict[str, SegmentFile]:
        """Every file of the snapshot below `segments`, by its path there."""
        files = {
            segment_name(table, bundle): file
            for bundle, state in self.bundles.items()
            for table, file in state.files.items()
        }
        return files | {one.name: one.file for one in self.derived.values()}

    def live_parts(self, bundle: str) -> list[int]:
        """Return the parts of a bundle that are live."""
        return [part for part in self.bundles[bundle].parts if self._lives(part, bundle)]

    def dead_parts(self, bundle: str) -> list[int]:
        """Return the parts that a bundle holds rows of and that are not live."""
        state = self.bundles[bundle]
        return [*state.born_dead, *(part for part in state.parts if not self._lives(part, bundle))]

    def live_rows(self, bundle: str) -> int:
        """Return the rows of a bundle that are live, all tables together."""
        return sum(sum(self.parts[part].rows.values()) for part in self.live_parts(bundle))

    def _lives(self, part: int, bundle: str) -> bool:
        return part in self.parts and self.parts[part].bundle == bundle

    def rows_by_table(self) -> dict[str, int]:
        """Return the live rows of every table that has any."""
        total: dict[str, int] = {}
        for part in self.parts.values():
            for table, count in part.rows.items():
                total[table] = total.get(table, 0) + count
        return total

    def sessions(self) -> dict[str, list[FileState]]:
        """Return the known files of every session."""
        found: dict[str, list[FileState]] = {}
        for state in self.files.values():
            found.setdefault(state.file.session_id, []).append(state)
        return found


def pack(files: Mapping[str, FileState]) -> dict[str, FileState]:
    """Return the states as JSON can hold them: an `os_path` that is not UTF-8 becomes `hex:` and its bytes."""
    odd = {path: _with_os_path(state, _to_hex(state.file.os_path)) for path, state in files.items() if _is_odd(state)}
    return {**files, **odd}


def unpack(files: Mapping[str, FileState]) -> dict[str, FileState]:
    """Undo `pack`."""
    odd = {
        path: _with_os_path(state, _from_hex(state.file.os_path))
        for path, state in files.items()
        if state.file.os_path.startswith(_HEX)
    }
    return {**files, **odd}


def _is_odd(state: FileState) -> bool:
    return state.file.os_path != state.file.path and not state.file.os_path.isascii()


def _with_os_path(state: FileState, os_path: str) -> FileState:
    return msgspec.structs.replace(state, file=msgspec.structs.replace(state.file, os_path=os_path))


def _to_hex(os_path: str) -> str:
    return _HEX + os_path.encode("utf-8", "surrogateescape").hex()


def _from_hex(text: str) -> str:
    return bytes.fromhex(text.removeprefix(_HEX)).decode("utf-8", "surrogateescape")
