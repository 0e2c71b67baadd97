"""What crosses the process border: the task of one bundle of sessions and its result.

Light to import: the process that plans needs no data library.
"""

from __future__ import annotations

import msgspec

from tracelake.lake.manifest import Extent, SegmentFile
from tracelake.sources.model import SourceFile


class EarlierPart(msgspec.Struct, frozen=True):
    """The reading of a file that is live now: where its rows lie."""

    part_id: int
    bundle: str


class FileTask(msgspec.Struct, frozen=True):
    """One file to read: `part_id` is given to what is read now, `before` is the reading that it takes the place of.

    With `from_lake` its lines come from the raw lines of `before`: the file itself is gone.
    """

    file: SourceFile
    part_id: int
    before: EarlierPart | None = None
    keeps_before: bool = False
    """The earlier reading stays should reading fail now (it was a good one)."""
    from_lake: bool = False


class LostFile(msgspec.Struct, frozen=True):
    """A file of the session that is gone from its place: it may have been read now under another path."""

    path: str
    part_id: int
    extent: Extent


class SessionTask(msgspec.Struct, frozen=True):
    """One session to read: all of its files that are there, in order of path, and those that are gone."""

    session_id: str
    files: list[FileTask]
    lost: list[LostFile] = []

    @property
    def bytes(self) -> int:
        """Transcript bytes to read."""
        return sum(one.file.size for one in self.files if one.file.is_transcript)


class BundleTask(msgspec.Struct, frozen=True):
    """Sessions that are read one after the other into one bundle of segments of the lake at `root`."""

    bundle: str
    root: str
    now_us: int
    """When the run began, in microseconds since 1970 UTC."""
    commit: int
    """Number of the commit that the bundle is written for."""
    sessions: list[SessionTask]
    with_raw: bool

    @property
    def bytes(self) -> int:
        """Transcript bytes to read."""
        return sum(session.bytes for session in self.sessions)


class PartResult(msgspec.Struct):
    """What was read of one file; `error` says why not all of it could be."""

    path: str
    part_id: int
    rows: dict[str, int]
    statuses: dict[str, int]
    models: list[str]
    lines: int
    bytes: int
    extent: Extent | None = None
    error: str | None = None
    keeps_before: bool = False
    """The earlier reading stays live, this one is dead."""
    lines_gone: int = 0
    """Lines of the reading before that stand in the file no longer."""
    problem: str | None = None
    """Why rows of the reading before could not be looked at."""


class SessionResult(msgspec.Struct):
    """What was read of one session; with `failure` none of it counts, and what the lake had stays."""

    session_id: str
    parts: list[PartResult]
    moved: list[str] = []
    """Lost files that were read now under another path: their parts are dead."""
    failure: str | None = None


class BundleResult(msgspec.Struct):
    """What one task wrote."""

    bundle: str
    files: dict[str, SegmentFile]
    parts: list[int]
    born_dead: list[int]
    source_bytes: int
    sessions: list[SessionResult]
    seconds: float
