"""How extraction tasks are run; knows nothing of transcripts.

An engine is a function `run(tasks, function, workers)` that yields, in any order, one item per task: what
`function(task)` returned, or a `Failure`. It starts tasks in the order given. Closing the iterator, or an
interrupt, stops everything that still runs.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tracelake.errors import UsageError, describe

ENGINES = ("auto", "serial", "local")
SMALL_BYTES = 8_000_000
"""Less work than this is done before a pool of processes has started."""

Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Failure(Generic[Task]):
    """A task that gave no result, and why in one line; `error` is the exception where it survives pickling."""

    task: Task
    reason: str
    error: BaseException | None = None


def attempt(function: Callable[[Task], Result], task: Task) -> Result | Failure[Task]:
    """Return the function's result, or any exception as a `Failure`; what it returns can always be pickled."""
    try:
        return function(task)
    except Exception as error:  # noqa: BLE001 - a task must never end the run
        return Failure(task, describe(error), _if_picklable(error))


def check_engine(engine: str, workers: int | None) -> int:
    """Return the number of workers, by default one a core.

    Raises UsageError for an unknown engine or a number below 1.
    """
    if engine not in ENGINES:
        raise UsageError(f"no engine {engine!r}; choose one of {', '.join(ENGINES)}")
    if workers is not None and workers < 1:
        raise UsageError(f"the number of workers must be 1 or more, not {workers}")
    return workers or os.cpu_count() or 1


def choose_engine(engine: str, workers: int, task_count: int, total_bytes: int) -> Callable[..., Any]:
    """Return the `run` function of the engine; `auto` starts processes only where there is work for them."""
    from tracelake.engines import local, serial

    small = workers == 1 or task_count < 2 or total_bytes < SMALL_BYTES
    return serial.run if engine == "serial" or (engine == "auto" and small) else local.run


def _if_picklable(error: BaseException) -> BaseException | None:
    """Exceptions whose `__init__` wants more than `args` holds pickle well, and break whoever unpickles them."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # noqa: BLE001 - user-defined reduction can raise anything
        return None
    return error
