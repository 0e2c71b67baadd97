"""Which conversation a file belongs to, across restarts and forks (transcript.md I-1 to I-6).

Pure: works on what extraction knows of each file, reads nothing. The answer depends on a file's root record and its
project folder alone, so it is computed once per distinct root.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tracelake.decode.json_rules import timestamp_us

MAX_HOPS = 64
"""How deep a chain of restarts is followed."""
MAX_VISITS = 512
"""How many candidate files one search looks at."""

MISSING = "missing"
RUNAWAY = "runaway"


class Root(NamedTuple):
    """The first parentless record of a file (I-1)."""

    uuid: str
    logical_parent: str | None
    timestamp: str | None


@dataclass(frozen=True, slots=True)
class RootFile:
    """One `.jsonl` directly in a project folder.

    `root` is None where the file has none; `unreadable` says that reading stopped before a root was found.
    `mentions` are the wanted uuids that occur in its records; `stopped` says that reading it stops early (an oversize
    line), so that a uuid it does not mention may be in the unread rest.
    """

    path: str
    root: Root | None
    unreadable: bool = False
    mentions: frozenset[str] = frozenset()
    stopped: bool = False

    @property
    def name(self) -> bytes:
        """The file name as bytes, by which candidates are ordered."""
        return self.path.rpartition("/")[2].encode(errors="surrogateescape")


class Identity(NamedTuple):
    """The answer for one file: its stable id, `missing` or `runaway` where degraded, and unreadable files."""

    stable_id: str
    degraded: str | None
    unreadable_siblings: tuple[str, ...]


@dataclass
class _Walk:
    """The state of one search."""

    visits: int = 0
    unreadable: dict[str, None] = field(default_factory=dict)
    on_path: set[str] = field(default_factory=set)


class Project:
    """The files of one project folder, and the identities of their conversations."""

    def __init__(self, files: Iterable[RootFile]) -> None:
        """Index the files by the uuids they mention."""
        ordered = sorted(files, key=lambda file: file.name)
        self._rank = {file.path: position for position, file in enumerate(ordered)}
        self._unread = [file for file in ordered if file.unreadable or file.stopped]
        self._by_uuid: dict[str, list[RootFile]] = {}
        for file in ordered:
            for uuid in file.mentions:
                self._by_uuid.setdefault(uuid, []).append(file)
        self._known: dict[Root, Identity] = {}

    def identity(self, root: Root) -> Identity:
        """Return the identity of a file that opens on `root` (I-2)."""
        known = self._known.get(root)
        if known is None:
            known = self._known[root] = self._search_from(root)
        return known

    def _search_from(self, root: Root) -> Identity:
        if not root.logical_parent:
            return Identity(root.uuid, None, ())
        walk = _Walk()
        stable_id, degraded = self._search(root, walk, 0)
        return Identity(stable_id, degraded, tuple(walk.unreadable))

    def _search(self, root: Root, walk: _Walk, depth: int) -> tuple[str, str | None]:
        """Search depth first for the origin of `root`; the first answer that is not degraded wins."""
        if depth >= MAX_HOPS:
            return root.uuid, RUNAWAY
        walk.on_path.add(root.uuid)
        try:
            return self._try_each(self._predecessors(root, walk), root, walk, depth)
        finally:
            walk.on_path.discard(root.uuid)

    def _try_each(self, candidates: list[Root], root: Root, walk: _Walk, depth: int) -> tuple[str, str | None]:
        fallback: tuple[str, str | None] | None = None
        looped = False
        for candidate in candidates:
            if candidate.uuid in walk.on_path:
                looped = True
                continue
            walk.visits += 1
            if walk.visits > MAX_VISITS:
                return root.uuid, RUNAWAY
            if not candidate.logical_parent:
                return candidate.uuid, None
            answer = self._search(candidate, walk, depth + 1)
            if answer[1] is None:
                return answer
            fallback = fallback or answer
        return fallback or (root.uuid, RUNAWAY if looped else MISSING)

    def _predecessors(self, root: Root, walk: _Walk) -> list[Root]:
        """Return the roots of the files that `root` may continue, in order of file name (I-3)."""
        found: dict[str, RootFile] = {}
        for uuid in (root.logical_parent, root.uuid):
            for file in self._by_uuid.get(uuid or "", ()):
                found[file.path] = file
        for file in self._unread:
            if file.unreadable or (file.path not in found and self._may_precede(file, root)):
                walk.unreadable.setdefault(file.path)
        ordered = sorted(found.values(), key=lambda file: self._rank[file.path])
        return [file.root for file in ordered if file.root is not None and self._may_precede(file, root)]

    def _may_precede(self, file: RootFile, root: Root) -> bool:
        """Return whether a file opens on another root that is not later than `root`."""
        if file.unreadable or file.root is None or file.root.uuid == root.uuid:
            return False
        theirs, ours = timestamp_us(file.root.timestamp), timestamp_us(root.timestamp)
        return theirs is None or ours is None or theirs <= ours


def wanted_uuids(roots: Iterable[Root]) -> set[str]:
    """Return the uuids whose files matter: roots that continue something, and what they continue (I-5)."""
    continued = [root for root in roots if root.logical_parent]
    return {uuid for root in continued for uuid in (root.uuid, root.logical_parent) if uuid}


def identities(projects: Mapping[str, Iterable[RootFile]]) -> dict[str, Identity | None]:
    """Return the identity of every file by path; None for a file without a root or that cannot be read."""
    answers: dict[str, Identity | None] = {}
    for files in projects.values():
        listed = list(files)
        project = Project(listed)
        for file in listed:
            answers[file.path] = project.identity(file.root) if file.root and not file.unreadable else None
    return answers
