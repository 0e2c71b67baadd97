"""One writer at a time, by `flock`: the system drops a lock with its process, however that ends. Readers need none."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tracelake.errors import LakeBusyError, LakeError
from tracelake.lake.durable import make_private_dir, writing
from tracelake.lake.layout import LakePaths


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


def _open_lock(path: Path) -> int:
    """Open a lock file, making it with mode 0600."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _try_lock(descriptor: int, kind: int, path: Path) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise LakeError(f"cannot lock {path}: {error.strerror}; is it on a file system without locks?") from error
    return True
