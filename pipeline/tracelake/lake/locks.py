"""Who may write and who may read, by `flock`: the system drops a lock with its process, however that ends.

One writer at a time for a whole run (`writer_lock`). Queries share the lake (`reading`); a commit holds it
alone while it renames (`renaming`), so a query sees a session whole across tables.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tracelake.errors import LakeBusyError, LakeError
from tracelake.lake.durable import make_private_dir, writing
from tracelake.lake.layout import LakePaths

RENAME_WAIT_SECONDS = 60.0
READ_WAIT_SECONDS = 60.0
_POLL_SECONDS = 0.01
_READ_ONLY = {errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOENT}


@contextmanager
def writer_lock(paths: LakePaths) -> Iterator[None]:
    """Be the lake's only writer, making its folder if need be.

    Raises LakeBusyError at once, with the other's process id, when there is one already; LakeWriteError when the
    lake cannot be written.
    """
    with writing(paths.writer_lock):
        make_private_dir(paths.root)
        descriptor = _open_lock(paths.writer_lock)
    try:
        if not _try_lock(descriptor, fcntl.LOCK_EX, paths.writer_lock):
            holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip() or "unknown"
            raise LakeBusyError(f"another process (pid {holder}) is writing the lake {paths.root}; try again later")
        with writing(paths.writer_lock):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def reading(paths: LakePaths, wait_seconds: float | None = None) -> Iterator[None]:
    """Share the lake with other readers; commits wait until the block is left.

    Waits for a commit that is renaming, at most `wait_seconds` (READ_WAIT_SECONDS), else raises LakeBusyError. A lake
    whose lock file cannot be made (read-only, or not there) is read without: nobody can commit to it either.
    """
    try:
        descriptor = _open_lock(paths.lock)
    except OSError as error:
        if error.errno not in _READ_ONLY:
            raise LakeError(f"cannot lock {paths.lock}: {error.strerror}") from error
        yield
        return
    try:
        limit = READ_WAIT_SECONDS if wait_seconds is None else wait_seconds
        if not _wait_lock(descriptor, fcntl.LOCK_SH, paths.lock, limit):
            raise LakeBusyError(f"a commit has held the lake {paths.root} for {limit:g} s; try again")
        yield
    finally:
        os.close(descriptor)


@contextmanager
def renaming(paths: LakePaths, wait_seconds: float | None = None) -> Iterator[None]:
    """Hold the lake alone while renaming; waits for running queries, at most `wait_seconds` (RENAME_WAIT_SECONDS).

    Raises LakeBusyError when they do not end in time.
    """
    with writing(paths.lock):
        descriptor = _open_lock(paths.lock)
    try:
        limit = RENAME_WAIT_SECONDS if wait_seconds is None else wait_seconds
        if not _wait_lock(descriptor, fcntl.LOCK_EX, paths.lock, limit):
            raise LakeBusyError(
                f"a query has been reading the lake {paths.root} for {limit:g} s; end it and run the extraction again"
            )
        yield
    finally:
        os.close(descriptor)


def _open_lock(path: Path) -> int:
    """Open a lock file, making it with mode 0600; one that may only be read is enough for a shared lock."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if error.errno not in (errno.EROFS, errno.EACCES) or path.name != ".lock":
            raise
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)


def _wait_lock(descriptor: int, kind: int, path: Path, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not _try_lock(descriptor, kind, path):
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def _try_lock(descriptor: int, kind: int, path: Path) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise LakeError(f"cannot lock {path}: {error.strerror}; is it on a file system without locks?") from error
    return True
