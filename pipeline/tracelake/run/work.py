"""What a worker does with one task."""

from __future__ import annotations

import errno

from tracelake.errors import LakeWriteError
from tracelake.extract.bundle import extract_bundle
from tracelake.lake.durable import reason_of
from tracelake.lake.tasks import BundleResult, BundleTask

_LAKE_IS_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}
"""Only writing can fail so, whatever the traceback says."""


def run_task(task: BundleTask) -> BundleResult:
    """Write the task's bundle. Raises LakeWriteError when the lake cannot be written."""
    try:
        return extract_bundle(task)
    except OSError as error:
        if error.errno in _LAKE_IS_FULL:
            raise LakeWriteError(f"cannot write {error.filename or task.root}: {reason_of(error)}") from error
        raise
