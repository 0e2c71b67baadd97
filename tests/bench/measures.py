"""What is measured on one tree: loads against their bases, then every command that reads the lake."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.bench.bases import transcripts
from tests.bench.process import Run, fastest, run_with_peak
from tests.bench.subject import Subject, grown
from tests.bench.table import Figure
from tests.compare.checkout import HERE

MB = 1e6
ORJSON = "orjson.loads, CPU"
DUCKDB = "DuckDB read_json, CPU"
UNIT = "unit, wall"
UNCHANGED = "unchanged run"

Work = Callable[[], Run]


def in_turns(rounds: int, works: Sequence[Work]) -> list[Run]:
    """Run all works in turns, so that a busy moment slows them alike, and return the least figures of each."""
    taken: list[list[Run]] = [[] for _ in works]
    for _ in range(rounds):
        for work, runs in zip(works, taken, strict=True):
            runs.append(work())
    return [fastest(runs) for runs in taken]


class Measures:
    """All figures of one tree."""

    def __init__(self, name: str, tree: Path, subjects: Sequence[Subject], scratch: Path, rounds: int) -> None:
        self._name, self._tree, self._subjects, self._rounds = name, tree, subjects, rounds
        self._scratch = scratch
        self._bytes = sum(file.stat().st_size for file in transcripts(tree))
        self._copies = 0

    def figures(self, unit: Run) -> Iterator[Figure]:
        """Yield them; each subject has a lake with raw lines afterwards."""
        yield Figure(self._name, "source", (self._bytes / MB,), "MB")
        yield from self._loads()
        yield from self._updates()
        yield from self._commands(unit)

    def _loads(self) -> Iterator[Figure]:
        works = [self._base("orjson"), self._base("duckdb")]
        works += [lambda one=one: one.load("--no-raw") for one in self._subjects]
        works += [one.load for one in self._subjects]
        orjson, duckdb, *loads = in_turns(self._rounds, works)
        count = len(self._subjects)
        for what, runs in (("first load without raw lines", loads[:count]), ("first load", loads[count:])):
            cpu = tuple(one.cpu_s for one in runs)
            yield Figure(self._name, what, cpu, "s CPU", orjson.cpu_s, ORJSON)
            yield Figure(self._name, what, cpu, "s CPU", duckdb.cpu_s, DUCKDB)
        peaks = tuple(one.peak_bytes / MB or None for one in loads[count:])
        yield Figure(
            self._name, "memory of a first load", peaks, "MB", duckdb.peak_bytes / MB or None, "DuckDB read_json"
        )
        sizes = [one.lake_bytes() for one in self._subjects]
        yield Figure(self._name, "lake", tuple(size / MB for size, _ in sizes), "MB", self._bytes / MB, "source")
        yield Figure(self._name, "files of the lake", tuple(float(files) for _, files in sizes), "files")

    def _updates(self) -> Iterator[Figure]:
        unchanged = in_turns(self._rounds, [one.update for one in self._subjects])
        changed: list[list[Run]] = [[] for _ in self._subjects]
        for _ in range(self._rounds):
            with grown(self._tree):
                for one, runs in zip(self._subjects, changed, strict=True):
                    runs.append(one.update())
        yield Figure(self._name, UNCHANGED, tuple(one.wall_s for one in unchanged), "s wall")
        walls = tuple(fastest(runs).wall_s for runs in changed)
        yield Figure(self._name, "run with one file changed", walls, "s wall", unchanged[0].wall_s, UNCHANGED)

    def _commands(self, unit: Run) -> Iterator[Figure]:
        known = [one.commands() for one in self._subjects]
        for name in known[0]:
            yield self._command(name, [commands.get(name) for commands in known], unit)

    def _command(self, name: str, arguments: Sequence[tuple[str, ...] | None], unit: Run) -> Figure:
        """Measure one command; subjects that do not know it have no arguments for it."""
        there = [(one, given) for one, given in zip(self._subjects, arguments, strict=True) if given]
        runs = in_turns(self._rounds, [lambda one=one, given=given: one.ask(*given) for one, given in there])
        name += " (FAILED)" if any(one.code for one in runs) else ""
        taken = iter(runs)
        walls = tuple(next(taken).wall_s if given else None for given in arguments)
        return Figure(self._name, name, walls, "s wall", unit.wall_s, UNIT)

    def _base(self, name: str) -> Work:
        def work() -> Run:
            self._copies += 1
            target = self._scratch / f"base-{name}-{self._copies}"
            return run_with_peak(
                "tests.bench.bases", [name, str(self._tree), str(target)], HERE, self._scratch / "home"
            )

        return work
