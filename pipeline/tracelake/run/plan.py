"""Which sessions have to be read, from what is known and what was found; decides and touches nothing."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Sequence

import msgspec

from tracelake.lake.manifest import Extent, FileState, Manifest
from tracelake.lake.tasks import BundleTask, EarlierPart, FileTask, LostFile, SessionTask
from tracelake.sources.model import SourceFile

BUNDLE_BYTES = 24 * 1024 * 1024
"""Transcript bytes that one task reads; a larger session is a task by itself."""
BUNDLE_FILES = 4_000
"""Files that one task reads, however small they are."""


class Options(msgspec.Struct, frozen=True):
    """What the run was asked for, and when (microseconds since 1970 UTC)."""

    full: bool
    with_raw: bool
    extractor_version: int
    now_us: int


class Plan(msgspec.Struct):
    """The sessions of one run, in order of id, and what is known without reading."""

    sessions: list[SessionTask]
    next_part: int
    """The lowest part id that was not given out."""
    vanished: list[str]
    """Known files that are found gone for the first time."""
    relabelled: dict[str, SourceFile]
    """Files that are not read and yet are known a little differently: found by another source."""
    unreadable: list[tuple[str, str]]
    """Files that could not be read before and cannot be now, with the reason."""
    stale: list[str] = []
    """Files of an older extractor that are gone, and of which no raw lines were kept: their rows stay as they are."""


def make_plan(manifest: Manifest, files: Sequence[SourceFile], roots: Sequence[str], options: Options) -> Plan:
    """Return what to do.

    A session is read whole when a file of it is new, changed, back again, gone to another session, or read by
    another extractor (or without raw lines, where they are wanted). Rows of files that are gone or were not looked for
    stay; those of an older extractor are made again from the raw lines, where these were kept.
    """
    states, found = manifest.files, {file.path: file for file in files}
    to_read = [file for file in found.values() if _must_read(states.get(file.path), file, options)]
    lost = [path for path, state in states.items() if path not in found and _is_gone(state)]
    outdated = [path for path in lost if states[path].extractor_version != options.extractor_version]
    again = [path for path in outdated if states[path].has_raw and states[path].file.is_transcript]
    reading = {file.session_id for file in to_read} | {
        states[file.path].file.session_id for file in to_read if file.path in states
    }
    reading |= {states[path].file.session_id for path in again}
    sessions, next_part = _sessions(manifest, found, reading, lost, set(again))
    read_paths = {one.file.path for session in sessions for one in session.files}
    rest = {path: file for path, file in found.items() if path not in read_paths}
    return Plan(
        sessions=sessions,
        next_part=next_part,
        vanished=[path for path in lost if states[path].vanished_at_us is None and _is_below(path, roots)],
        relabelled={path: file for path, file in rest.items() if states[path].file != file},
        unreadable=_unreadable(states, rest),
        stale=[path for path in outdated if path not in read_paths and states[path].file.is_transcript],
    )


def bundles(plan: Plan, name: Callable[[], str], root: str, commit: int, options: Options) -> list[BundleTask]:
    """Return the tasks of a run, largest first: sessions of neighbouring ids together, so that each lies in one place.

    Which sessions are read together does not depend on how many workers there are.
    """
    groups: list[list[SessionTask]] = []
    size = count = 0
    for session in plan.sessions:
        if not groups or size + session.bytes > BUNDLE_BYTES or count + len(session.files) > BUNDLE_FILES:
            groups.append([])
            size = count = 0
        groups[-1].append(session)
        size, count = size + session.bytes, count + len(session.files)
    tasks = [BundleTask(name(), root, options.now_us, commit, group, options.with_raw) for group in groups]
    return sorted(tasks, key=lambda task: -task.bytes)


def halves(task: BundleTask, name: Callable[[], str]) -> list[BundleTask]:
    """Return a task as two, for finding the session that ends whatever works on it; none where it is one session."""
    if len(task.sessions) < 2:
        return []
    middle = len(task.sessions) // 2
    parts = (task.sessions[:middle], task.sessions[middle:])
    return [msgspec.structs.replace(task, bundle=name(), sessions=part) for part in parts]


def _sessions(
    manifest: Manifest, found: dict[str, SourceFile], reading: set[str], lost: list[str], again: set[str]
) -> tuple[list[SessionTask], int]:
    """Return the tasks of the sessions to read, and the next free part id."""
    states = manifest.files
    files: dict[str, list[SourceFile]] = {session_id: [] for session_id in reading}
    for file in found.values():
        if file.session_id in reading:
            files[file.session_id].append(file)
    gone: dict[str, list[LostFile]] = {}
    for path in lost:
        state = states[path]
        session_id = state.file.session_id
        if path in again:
            files[session_id].append(state.file)
        elif session_id in reading and state.file.is_transcript:
            extent = state.extent or Extent(None, None, 0, 0)
            gone.setdefault(session_id, []).append(LostFile(path, state.part_id, extent))
    next_part = manifest.next_part
    tasks = []
    for session_id in sorted(reading):
        members = sorted(files[session_id], key=lambda file: file.path)
        numbered = [
            _file_task(states.get(file.path), manifest, file, next_part + number, file.path in again)
            for number, file in enumerate(members)
        ]
        next_part += len(members)
        if numbered:
            tasks.append(SessionTask(session_id, numbered, gone.get(session_id, [])))
    return tasks, next_part


def _file_task(
    state: FileState | None, manifest: Manifest, file: SourceFile, part_id: int, from_lake: bool
) -> FileTask:
    if state is None:
        return FileTask(file, part_id)
    before = EarlierPart(state.part_id, manifest.parts[state.part_id].bundle)
    return FileTask(file, part_id, before, state.read_at_us is not None, from_lake)


def _must_read(state: FileState | None, file: SourceFile, options: Options) -> bool:
    if state is None or options.full or state.vanished_at_us is not None or _differs(state.file, file):
        return True
    if state.read_error is not None:
        return os.access(file.os_path, os.R_OK)
    lacks_raw = options.with_raw and not state.has_raw and file.is_transcript
    return state.extractor_version != options.extractor_version or lacks_raw


def _differs(known: SourceFile, file: SourceFile) -> bool:
    """Whether content or meaning may differ: another time or inode may hide another content of the same size.

    By which source a file was found does not matter.
    """
    return known is not file and msgspec.structs.replace(known, source=file.source) != file


def _is_gone(state: FileState) -> bool:
    """Whether a known file is not in its place; a folder that may not be entered is no proof of that."""
    try:
        return stat.S_ISDIR(os.lstat(state.file.os_path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False


def _is_below(path: str, roots: Iterable[str]) -> bool:
    return any(path == root or path.startswith(root.rstrip("/") + "/") for root in roots)


def _unreadable(states: dict[str, FileState], unread: dict[str, SourceFile]) -> list[tuple[str, str]]:
    reasons = ((path, states[path].read_error) for path in unread)
    return [(path, reason) for path, reason in reasons if reason is not None]
