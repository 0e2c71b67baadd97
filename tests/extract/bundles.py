"""The work of one task, done directly: files below a folder -> the segments of one bundle."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from tracelake.extract.bundle import extract_bundle
from tracelake.lake.layout import LakePaths
from tracelake.lake.tasks import BundleTask, EarlierPart, FileTask, SessionTask
from tracelake.sources.discover import discover
from tracelake.sources.model import SourceFile

NOW_US = 1_790_000_000_000_000
BUNDLE = "b1"


def sessions_below(source: Path, before: Mapping[str, EarlierPart] | None = None) -> list[SessionTask]:
    """Return a task for every session found, parts numbered from 1; `before` are good readings by file name."""
    earlier = before or {}
    found: dict[str, list[SourceFile]] = {}
    for file in sorted(discover([source], {}).files, key=lambda file: (file.session_id, file.path)):
        found.setdefault(file.session_id, []).append(file)
    numbers = iter(range(1, 1_000_000))
    return [
        SessionTask(session_id, [_task(file, next(numbers), earlier.get(Path(file.path).name)) for file in files])
        for session_id, files in found.items()
    ]


def _task(file: SourceFile, part_id: int, before: EarlierPart | None) -> FileTask:
    return FileTask(file, part_id, before, keeps_before=before is not None)


class Extracted:
    """The bundle written of some sessions of a folder, all that are found unless they are given."""

    def __init__(
        self, source: Path, lake: Path, *, with_raw: bool = True, sessions: list[SessionTask] | None = None
    ) -> None:
        self.paths = LakePaths(lake)
        tasks = sessions_below(source) if sessions is None else sessions
        self.result = extract_bundle(BundleTask(BUNDLE, str(lake), NOW_US, 1, tasks, with_raw))

    @property
    def parts(self) -> list[Any]:
        """What the result says of each file that was read."""
        return [part for session in self.result.sessions for part in session.parts]

    @property
    def errors(self) -> list[tuple[str, str]]:
        """The files that could not be read to their end, and why."""
        return [(part.path, part.error) for part in self.parts if part.error is not None]

    def rows(self, table: str) -> list[dict[str, Any]]:
        """The stored rows of a table, as they lie in its segment."""
        path = self.paths.segment(table, BUNDLE)
        rows: list[dict[str, Any]] = pq.read_table(path).to_pylist() if path.exists() else []
        return rows

    def tables(self) -> list[str]:
        """The tables that have a segment."""
        return sorted(path.parent.name for path in self.paths.segments.glob("*/*.parquet"))
