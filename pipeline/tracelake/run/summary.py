"""What a run did, for the one who asked for it; and how it reports while it runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import msgspec


class Progress(Protocol):
    """Told how far a run is; all numbers are of this run alone."""

    def start(self, total_bytes: int, total_sessions: int) -> None:
        """The work is known: bytes to read and sessions to write."""

    def advance(self, bytes: int, sessions: int, label: str) -> None:  # noqa: A002 - the unit is the name
        """So much more is done; `label` names what was finished."""

    def finish(self) -> None:
        """No more will come, whether all went well or not."""


class Summary(msgspec.Struct):
    """Counts of one run. Lines, bytes, rows and statuses are those of the sessions it wrote."""

    lake: str
    sources: list[str]
    roots: list[str] = []
    """Folders and files that were scanned."""
    sessions_seen: int = 0
    sessions_changed: int = 0
    """Sessions written; in a dry run those that would be."""
    sessions_failed: int = 0
    files: dict[str, int] = {}
    """Files found, by kind."""
    not_read: dict[str, int] = {}
    """Files found that are no transcripts, by kind and reason, the most frequent first."""
    vanished: int = 0
    """Files found gone for the first time; their rows stay."""
    moved: int = 0
    """Files found gone whose lines were read under another path; their rows are now that path's."""
    lines_gone: int = 0
    """Lines that the lake had of files which were rewritten without them; what their calls cost still counts."""
    lines: int = 0
    bytes: int = 0
    rows: dict[str, int] = {}
    """Rows by table, carried over ones included."""
    statuses: dict[str, int] = {}
    """Lines by status."""
    failures: list[tuple[str, str]] = []
    """Path (or session) and reason of everything that could not be read."""
    problems: list[str] = []
    """What discovery could not look into, one line each."""
    started_at_us: int = 0
    """Microseconds since 1970 UTC."""
    seconds: float = 0.0
    mb_per_second: float = 0.0
    """Megabytes (10^6 bytes) of transcripts a second, over the whole run."""
    dry_run: bool = False

    @property
    def exit_code(self) -> int:
        """0, or 4 when some inputs failed but the rest is in the lake."""
        return 4 if self.failures or self.problems else 0


def add_counts(total: dict[str, int], more: Mapping[str, int]) -> None:
    """Add the second counts to the first, in place."""
    for name, count in more.items():
        total[name] = total.get(name, 0) + count
