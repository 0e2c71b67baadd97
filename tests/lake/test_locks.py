"""One writer at a time; readers need no lock."""

import errno
import os
import subprocess
import sys
import time

import pytest
from tracelake.errors import LakeBusyError, LakeWriteError
from tracelake.lake import locks
from tracelake.lake.layout import LakePaths


@pytest.fixture
def paths(tmp_path):
    return LakePaths(tmp_path / "lake")


def test_a_second_writer_is_refused_at_once_and_told_by_whom(paths):
    started = time.monotonic()
    with locks.writer_lock(paths):
        with pytest.raises(LakeBusyError, match=rf"\(pid {os.getpid()}\)"), locks.writer_lock(paths):
            pytest.fail("two writers")
        assert time.monotonic() - started < 30
    with locks.writer_lock(paths):
        pass


def test_the_lock_of_a_killed_writer_is_gone(paths):
    code = (
        "import os, signal, sys; from pathlib import Path; from tracelake.lake import locks, layout\n"
        "with locks.writer_lock(layout.LakePaths(Path(sys.argv[1]))): os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(paths.root)]).returncode == -9
    with locks.writer_lock(paths):
        assert paths.writer_lock.read_text() == f"{os.getpid()}\n"


def test_a_lake_on_read_only_media_is_not_written(paths, monkeypatch):
    paths.root.mkdir()

    def read_only(path, flags, *rest, **more):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    monkeypatch.setattr(os, "open", read_only)
    wanted = r"cannot write .*/\.writer\.lock: Read-only file system"
    with pytest.raises(LakeWriteError, match=wanted), locks.writer_lock(paths):
        pytest.fail("wrote")


def test_a_lake_below_a_file_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    paths = LakePaths(tmp_path / "file" / "lake")
    with pytest.raises(LakeWriteError, match=r"cannot write .*file"), locks.writer_lock(paths):
        pytest.fail("wrote")
