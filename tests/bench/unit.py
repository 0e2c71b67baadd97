"""The unit, a process that only imports duckdb and typer; it also tells whether the machine is quiet enough."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.bench.process import Run, fastest, run

ROUNDS = 7
MOST_WAITING = 1.25
"""Wall clock over CPU of the unit: more means that it had to wait for others."""
MOST_SPREAD = 1.2
"""Median over fastest CPU of the unit."""
MOST_DRIFT = 1.1
"""Unit after over unit before, or the other way round."""


def measure_unit(home: Path, rounds: int = ROUNDS) -> list[Run]:
    """Run the unit some times, after one that fills the caches."""
    return [run(["-c", "import duckdb, typer"], home, home) for _ in range(rounds + 1)][1:]


def busy(runs: Sequence[Run], before: Sequence[Run] = ()) -> str | None:
    """Return why figures taken now cannot be trusted, None when they can."""
    unit = fastest(runs)
    middle = sorted(runs, key=lambda one: one.cpu_s)[len(runs) // 2]
    waiting = middle.wall_s / middle.cpu_s
    if waiting > MOST_WAITING:
        return f"the unit waits: its wall clock is {waiting:.2f} of its CPU time, {MOST_WAITING} is the most"
    if middle.cpu_s / unit.cpu_s > MOST_SPREAD:
        return (
            f"the unit varies: its median is {middle.cpu_s / unit.cpu_s:.2f} of its fastest, {MOST_SPREAD} is the most"
        )
    if before:
        drift = unit.cpu_s / fastest(before).cpu_s
        if max(drift, 1 / drift) > MOST_DRIFT:
            return f"the unit took {drift:.2f} times as long after as before, {MOST_DRIFT} is the most"
    return None
