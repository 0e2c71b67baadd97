"""Tasks spread over processes of this machine; a process that dies takes no other task with it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import forkserver, resource_tracker
from multiprocessing.context import BaseContext
from types import ModuleType
from typing import Generic

from tracelake.engines import Failure, Result, Task, attempt
from tracelake.errors import TracelakeError

KILLED = "the process that worked on it died (killed, or out of memory)"


def run(
    tasks: Sequence[Task], function: Callable[[Task], Result], workers: int = 2
) -> Iterator[Result | Failure[Task]]:
    """Yield the result or `Failure` of each task as they end, started in the order given.

    When a process dies, the tasks that were under way are run again one a process; the one whose process dies again
    becomes a `Failure`, and the pool goes on with the rest. Raises TracelakeError when no process can be started.
    """
    waiting = deque(tasks)
    while waiting:
        with _Pool(function, min(workers, len(waiting))) as pool:
            yield from pool.work(waiting)
        for task in pool.suspects:
            with _Pool(function, 1) as single:
                single.check()
                yield from single.work(deque([task]))
            yield from (Failure(lost, KILLED) for lost in single.suspects)


class _Pool(Generic[Task, Result]):
    """A process pool that is used until its end or until a process dies, leaving the tasks under way in `suspects`."""

    def __init__(self, function: Callable[[Task], Result], workers: int) -> None:
        self.suspects: list[Task] = []
        self._function = function
        self._workers = workers
        self._running: dict[Future[Result | Failure[Task]], Task] = {}

    def __enter__(self) -> _Pool[Task, Result]:
        self._others = set(multiprocessing.active_children())
        self._executor = ProcessPoolExecutor(self._workers, _context(self._function), _prepare_worker)
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        """After all results just end; when broken off, end the processes with what they are at."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        if kind is not None:
            for process in set(multiprocessing.active_children()) - self._others:
                process.terminate()
        self._executor.shutdown(wait=True)

    def check(self) -> None:
        """Make sure that it is not the processes themselves that cannot live. Raises TracelakeError."""
        try:
            with _main_left_alone():
                started = self._executor.submit(os.getpid)
            started.result()
        except (BrokenProcessPool, OSError) as error:
            raise TracelakeError(f"no worker process can be started ({error}); try --engine serial") from error

    def work(self, waiting: deque[Task]) -> Iterator[Result | Failure[Task]]:
        """Take tasks from the front of `waiting` and yield what comes of them."""
        while (waiting or self._running) and not self.suspects:
            try:
                self._hand_out(waiting)
            except BrokenProcessPool:
                break
            done, _ = wait(self._running, return_when=FIRST_COMPLETED)
            yield from self._collect(done)
        self.suspects += self._running.values()

    def _hand_out(self, waiting: deque[Task]) -> None:
        """Keep one task a process running and one ready for whoever ends next."""
        while waiting and len(self._running) <= self._workers:
            with _main_left_alone():
                future = self._executor.submit(attempt, self._function, waiting[0])
            self._running[future] = waiting.popleft()

    def _collect(self, done: set[Future[Result | Failure[Task]]]) -> Iterator[Result | Failure[Task]]:
        for future in done:
            task = self._running.pop(future)
            error = future.exception()
            if error is None:
                yield future.result()
            elif isinstance(error, BrokenProcessPool):
                self.suspects.append(task)
            else:
                yield Failure(task, f"{type(error).__name__}: {error}")


def _context(function: Callable[..., object]) -> BaseContext:
    """Return a way to start processes from a clean one that has imported the function's module already."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([function.__module__])
    # The clean process inherits what is blocked: a Ctrl-C while it imports is the parent's to answer. The tracker
    # goes first, because starting it unblocks the signal.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return context


@contextmanager
def _main_left_alone() -> Iterator[None]:
    """Keep processes started in the block from running the caller's main module again.

    They need nothing of it, it costs time, and a main program from stdin or without a guard would break them.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _prepare_worker() -> None:
    """Leave Ctrl-C to the parent, and end with it even if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
