"""From the result of a task to the manifest that lists what it wrote."""

from __future__ import annotations

import os
from collections.abc import Iterable

import msgspec

from tracelake.lake.manifest import BundleState, FailureState, FileState, Manifest, PartState
from tracelake.lake.tasks import BundleResult, FileTask, PartResult, SessionResult, SessionTask
from tracelake.run.plan import Options, Plan
from tracelake.tables import SCHEMA


def with_plan(manifest: Manifest, plan: Plan, options: Options) -> Manifest:
    """Return the manifest with what discovery alone tells: files that are gone, or found by another source."""
    files = dict(manifest.files)
    for path in plan.vanished:
        files[path] = msgspec.structs.replace(files[path], vanished_at_us=options.now_us)
    for path, file in plan.relabelled.items():
        files[path] = msgspec.structs.replace(files[path], file=file)
    failures = {name: state for name, state in manifest.failures.items() if os.path.lexists(state.path)}
    return msgspec.structs.replace(manifest, files=files, failures=failures, next_part=plan.next_part)


def with_result(manifest: Manifest, tasks: dict[str, SessionTask], result: BundleResult, options: Options) -> Manifest:
    """Return the manifest with a bundle and its parts live, and dead what they take the place of.

    A session that failed is as it was, and is among the failures until it is read.
    """
    editor = _Editor(manifest, options)
    for session in result.sessions:
        editor.take(tasks[session.session_id], session, result.bundle)
    return editor.manifest(result)


def with_failures(manifest: Manifest, tasks: Iterable[SessionTask], reason: str, options: Options) -> Manifest:
    """Return the manifest with sessions noted as failed."""
    failed = {task.session_id: _failure(task, reason, options) for task in tasks}
    return msgspec.structs.replace(manifest, failures={**manifest.failures, **failed})


def _failure(task: SessionTask, reason: str, options: Options) -> FailureState:
    return FailureState(reason, options.now_us, path_of(task))


def path_of(task: SessionTask) -> str:
    """Return the main file of a session, else any file of it."""
    mains = [one.file.os_path for one in task.files if one.file.kind == "main"]
    return next(iter(mains or [one.file.os_path for one in task.files]))


class _Editor:
    """Copies of the dictionaries that a result changes."""

    def __init__(self, manifest: Manifest, options: Options) -> None:
        self._manifest = manifest
        self._options = options
        self._files = dict(manifest.files)
        self._parts = dict(manifest.parts)
        self._failures = dict(manifest.failures)

    def take(self, task: SessionTask, result: SessionResult, bundle: str) -> None:
        if result.failure is not None:
            self._failures[task.session_id] = _failure(task, result.failure, self._options)
            return
        self._failures.pop(task.session_id, None)
        parts = {part.path: part for part in result.parts}
        for one in task.files:
            self._take_file(task, one, parts[one.file.path], bundle)
        for path in result.moved:
            state = self._files.pop(path, None)
            if state is not None:
                self._parts.pop(state.part_id, None)

    def _take_file(self, task: SessionTask, one: FileTask, part: PartResult, bundle: str) -> None:
        path = one.file.path
        if part.error is None:
            self._failures.pop(path, None)
        else:
            self._failures[path] = FailureState(part.error, self._options.now_us, one.file.os_path)
        if part.keeps_before:
            before = self._files[path]
            gone = before.vanished_at_us if one.from_lake else None
            # Its rows are of the session that it was in, so it has not moved to another yet.
            is_same = one.file.session_id == before.file.session_id
            file = one.file if is_same else before.file
            self._files[path] = msgspec.structs.replace(before, file=file, vanished_at_us=gone, read_error=part.error)
            return
        if one.before is not None:
            self._parts.pop(one.before.part_id, None)
        self._files[path] = self._read(one, part)
        self._parts[part.part_id] = PartState(path, task.session_id, bundle, part.rows, part.statuses, part.models)

    def _read(self, one: FileTask, part: PartResult) -> FileState:
        before = self._files.get(one.file.path)
        return FileState(
            file=one.file,
            part_id=part.part_id,
            vanished_at_us=before.vanished_at_us if before is not None and one.from_lake else None,
            read_at_us=None if part.error else self._options.now_us,
            read_error=part.error,
            extractor_version=self._options.extractor_version,
            has_raw=self._options.with_raw,
            extent=part.extent,
        )

    def manifest(self, result: BundleResult) -> Manifest:
        state = BundleState(
            commit=self._manifest.number + 1,
            files=result.files,
            parts=result.parts,
            born_dead=result.born_dead,
            source_bytes=result.source_bytes,
            schema=SCHEMA,
        )
        bundles = {**self._manifest.bundles, result.bundle: state} if result.parts else self._manifest.bundles
        live = {part.bundle for part in self._parts.values()}
        return msgspec.structs.replace(
            self._manifest,
            files=self._files,
            parts=self._parts,
            bundles={name: one for name, one in bundles.items() if name in live},
            failures=self._failures,
        )
