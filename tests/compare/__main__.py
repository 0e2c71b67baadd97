"""Compare all rows of all tables and views: of two checkouts over the same sources, or of two lakes."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import duckdb

from tests.compare.checkout import HERE, extract
from tests.compare.difference import ONLY_NEW, ONLY_OLD, Comparison, Difference, compare_relation
from tests.compare.expected import Expected, read_expected
from tests.compare.side import Side


def arguments(given: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.compare", description=__doc__)
    parser.add_argument("old", type=Path, nargs="?", metavar="OLD_CHECKOUT", help="a checkout of the older commit")
    parser.add_argument("sources", type=Path, nargs="*", metavar="SOURCE", help="transcripts that both read")
    parser.add_argument("--new", type=Path, default=HERE, help="the checkout to compare with; default: this one")
    parser.add_argument("--lakes", type=Path, nargs=2, metavar=("OLD", "NEW"), help="compare two lakes that exist")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="only these; may hold * and ?")
    parser.add_argument(
        "--expected", type=Path, metavar="FILE", help="named differences: see tests/compare/expected.py"
    )
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the two lakes here, as DIR/old and DIR/new")
    parser.add_argument("--timeout", type=float, default=300, metavar="SECONDS", help="for one query; default: 300")
    options = parser.parse_args(given)
    if not options.lakes and not options.sources:
        parser.error("name a checkout and at least one source, or two lakes with --lakes")
    return options


def main(given: list[str]) -> int:
    """Return 0 when all is equal or expected, 1 when something differs; wrong usage ends with 2."""
    options = arguments(given)
    expected = read_expected(options.expected)
    with tempfile.TemporaryDirectory(prefix="compare-") as folder:
        scratch = Path(folder)
        lakes = options.lakes or _made(options, options.keep or scratch / "lakes", scratch)
        met: set[Expected] = set()
        failed = 0
        for one in comparisons(lakes, options.only, scratch, options.timeout):
            failed += show(one, expected, met)
    for entry in set(expected) - met if not options.only else ():
        print(f"expected, but did not occur: {entry.name}")
        failed += 1
    print(f"{failed} differences that nobody expects" if failed else "no difference that is not expected")
    return 1 if failed else 0


def _made(options: argparse.Namespace, folder: Path, scratch: Path) -> list[Path]:
    lakes = [folder / "old", folder / "new"]
    for checkout, lake in zip((options.old, options.new), lakes, strict=True):
        extract(checkout, options.sources, lake, scratch / "home")
    return lakes


def comparisons(lakes: list[Path], only: list[str], scratch: Path, timeout_s: float) -> Iterator[Comparison]:
    """Yield one comparison per relation of either lake."""
    old, new = (Side(lake, scratch, timeout_s) for lake in lakes)
    try:
        names = old.relations(), new.relations()
        for name in sorted({*names[0], *names[1]}):
            if only and not any(fnmatchcase(name, pattern) for pattern in only):
                continue
            missing = [kind for kind, there in ((ONLY_NEW, names[0]), (ONLY_OLD, names[1])) if name not in there]
            if missing:
                yield Comparison(name, (None, None), [Difference(name, "(relation)", missing[0])])
                continue
            try:
                yield compare_relation(name, old, new, scratch)
            except duckdb.Error as error:
                reason = str(error).splitlines()[0]
                yield Comparison(name, (None, None), [Difference(name, "(relation)", f"cannot be compared: {reason}")])
    finally:
        old.close()
        new.close()


def show(one: Comparison, expected: list[Expected], met: set[Expected]) -> int:
    """Print one relation and return how many of its differences are not expected."""
    rows = " -> ".join("-" if count is None else str(count) for count in one.rows)
    print(f"{one.relation:32} {rows:24} {'differs' if one.differences else 'equal'}", flush=True)
    failed = 0
    for difference in one.differences:
        found = next((entry for entry in expected if entry.covers(difference)), None)
        if found is not None:
            met.add(found)
        failed += not (found or difference.is_addition)
        name = f"expected ({found.name})" if found else "added" if difference.is_addition else "DIFFERENT"
        count = f", {difference.count} rows" if difference.count else ""
        print(f"    {name}: {difference.subject}: {difference.kind}{count}")
        for example in [] if found else difference.examples:
            print(f"        {example}")
    return failed


if __name__ == "__main__":
    started = time.monotonic()
    code = main(sys.argv[1:])
    print(f"{time.monotonic() - started:.0f} s")
    sys.exit(code)
