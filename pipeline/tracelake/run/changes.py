"""From a task and its result to what the manifest is to say of the session and its files."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tracelake.lake.commit import Change
from tracelake.lake.manifest import FileState, Manifest, SessionState
from tracelake.lake.tasks import SessionResult, SessionTask
from tracelake.run.plan import Options
from tracelake.sources.model import SourceFile


def change_of(task: SessionTask, result: SessionResult, manifest: Manifest, options: Options) -> Change:
    """Return the session as it is to be committed; `manifest` is what has been true so far."""
    errors = dict(result.read_errors)
    files: dict[str, FileState] = {}
    for file in task.files:
        error = errors.get(file.path)
        before = manifest.files.get(file.path) if file.path in task.read_before else None
        files[file.path] = _read(file, options) if error is None else _unread(file, before, error, options)
    for kept in task.kept:
        if kept.path in result.moved:
            continue
        files[kept.path] = msgspec.structs.replace(manifest.files[kept.path], vanished_at_us=kept.vanished_at_us)
    if not files:
        return Change(task.session_id, None, {})
    before_session = manifest.sessions.get(task.session_id)
    state = _session(task, result, list(files.values()), before_session, options)
    return Change(task.session_id, state, files, result.moved)


def _read(file: SourceFile, options: Options) -> FileState:
    return FileState(
        file=file,
        read_at_us=options.now_us,
        extractor_version=options.extractor_version,
        has_raw=options.with_raw,
    )


def _unread(file: SourceFile, before: FileState | None, error: str, options: Options) -> FileState:
    """Return the state of a file that cannot be read: with the rows of an earlier reading, if there was one.

    Its size and time are those that failed, so that it is tried again only when it changes or may be read.
    """
    if before is None:
        return msgspec.structs.replace(_read(file, options), read_at_us=None, read_error=error)
    return msgspec.structs.replace(before, file=file, vanished_at_us=None, read_error=error)


def _session(
    task: SessionTask,
    result: SessionResult,
    files: Sequence[FileState],
    before: SessionState | None,
    options: Options,
) -> SessionState:
    transcripts = [state for state in files if state.file.is_transcript]
    return SessionState(
        rows=result.rows,
        statuses=result.statuses,
        models=result.models,
        extracted_at_us=options.now_us if task.files or before is None else before.extracted_at_us,
        extractor_version=min(state.extractor_version for state in files),
        has_raw=all(state.has_raw for state in transcripts),
        bytes=sum(state.file.size for state in transcripts),
        lines=result.rows.get("entries", 0),
    )
