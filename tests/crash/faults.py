"""Faults at chosen file operations of the process they are set in: killed by the system, or refused by it."""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
from typing import Any, NamedTuple

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.truncate", "os.link", "os.symlink"}
"""Names of audited calls that change a folder or a file's attributes; opening for writing and writing count too."""
KILL, SHORT = "kill", "short"


class Plan(NamedTuple):
    """What happens at which operation: `kill`, `short` (half of the bytes are written), or the name of an errno."""

    fault: str
    at: int


class Faults:
    """Counts the operations on files below a folder, and lets the planned one go wrong."""

    def __init__(self, folder: str, plan: Plan | None) -> None:
        self.folder = os.path.realpath(folder)
        self.plan = plan
        self.count = 0

    def set(self) -> None:
        """Watch this process from now on; it cannot be undone."""
        import tracelake.lake.durable as durable

        sys.addaudithook(self._audit)
        opened, flushed = durable.open_private, durable.flush_all
        os_fsync = os.fsync

        def open_private(path: Any) -> Any:
            stream = opened(path)
            return Watched(stream, self) if self._is_inside(path) else stream

        def flush_all(root: Any, paths: Any) -> None:
            self.step()
            flushed(root, paths)

        def fsync(descriptor: int) -> None:
            self.step()
            os_fsync(descriptor)

        os.fsync = fsync  # type: ignore[assignment]
        for module in list(sys.modules.values()):
            for name, old, new in (("open_private", opened, open_private), ("flush_all", flushed, flush_all)):
                if getattr(module, name, None) is old:
                    setattr(module, name, new)

    def step(self) -> bool:
        """Count an operation; return whether it is to be cut short. Raises the planned OSError, or kills."""
        self.count += 1
        if self.plan is None or self.count != self.plan.at:
            return False
        if self.plan.fault == KILL:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.plan.fault == SHORT:
            return True
        code = getattr(errno, self.plan.fault)
        raise OSError(code, os.strerror(code), self.folder)

    def _audit(self, event: str, args: tuple[Any, ...]) -> None:
        opens = event == "open" and isinstance(args[2], int) and args[2] & WRITES
        if (opens or event in CHANGES) and self._is_inside(args[0]):
            self.step()

    def _is_inside(self, path: Any) -> bool:
        if not isinstance(path, str | bytes | os.PathLike):
            return False
        return os.path.join(os.getcwd(), os.fsdecode(path)).startswith(self.folder + os.sep)  # noqa: PTH109, PTH118


class Watched(io.RawIOBase):
    """A file whose writes count."""

    def __init__(self, stream: Any, faults: Faults) -> None:
        self._stream = stream
        self._faults = faults

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:  # type: ignore[override]
        if self._faults.step():
            data = memoryview(data)[: max(len(data) // 2, 1)]
        written: int = self._stream.write(data)
        return written

    def close(self) -> None:
        self._stream.close()
        super().close()
