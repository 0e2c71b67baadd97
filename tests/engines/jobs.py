"""Functions for worker processes, which must be able to import them."""

import os
import signal
import time
from pathlib import Path

from tracelake.errors import LakeWriteError


class AwkwardError(Exception):
    """Pickles, but does not unpickle: the classic that breaks process pools."""

    def __init__(self, path, reason):
        super().__init__(f"{path}: {reason}")


def square(number):
    return number * number


def where(task):
    return task, os.getpid()


def meet(folder):
    """Return only when two processes are at it."""
    (folder / str(os.getpid())).touch()
    deadline = time.monotonic() + 60
    while len(list(folder.iterdir())) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return os.getpid()


def awkward(task):
    if task == 3:
        raise AwkwardError("a", "b")
    return task


def full_disk(task):
    raise LakeWriteError("cannot write /x: No space left on device")


def multiline(task):
    raise ValueError("first\nsecond")


def deadly(task):
    """A task that is a negative number kills its process."""
    time.sleep(0.01)
    if task < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return task


def deadly_once(task):
    """Kill the process the first time: what a passing shortage of memory does."""
    marker = Path(task)
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return task


def unpicklable(task):
    return lambda: task


def note_and_sleep(task):
    folder, name, seconds = task
    (Path(folder) / name).write_text(str(os.getpid()))
    time.sleep(seconds)
    return name


def no_life(*_):
    os._exit(3)


def note(task):
    """Write down that the task was started."""
    file, name = task
    with Path(file).open("a") as stream:
        stream.write(name)
