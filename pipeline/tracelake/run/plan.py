"""Which sessions have to be written, from what is known and what was found; decides and touches nothing."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec

from tracelake.lake.manifest import FileState, Manifest
from tracelake.lake.tasks import KeptFile, SessionTask
from tracelake.sources.model import SourceFile


class Options(msgspec.Struct, frozen=True):
    """What the run was asked for, and when (microseconds since 1970 UTC)."""

    full: bool
    with_raw: bool
    extractor_version: int
    now_us: int


class Plan(msgspec.Struct):
    """The tasks of one run, largest first, and what is known without reading."""

    tasks: list[SessionTask]
    bytes: dict[str, int]
    """Transcript bytes to read, by session."""
    groups: dict[str, set[str]]
    """Sessions that files moved between, each with all that must be committed together with it."""
    moved: set[str]
    """Files whose session is another than before."""
    touched: dict[str, FileState]
    """Files with another time or inode but the same content."""
    vanished: list[str]
    unreadable: list[tuple[str, str]]
    """Files that could not be read before and cannot be now, with the reason."""


def make_plan(
    manifest: Manifest,
    files: Sequence[SourceFile],
    roots: Sequence[str],
    options: Options,
    session_folder: Callable[[str], Path],
    tables_dir: Path,
) -> Plan:
    """Return what to do.

    A session is read whole when a file of it is new, changed, back again, gone to another session, or read by
    another extractor (or without raw lines, where they are wanted). One that only lost files has all of its rows
    carried over, the lost files stamped. Files that were not looked for, or are still there, are carried over
    as they are.
    """
    states, found = manifest.files, {file.path: file for file in files}
    to_read = [file for file in found.values() if _must_read(states.get(file.path), file, options)]
    gone = _gone(states, found, roots)
    groups, moved = _moves(states, to_read)
    reading = {file.session_id for file in to_read} | set(groups)
    wanted = reading | {states[path].file.session_id for path in gone}
    stamps = dict.fromkeys(gone, options.now_us)
    found_by, kept_by = _members(states, found, wanted, reading)
    tasks = [
        SessionTask(
            session_id=session_id,
            files=sorted(found_by.get(session_id, []), key=lambda file: file.path),
            kept=[
                KeptFile(path, stamps.get(path, states[path].vanished_at_us))
                for path in sorted(kept_by.get(session_id, []))
            ],
            staging=str(session_folder(session_id)),
            old_partition_root=str(tables_dir),
            with_raw=options.with_raw,
            read_before=_read_before(states, found_by.get(session_id, [])),
        )
        for session_id in wanted
    ]
    return _complete(tasks, states, found, groups, moved, gone)


def _complete(
    tasks: list[SessionTask],
    states: dict[str, FileState],
    found: dict[str, SourceFile],
    groups: dict[str, set[str]],
    moved: set[str],
    gone: list[str],
) -> Plan:
    sizes = {task.session_id: sum(file.size for file in task.files if file.is_transcript) for task in tasks}
    tasks.sort(key=lambda task: (-sizes[task.session_id], task.session_id))
    read_paths = {file.path for task in tasks for file in task.files}
    rest = {path: file for path, file in found.items() if path not in read_paths}
    return Plan(tasks, sizes, groups, moved, _touched(states, rest), gone, _unreadable(states, rest))


def _must_read(state: FileState | None, file: SourceFile, options: Options) -> bool:
    if state is None or options.full or state.vanished_at_us is not None or _differs(state.file, file):
        return True
    if state.read_error is not None:
        return os.access(file.os_path, os.R_OK)
    lacks_raw = options.with_raw and not state.has_raw and file.is_transcript
    return state.extractor_version != options.extractor_version or lacks_raw


def _differs(known: SourceFile, file: SourceFile) -> bool:
    """Whether content or meaning differ; time and inode alone do not, nor by which source it was found."""
    if known is file:
        return False
    return (
        known.size != file.size
        or known.fingerprint != file.fingerprint
        or known.session_id != file.session_id
        or known.kind != file.kind
        or known.agent != file.agent
        or known.agent_id != file.agent_id
        or known.reason != file.reason
    )


def _read_before(states: dict[str, FileState], files: Sequence[SourceFile]) -> list[str]:
    """Return the files that the session's present partition holds the rows of a good reading of."""
    known = ((file, states.get(file.path)) for file in files)
    return [
        file.path
        for file, state in known
        if state is not None and state.read_at_us is not None and state.file.session_id == file.session_id
    ]


def _gone(states: dict[str, FileState], found: dict[str, SourceFile], roots: Sequence[str]) -> list[str]:
    """Return known files below the scanned roots that were not found and do not exist."""
    exact, prefixes = set(roots), tuple(root.rstrip("/") + "/" for root in roots)
    return [
        path
        for path, state in states.items()
        if path not in found
        and state.vanished_at_us is None
        and (path in exact or path.startswith(prefixes))
        and not _still_there(state.file.os_path)
    ]


def _still_there(os_path: str) -> bool:
    """Whether something that could be the file is there; a folder that may not be entered is no proof of absence."""
    try:
        return not stat.S_ISDIR(os.lstat(os_path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True


def _moves(states: dict[str, FileState], files: Iterable[SourceFile]) -> tuple[dict[str, set[str]], set[str]]:
    """Return the sessions tied together by files that went from one to another, and these files."""
    groups: dict[str, set[str]] = {}
    moved = set()
    for file in files:
        state = states.get(file.path)
        if state is None or state.file.session_id == file.session_id:
            continue
        moved.add(file.path)
        old, new = state.file.session_id, file.session_id
        together = groups.get(old, {old}) | groups.get(new, {new})
        groups.update(dict.fromkeys(together, together))
    return groups, moved


def _members(
    states: dict[str, FileState], found: dict[str, SourceFile], wanted: set[str], reading: set[str]
) -> tuple[dict[str, list[SourceFile]], dict[str, list[str]]]:
    """Return, by wanted session, the files to read and the paths of those to carry over."""
    read_by: dict[str, list[SourceFile]] = {}
    kept_by: dict[str, list[str]] = {}
    for file in found.values():
        if file.session_id in reading:
            read_by.setdefault(file.session_id, []).append(file)
        elif file.session_id in wanted:
            kept_by.setdefault(file.session_id, []).append(file.path)
    for path, state in states.items():
        if path not in found and state.file.session_id in wanted:
            kept_by.setdefault(state.file.session_id, []).append(path)
    return read_by, kept_by


def _touched(states: dict[str, FileState], unread: dict[str, SourceFile]) -> dict[str, FileState]:
    touched = {}
    for path, file in unread.items():
        known = states[path].file
        if known.mtime_ns != file.mtime_ns or known.inode != file.inode:
            now = msgspec.structs.replace(known, mtime_ns=file.mtime_ns, inode=file.inode)
            touched[path] = msgspec.structs.replace(states[path], file=now)
    return touched


def _unreadable(states: dict[str, FileState], unread: dict[str, SourceFile]) -> list[tuple[str, str]]:
    reasons = ((path, states[path].read_error) for path in unread)
    return [(path, reason) for path, reason in reasons if reason is not None]
