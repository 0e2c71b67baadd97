"""A checkout that is measured: its lake of one tree, and the processes run over it."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench.process import Run, run, run_with_peak
from tests.compare.checkout import HERE, program


class Subject:
    """One checkout and the lakes it made of one tree. Nothing is deleted: a file made where thousands were deleted
    in the last minutes costs five times the usual on ext4."""

    def __init__(self, name: str, checkout: Path, tree: Path, scratch: Path) -> None:
        self.name = name
        self.tree = tree
        self._module, self._root = program(checkout.absolute())
        self._home = scratch / f"home-{name}"
        self._lakes = (scratch / f"lake-{name}-{number}" for number in itertools.count())
        self.lake = next(self._lakes)

    def warm_up(self) -> None:
        """Let the program fill its caches, which it does once for each user, not for each lake."""
        self._extract(HERE / "data" / "sample", next(self._lakes))

    def load(self, *options: str) -> Run:
        """Make a new lake of the tree in one process."""
        self.lake = next(self._lakes)
        return self.update(*options)

    def update(self, *options: str) -> Run:
        """Bring the lake up to date in one process; SystemExit when that fails."""
        return self._extract(self.tree, self.lake, *options)

    def _extract(self, tree: Path, lake: Path, *options: str) -> Run:
        arguments = ["extract", str(tree), "--lake", str(lake), "--engine", "serial", "--quiet", *options]
        done = run_with_peak(self._module, arguments, self._root, self._home)
        if done.code not in (0, 4):
            raise SystemExit(f"extract of {self.name} ended with {done.code}")
        return done

    def ask(self, *arguments: str) -> Run:
        """Run one command over the lake."""
        return run(["-m", self._module, *arguments, "--lake", str(self.lake), "--json"], self._root, self._home)

    def commands(self) -> dict[str, tuple[str, ...]]:
        """Return every report and the other commands that read the lake, by what they are called in the table."""
        reports = [row["report"] for row in self._answer("report")]
        (session,) = self._answer("query", "SELECT session_id FROM sessions ORDER BY started_at, session_id LIMIT 1")
        sql = "SELECT day, sum(cost_usd) AS usd FROM costs GROUP BY day"
        others = (("status",), ("agents",), ("session", session["session_id"]), ("query", sql))
        return {f"report {name}": ("report", name) for name in reports} | {one[0]: one for one in others}

    def _answer(self, *arguments: str) -> list[dict[str, str]]:
        environment = {"PATH": os.environ["PATH"], "HOME": str(self._home), "PYTHONPATH": str(self._root)}
        lake = ["--lake", str(self.lake)] if arguments[0] != "report" else []
        command = [sys.executable, "-m", self._module, *arguments, *lake, "--json"]
        done = subprocess.run(command, env=environment, cwd=self._home, capture_output=True, check=True)
        rows: list[dict[str, str]] = json.loads(done.stdout)
        return rows

    def lake_bytes(self) -> tuple[int, int]:
        """Return how many bytes and files the lake has."""
        sizes = [path.stat().st_size for path in self.lake.rglob("*") if path.is_file()]
        return sum(sizes), len(sizes)


@contextmanager
def grown(tree: Path) -> Iterator[None]:
    """Let one transcript of the tree grow by a copy of its last line, for the time of the block."""
    path = min(tree.rglob("*.jsonl"))
    before = path.read_bytes()
    path.write_bytes(before + before.splitlines(keepends=True)[-1])
    try:
        yield
    finally:
        path.write_bytes(before)
