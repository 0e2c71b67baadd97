"""The work of one task: sessions -> one bundle of segments. A session that fails takes no other along."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tracelake.errors import LakeWriteError, describe
from tracelake.extract.session import SessionReader
from tracelake.lake.layout import LakePaths
from tracelake.lake.segment_file import Origin
from tracelake.lake.segments import BundleWriter
from tracelake.lake.tasks import BundleResult, BundleTask, SessionResult, SessionTask

YOUNG_OBJECTS = 100_000
"""How many new objects may pile up before Python looks for cycles among them; reading lines makes none."""


def extract_bundle(task: BundleTask) -> BundleResult:
    """Read the task's sessions and write their rows; what could not be read is said in the result.

    Raises LakeWriteError when the lake cannot be written: then no other task would succeed.
    """
    started = time.perf_counter()
    paths = LakePaths(Path(task.root))
    with _few_collections(), BundleWriter(paths, task.bundle) as writer:
        sessions = []
        for session in task.sessions:
            sessions.append(_read(session, task, paths, writer))
            writer.session_ends()
        good, dead, kills = _fates(task, sessions)
        size = sum(part.bytes for session in sessions for part in session.parts)
        files = writer.finish(Origin(task.commit, good, dead, kills, source_bytes=size))
    return BundleResult(task.bundle, files, good, dead, size, sessions, time.perf_counter() - started)


@contextmanager
def _few_collections() -> Iterator[None]:
    """Let the garbage collector run a hundredth as often: with its usual threshold it takes 5 % of the time."""
    usual = gc.get_threshold()
    gc.set_threshold(max(usual[0], YOUNG_OBJECTS) if usual[0] else 0, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def _read(session: SessionTask, task: BundleTask, paths: LakePaths, writer: BundleWriter) -> SessionResult:
    reader = SessionReader(session, paths, writer, with_raw=task.with_raw, now_us=task.now_us)
    try:
        return reader.read()
    except LakeWriteError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a session does to its fold, the others go on
        return SessionResult(session.session_id, [], failure=describe(error))


def _fates(task: BundleTask, sessions: list[SessionResult]) -> tuple[list[int], list[int], list[int]]:
    """Return which parts of the bundle count, which do not, and which earlier ones are dead by it."""
    read = [part for session in sessions if session.failure is None for part in session.parts]
    good = {part.part_id for part in read if not part.keeps_before}
    files = [one for session in task.sessions for one in session.files]
    kills = [one.before.part_id for one in files if one.before and one.part_id in good]
    moved = {path for session in sessions for path in session.moved}
    kills += [lost.part_id for session in task.sessions for lost in session.lost if lost.path in moved]
    return sorted(good), sorted({one.part_id for one in files} - good), sorted(kills)
