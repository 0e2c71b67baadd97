"""What a worker does with one task: extract the session, and fall back on earlier rows where reading fails now."""

from __future__ import annotations

import errno
import shutil
import time
from pathlib import Path

import msgspec

from tracelake.errors import LakeWriteError
from tracelake.extract.session import extract_session
from tracelake.lake.durable import make_private_dir, reason_of, writing
from tracelake.lake.tasks import KeptFile, SessionResult, SessionTask

_LAKE_IS_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}
"""Only writing can fail so, whatever the traceback says."""


def run_task(task: SessionTask) -> SessionResult:
    """Stage the session's tables and return what was written.

    A file that cannot be read, but could in an earlier run, keeps the rows of that run; its error is in the result.
    Raises LakeWriteError when the lake cannot be written.
    """
    started = time.perf_counter()
    result = _extract(task)
    errors = list(result.read_errors)
    while lost := _half_read(task, result):
        task = _keeping(task, lost)
        result = _extract(task)
        errors += [error for error in result.read_errors if error not in errors]
    return msgspec.structs.replace(result, read_errors=errors, seconds=time.perf_counter() - started)


def _half_read(task: SessionTask, result: SessionResult) -> set[str]:
    """Return the files of which the staged rows are a part only, though all were read before."""
    failed = {path for path, _ in result.read_errors}.intersection(task.read_before)
    return failed - set(result.kept_errors)


def _extract(task: SessionTask) -> SessionResult:
    staging = Path(task.staging)
    with writing(staging):
        if staging.exists():
            shutil.rmtree(staging)
        make_private_dir(staging)
    try:
        return extract_session(task)
    except OSError as error:
        if error.errno in _LAKE_IS_FULL:
            raise LakeWriteError(f"cannot write {error.filename or staging}: {reason_of(error)}") from error
        raise


def _keeping(task: SessionTask, lost: set[str]) -> SessionTask:
    """Return the task with these files carried over instead of read."""
    return msgspec.structs.replace(
        task,
        files=[file for file in task.files if file.path not in lost],
        kept=[*task.kept, *(KeptFile(path, None) for path in sorted(lost))],
        read_before=[path for path in task.read_before if path not in lost],
    )
