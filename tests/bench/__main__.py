"""One table of ratios: first loads against plain decoding and against DuckDB, later runs, every report, size, memory.

Ratios hold between machines, seconds do not. The unit is a process that only imports duckdb and typer; when it shows
that the machine is busy, nothing is judged. Loads run in one process; of all rounds the least figure counts.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.measures import Measures
from tests.bench.process import Run, fastest
from tests.bench.subject import Subject
from tests.bench.table import Figure, markdown
from tests.bench.unit import busy, measure_unit
from tests.compare.checkout import HERE
from tests.generate import SHAPES, write_tree

DEFAULT_TREES = ["small:1000", "agents:41", "mixed:200"]
BUSY = 3
"""Exit code when the machine is too busy to judge."""


def arguments(given: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument(
        "sources", type=Path, nargs="*", metavar="SOURCE", help="folders of transcripts; they are copied"
    )
    parser.add_argument(
        "--tree", action="append", default=[], metavar="SHAPE:SESSIONS",
        help=f"a generated tree; default: {' '.join(DEFAULT_TREES)}; shapes: {', '.join(SHAPES)}",
    )  # fmt: skip
    parser.add_argument("--old", type=Path, action="append", default=[], metavar="CHECKOUT", help="measured in turns")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="default: 3")
    parser.add_argument("--busy-too", action="store_true", help="measure on a busy machine, and say so in the table")
    options = parser.parse_args(given)
    if not options.sources and not options.tree:
        options.tree = DEFAULT_TREES
    for tree in options.tree:
        shape, _, sessions = tree.partition(":")
        if shape not in SHAPES or not sessions.isdecimal():
            parser.error(f"{tree} is not SHAPE:SESSIONS")
    for source in options.sources:
        if not source.is_dir():
            parser.error(f"{source} is not a folder")
    return options


def trees(options: argparse.Namespace, scratch: Path) -> Iterator[tuple[str, Path]]:
    """Yield the name and folder of each tree, made or copied below `scratch`."""
    for number, source in enumerate(options.sources):
        target = scratch / f"source-{number}"
        shutil.copytree(source, target)
        yield source.name, target
    for tree in options.tree:
        shape, _, sessions = tree.partition(":")
        target = scratch / f"{shape}-{sessions}"
        write_tree(shape, int(sessions), target)
        yield tree, target


def main(given: list[str]) -> int:
    """Print the table and return 0; 3 when the machine is too busy, before or after; wrong usage ends with 2."""
    options = arguments(given)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        scratch = Path(folder)
        before = measure_unit(scratch / "home")
        reason = busy(before)
        if reason and not options.busy_too:
            print(f"the machine is busy: {reason}", file=sys.stderr)
            return BUSY
        checkouts = {"present": HERE} | {checkout.name: checkout for checkout in options.old}
        figures: list[Figure] = [Figure("", "unit", (fastest(before).wall_s,), "s wall")]
        for name, tree in trees(options, scratch):
            for figure in _of_tree(name, tree, checkouts, scratch, options.rounds, fastest(before)):
                print(".", end="", file=sys.stderr, flush=True)
                figures.append(figure)
        print(file=sys.stderr)
        reason = reason or busy(measure_unit(scratch / "home"), before)
    print(markdown(figures, list(checkouts)[1:]))
    if reason:
        print(f"\nNot to be judged, the machine was busy: {reason}")
    return BUSY if reason else 0


def _of_tree(
    name: str, tree: Path, checkouts: dict[str, Path], scratch: Path, rounds: int, unit: Run
) -> Iterator[Figure]:
    """Yield the figures of one tree."""
    place = scratch / f"lakes-{name.replace(':', '-')}"
    subjects = [Subject(one, checkout, tree, place) for one, checkout in checkouts.items()]
    for one in subjects:
        one.warm_up()
    yield from Measures(name, tree, subjects, place, rounds).figures(unit)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
