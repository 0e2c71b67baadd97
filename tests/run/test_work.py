"""A worker tells a full disk from a bad input."""

import errno
import os

import pytest
from tracelake.errors import LakeWriteError
from tracelake.lake.tasks import BundleTask
from tracelake.run import work

TASK = BundleTask("b1", "/lake", 0, 1, [], with_raw=True)


def raising(monkeypatch, error):
    def instead(task):
        raise error

    monkeypatch.setattr(work, "extract_bundle", instead)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS])
def test_a_lake_that_is_full_is_told_apart(monkeypatch, code):
    raising(monkeypatch, OSError(code, "Error writing. Detail: why", "/lake/x"))
    with pytest.raises(LakeWriteError, match=rf"^cannot write /lake/x: {os.strerror(code)}$"):
        work.run_task(TASK)


def test_any_other_error_is_the_tasks_own(monkeypatch):
    raising(monkeypatch, OSError(errno.EIO, "why"))
    with pytest.raises(OSError, match="why"):
        work.run_task(TASK)
