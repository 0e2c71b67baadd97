"""Extraction as a ratio to `orjson.loads` over the same bytes, in one run: `make bench`.

Input: the folders given, else `$TRACELAKE_REAL_DATA/{erk,packmind}`, else a generated tree. Ratios hold
between machines, seconds do not; nothing here is a test.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import NamedTuple

import orjson
from tracelake.extract.session import extract_session
from tracelake.fold import claude
from tracelake.fold.claude_citations import CitationObserver
from tracelake.fold.claude_observers import Observer
from tracelake.lake.tasks import SessionTask
from tracelake.sources.discover import discover
from tracelake.sources.model import SourceFile

from tests.bench.corpus import make_tree

ROUNDS = 5
LABEL = 44


class Variant(NamedTuple):
    """One way to extract: with which observers of Claude Code's records, with raw lines or not."""

    label: str
    observers: tuple[Callable[[], Observer], ...]
    with_raw: bool = False


VARIANTS = (
    Variant("extract, no raw lines", claude.OBSERVERS),
    Variant("extract, raw lines", claude.OBSERVERS, with_raw=True),
    Variant("no raw lines, no citations", tuple(one for one in claude.OBSERVERS if one is not CitationObserver)),
    Variant("no raw lines, citations, signals or fallbacks", ()),
)


def sources(arguments: list[str], scratch: Path) -> list[Path]:
    """Return the folders to read."""
    if arguments:
        return [Path(argument) for argument in arguments]
    real = os.environ.get("TRACELAKE_REAL_DATA")
    if real:
        return [Path(real) / "erk", Path(real) / "packmind"]
    return [make_tree(scratch / "tree")]


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the CPU time that `work` takes, in seconds."""
    gc.collect()
    started = time.process_time()
    work()
    return time.process_time() - started


def loads_all(files: list[SourceFile]) -> None:
    """Decode every line with orjson and throw the result away."""
    for file in files:
        with Path(file.os_path).open("rb") as stream:
            for line in stream:
                with suppress(orjson.JSONDecodeError):
                    orjson.loads(line)


def extract_all(sessions: dict[str, list[SourceFile]], scratch: Path, with_raw: bool) -> None:
    """Extract every session into a fresh staging folder.

    It stays until the end: ext4 passes over inodes deleted in the last seconds, which would make new files five times
    as dear.
    """
    staging = tempfile.mkdtemp(dir=scratch)
    for number, (session_id, files) in enumerate(sessions.items()):
        folder = f"{staging}/{number}"
        extract_session(SessionTask(session_id, files, [], folder, f"{staging}/none/tables", with_raw))


def measure(files: list[SourceFile], sessions: dict[str, list[SourceFile]], scratch: Path) -> None:
    """Print orjson and each variant: the fastest round, and the ratio within a round: median, best.

    All take turns, so that a machine that is busy for a while slows them alike.
    """
    size = sum(file.size for file in files) / 1e6
    print(f"{size:.1f} MB in {len(files)} files, {len(sessions)} sessions; {ROUNDS} rounds, one core")
    base: list[float] = []
    taken: list[list[float]] = [[] for _ in VARIANTS]
    for _ in range(ROUNDS):
        base.append(cpu_seconds(lambda: loads_all(files)))
        for variant, times in zip(VARIANTS, taken, strict=True):
            claude.OBSERVERS = variant.observers
            times.append(cpu_seconds(lambda raw=variant.with_raw: extract_all(sessions, scratch, raw)))
    claude.OBSERVERS = VARIANTS[0].observers
    print(f"{'orjson.loads':{LABEL}} {min(base):7.3f} s {size / min(base):7.1f} MB/s  ratio 1.000")
    for variant, times in zip(VARIANTS, taken, strict=True):
        ratios = [one / other for one, other in zip(base, times, strict=True)]
        print(
            f"{variant.label:{LABEL}} {min(times):7.3f} s {size / min(times):7.1f} MB/s"
            f"  ratio {median(ratios):.3f}, best {min(base) / min(times):.3f}"
        )


def main() -> None:
    """Print one line per measurement."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        found = discover(sources(sys.argv[1:], scratch), {})
        sessions: dict[str, list[SourceFile]] = {}
        for file in found.files:
            sessions.setdefault(file.session_id, []).append(file)
        measure([file for file in found.files if file.is_transcript], sessions, scratch)
        high_water = Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]
        print(f"peak memory of this process: {int(high_water) // 1024} MB")
        cost_report(found.roots, scratch)


def cost_report(roots: list[str], scratch: Path) -> None:
    """Extract a lake and time the cost report, opening included, in a process that has imported everything."""
    lake = scratch / "lake"
    command = [sys.executable, "-m", "tracelake", "extract", *roots, "--lake", str(lake), "--no-raw", "--quiet"]
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    import duckdb  # noqa: F401 - imported before the clock starts
    import pyarrow  # noqa: F401
    from tracelake.lake.connect import open_lake, run_select

    taken = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        with open_lake(lake) as con:
            run_select(con, "SELECT * FROM cost_by_model")
        taken.append(time.perf_counter() - started)
    print(f"cost by model over that lake, after imports: {taken[0]:.3f} s at first, median {median(taken):.3f} s")


if __name__ == "__main__":
    main()
