"""Results as they come in: put into the next manifest, committed from time to time, and counted."""

from __future__ import annotations

import time

import msgspec

from tracelake.engines import Failure
from tracelake.errors import LakeWriteError
from tracelake.lake.manifest import Manifest
from tracelake.lake.store import Store
from tracelake.lake.tasks import BundleResult, BundleTask, PartResult, SessionResult, SessionTask
from tracelake.run.changes import path_of, with_failures, with_plan, with_result
from tracelake.run.derive import with_derived
from tracelake.run.plan import Options, Plan, halves
from tracelake.run.summary import Summary, add_counts

COMMIT_SECONDS = 10.0
"""What was read is committed this often: what a kill can lose, against the cost of a commit."""


class Collector:
    """Takes the results of one run, in any order. `manifest` is what the next commit will make live."""

    def __init__(self, plan: Plan, store: Store, options: Options, summary: Summary) -> None:
        """Take what the run set out to do; `summary` is counted up as results are taken."""
        self._store = store
        self._options = options
        self._summary = summary
        self._plan = plan
        self._tasks = {task.session_id: task for task in plan.sessions}
        self._last_commit = time.monotonic()
        self.manifest: Manifest = with_plan(store.manifest, plan, options)
        self.again: list[BundleTask] = []
        """Halves of tasks whose worker died, still to be run."""

    def publish(self, tables: list[str] | None) -> None:
        """Let these tables be published from the next commit on; None leaves it as it is."""
        if tables is not None:
            settings = msgspec.structs.replace(self.manifest.settings, partitions=tables)
            self.manifest = msgspec.structs.replace(self.manifest, settings=settings)

    def add(self, item: BundleResult | Failure[BundleTask]) -> list[SessionTask]:
        """Take one result, commit if it is time, and return the sessions that are done by it.

        Raises LakeWriteError when that is what the task failed with: then no other would succeed.
        """
        if isinstance(item, Failure):
            return self._failed(item)
        self.manifest = with_result(self.manifest, self._tasks, item, self._options)
        for session in item.sessions:
            self._count(session)
        if time.monotonic() - self._last_commit >= COMMIT_SECONDS:
            self.commit()
        return [self._tasks[session.session_id] for session in item.sessions]

    def commit(self) -> None:
        """Make what was taken live. Raises LakeWriteError or LakeError."""
        self._store.commit(with_derived(self._store.paths, self.manifest))
        self.manifest = self._store.manifest
        self._last_commit = time.monotonic()

    def _failed(self, failure: Failure[BundleTask]) -> list[SessionTask]:
        if isinstance(failure.error, LakeWriteError):
            raise failure.error
        parts = halves(failure.task, self._store.new_bundle)
        self.again += parts
        if parts:
            return []
        self.manifest = with_failures(self.manifest, failure.task.sessions, failure.reason, self._options)
        for session in failure.task.sessions:
            self._count_failure(session, failure.reason)
        return failure.task.sessions

    def _count(self, result: SessionResult) -> None:
        if result.failure is not None:
            self._count_failure(self._tasks[result.session_id], result.failure)
            return
        summary = self._summary
        summary.sessions_changed += 1
        moved = set(result.moved).intersection(self._plan.vanished)
        summary.moved += len(moved)
        summary.vanished -= len(moved)
        for part in result.parts:
            self._count_part(part)

    def _count_part(self, part: PartResult) -> None:
        summary = self._summary
        if part.problem is not None:
            summary.problems.append(f"{part.problem}: what {part.path} held before is lost if it does not hold it now")
        if part.error is not None:
            summary.failures.append((part.path, part.error))
        if not part.keeps_before:
            summary.lines_gone += part.lines_gone
            summary.lines += part.lines
            summary.bytes += part.bytes
            add_counts(summary.rows, part.rows)
            add_counts(summary.statuses, part.statuses)

    def _count_failure(self, task: SessionTask, reason: str) -> None:
        self._summary.sessions_failed += 1
        self._summary.failures.append((path_of(task), reason))
