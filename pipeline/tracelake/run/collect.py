"""Results as they come in: committed in batches and counted."""

from __future__ import annotations

import time

from tracelake.engines import Failure
from tracelake.errors import LakeWriteError
from tracelake.lake.commit import StagedRun
from tracelake.lake.tasks import SessionResult, SessionTask
from tracelake.run.changes import change_of
from tracelake.run.plan import Options, Plan
from tracelake.run.summary import Summary, add_counts

BATCH_SECONDS = 2.0
BATCH_SESSIONS = 256
"""A commit is made when either is reached: what a kill can lose, against the cost of writing the manifest."""


class Collector:
    """Takes the results of one run, in any order."""

    def __init__(self, plan: Plan, run: StagedRun, options: Options, summary: Summary) -> None:
        """Take what the run set out to do; `summary` is counted up as results are committed."""
        self._plan = plan
        self._run = run
        self._options = options
        self._summary = summary
        self._tasks = {task.session_id: task for task in plan.tasks}
        self._batch: list[SessionResult] = []
        self._held: dict[str, SessionResult] = {}
        self._failed: set[str] = set()
        self._last_commit = time.monotonic()

    def add(self, item: SessionResult | Failure[SessionTask]) -> str:
        """Take one result, commit if it is time, and return the session's id.

        Raises LakeWriteError when that is what the task failed with: then no other would succeed.
        """
        if isinstance(item, Failure):
            if isinstance(item.error, LakeWriteError):
                raise item.error
            self._fail(item.task, item.reason)
            return item.task.session_id
        session_id = item.session_id
        lost = [error for error in item.read_errors if error[0] in self._plan.moved]
        if lost:
            self._fail(self._tasks[session_id], f"{lost[0][0]}: {lost[0][1]}")
        else:
            self._accept(item)
        if len(self._batch) >= BATCH_SESSIONS or time.monotonic() - self._last_commit >= BATCH_SECONDS:
            self.flush()
        return session_id

    def flush(self) -> None:
        """Commit what is complete."""
        batch, self._batch = self._batch, []
        if batch:
            manifest = self._run.manifest
            self._run.commit([change_of(self._tasks[one.session_id], one, manifest, self._options) for one in batch])
            for result in batch:
                self._count(result)
        self._run.settle()
        self._last_commit = time.monotonic()

    def _accept(self, result: SessionResult) -> None:
        """Put a result into the batch; sessions that files moved between go in together or not at all."""
        group = self._plan.groups.get(result.session_id, {result.session_id})
        self._held[result.session_id] = result
        if group & self._failed:
            self._drop(group)
        elif group <= self._held.keys():
            self._batch += [self._held.pop(session_id) for session_id in sorted(group)]

    def _fail(self, task: SessionTask, reason: str) -> None:
        """Leave the session in the lake as it is."""
        self._failed.add(task.session_id)
        self._summary.sessions_failed += 1
        self._summary.failures.append((_label(task), reason))
        self._drop(self._plan.groups.get(task.session_id, set()))

    def _drop(self, group: set[str]) -> None:
        dropped = group & self._held.keys()
        for session_id in dropped:
            del self._held[session_id]
        self._summary.sessions_failed += len(dropped)

    def _count(self, result: SessionResult) -> None:
        summary = self._summary
        summary.sessions_changed += 1
        moved = set(result.moved).intersection(self._plan.vanished)
        summary.moved += len(moved)
        summary.vanished -= len(moved)
        summary.lines += result.lines
        summary.bytes += result.bytes
        summary.failures += result.read_errors
        add_counts(summary.rows, result.rows)
        add_counts(summary.statuses, result.statuses)


def _label(task: SessionTask) -> str:
    """Name a session by its main file, else by any, else by its id."""
    mains = [file.path for file in task.files if file.kind == "main"]
    return next(iter(mains or [file.path for file in task.files]), task.session_id)
