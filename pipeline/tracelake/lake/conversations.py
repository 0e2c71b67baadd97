"""`conversation_roots`: the identity of every root file, computed over the lake and kept as one small Parquet file.

Depth-first search with backtracking is no SQL, so the answers of `tracelake.identity` are stored. Only sessions that
changed are read again; others only when a file of their project folder newly continues something.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from tracelake.errors import BodyError
from tracelake.identity import Identity, Root, RootFile, identities, wanted_uuids
from tracelake.lake.conversation_table import STATE, TABLE, store_conversations
from tracelake.lake.derived import derived_path
from tracelake.lake.layout import LakePaths
from tracelake.lake.manifest import Derived, FileState, Manifest
from tracelake.lake.view_sql import segments_query
from tracelake.lake.zstd import decompress
from tracelake.tables.entries import STRICT_STATUSES

_ROOTS = """
    kind IN ('main', 'legacy_subagent')
    OR (kind = 'unrecognised' AND ends_with(path, '.jsonl') AND read_error IS NOT NULL)
"""
"""Root files; what could not be opened may be one, and is never taken for absent (I-3)."""

_CODEX_HOME = re.compile(r"(.+)/(?:sessions|archived_sessions)/.+")
"""The home in the path of a Codex rollout: its sessions lie in folders by day, not by project."""


class _Known(msgspec.Struct):
    """What is remembered of one root file between runs."""

    path: str
    session_id: str
    project_dir: str
    root: Root | None
    unreadable: bool
    stopped: bool
    stops_at: int | None
    mentions: dict[str, int]

    def root_file(self) -> RootFile:
        mentions = frozenset(u for u, line in self.mentions.items() if self.stops_at is None or line < self.stops_at)
        return RootFile(self.path, self.root, self.unreadable, mentions, self.stopped)


class _State(msgspec.Struct):
    """The remembered files, which parts of each session were read, and per project the uuids that were looked for."""

    sessions: dict[str, str]
    files: dict[str, _Known]
    wanted: dict[str, set[str]]


def refresh_conversations(paths: LakePaths, manifest: Manifest) -> dict[str, Derived]:
    """Return the identities of the manifest's sessions, as its computed tables; those it has where nothing changed.

    Raises LakeWriteError.
    """
    state = _load(paths, manifest)
    marks = {session_id: _mark(files) for session_id, files in manifest.sessions().items()}
    if state.sessions == marks and {TABLE, STATE} <= manifest.derived.keys():
        return {name: manifest.derived[name] for name in (TABLE, STATE)}
    changed = _forget_stale(state, marks)
    state.files |= {file.path: file for file in _read_roots(paths, manifest, changed)}
    wanted = _wanted_by_project(state.files.values())
    widened = {project for project, uuids in wanted.items() if uuids - state.wanted.get(project, set())}
    again = {file.session_id for file in state.files.values() if file.project_dir in widened} | changed
    _look_up(paths, manifest, state, wanted, again)
    state.wanted = wanted
    return _store(paths, state)


def _load(paths: LakePaths, manifest: Manifest) -> _State:
    path = derived_path(paths, manifest, STATE)
    try:
        return msgspec.json.decode(decompress(path.read_bytes()), type=_State) if path else _State({}, {}, {})
    except (OSError, BodyError, msgspec.MsgspecError):
        return _State({}, {}, {})


def _mark(files: Iterable[FileState]) -> str:
    """Return what changes whenever a session is read again or one of its files leaves it."""
    return ",".join(sorted(f"{state.part_id}{'!' if state.read_error else ''}" for state in files))


def _forget_stale(state: _State, marks: dict[str, str]) -> set[str]:
    """Drop what is remembered of sessions that changed or went; return the sessions to read."""
    changed = {session_id for session_id, mark in marks.items() if state.sessions.get(session_id) != mark}
    live = marks.keys() - changed
    state.sessions = marks
    state.files = {path: file for path, file in state.files.items() if file.session_id in live}
    return changed


def _read_roots(paths: LakePaths, manifest: Manifest, sessions: Iterable[str]) -> Iterator[_Known]:
    columns = "path, session_id, agent, root_uuid, root_logical_parent_uuid, root_timestamp, root_line_no"
    sql = f"SELECT {columns}, first_oversize_line, read_error FROM {{}} WHERE {_ROOTS}"
    for row in _query(paths, manifest, "files", sessions, sql):
        path, session_id, agent, uuid, logical, time, root_line, oversize, read_error = row
        read_error = manifest.files[path].read_error or read_error
        stopped_before_root = oversize is not None and (root_line is None or oversize < root_line)
        yield _Known(
            path=path,
            session_id=session_id,
            project_dir=project_dir_of(agent, path),
            root=Root(uuid, _session_named(agent, logical), time) if uuid else None,
            unreadable=stopped_before_root or (read_error is not None and not uuid),
            stopped=oversize is not None or read_error is not None,
            stops_at=oversize,
            mentions={},
        )


def project_dir_of(agent: str, path: str) -> str:
    """Return the folder whose files may be of the same conversation as a root file (I-6)."""
    home = _CODEX_HOME.fullmatch(path) if agent == "codex" else None
    return home[1] if home else path.rpartition("/")[0]


def _session_named(agent: str, logical_parent: str | None) -> str | None:
    """Return the entry or session that a root continues; pi may name the session's file, which ends `_<id>.jsonl`."""
    if agent != "pi" or not logical_parent or "/" not in logical_parent:
        return logical_parent
    return logical_parent.rpartition("/")[2].removesuffix(".jsonl").rpartition("_")[2]


