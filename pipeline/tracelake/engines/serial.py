"""One task after the other in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tracelake.engines import Failure, Result, Task, attempt


def run(
    tasks: Sequence[Task], function: Callable[[Task], Result], workers: int = 1
) -> Iterator[Result | Failure[Task]]:
    """Yield the result or `Failure` of each task in order; `workers` is taken for the sake of the interface."""
    for task in tasks:
        yield attempt(function, task)