def _wanted_by_project(files: Iterable[_Known]) -> dict[str, set[str]]:
    by_project: dict[str, list[Root]] = {}
    for file in files:
        if file.root:
            by_project.setdefault(file.project_dir, []).append(file.root)
    return {project: found for project, roots in by_project.items() if (found := wanted_uuids(roots))}


def _look_up(
    paths: LakePaths, manifest: Manifest, state: _State, wanted: Mapping[str, set[str]], sessions: set[str]
) -> None:
    """Note in which files of the sessions the wanted uuids occur, and where first."""
    uuids = sorted(set().union(*wanted.values())) if wanted else []
    if not uuids:
        return
    sql = (
        f"SELECT path, uuid, min(line_no) FROM {{}} WHERE status IN {tuple(sorted(STRICT_STATUSES))}"
        " AND uuid IN (SELECT unnest(?::VARCHAR[])) GROUP BY path, uuid"
    )
    for path, uuid, line_no in _query(paths, manifest, "entries", sessions, sql, [uuids]):
        file = state.files.get(path)
        if file is not None and uuid in wanted.get(file.project_dir, ()):
            file.mentions[uuid] = line_no


def _query(
    paths: LakePaths, manifest: Manifest, table: str, sessions: Iterable[str], sql: str, params: list[Any] | None = None
) -> list[tuple[Any, ...]]:
    """Run `sql` over the rows of some sessions; `{}` stands for the table."""
    import duckdb

    wanted = set(sessions)
    parts = [part_id for part_id, part in manifest.parts.items() if part.session_id in wanted and part.rows.get(table)]
    bundles = sorted({manifest.parts[part_id].bundle for part_id in parts})
    if not bundles:
        return []
    with duckdb.connect(":memory:") as con:
        con.execute("CREATE TABLE wanted_parts AS SELECT unnest(?::BIGINT[]) AS part_id", [parts])
        rows = segments_query(paths, table, bundles, "SEMI JOIN wanted_parts USING (part_id)")
        return con.execute(sql.format(f"({rows})"), params or []).fetchall()


def _store(paths: LakePaths, state: _State) -> dict[str, Derived]:
    projects: dict[str, list[RootFile]] = {}
    for file in state.files.values():
        projects.setdefault(file.project_dir, []).append(file.root_file())
    answers = identities(projects)
    rows = [_row(file, answers[file.path]) for file in sorted(state.files.values(), key=lambda file: file.path)]
    return store_conversations(paths, rows, msgspec.json.encode(state))


def _row(file: _Known, identity: Identity | None) -> dict[str, Any]:
    stable_id, degraded, siblings = identity or (None, None, ())
    return {
        "path": file.path,
        "session_id": file.session_id,
        "project_dir": file.project_dir,
        "stable_id": stable_id,
        "degraded": degraded,
        "unreadable_siblings": list(siblings),
        "identity_error": None if identity else "unreadable" if file.unreadable else "no_origin",
    }
