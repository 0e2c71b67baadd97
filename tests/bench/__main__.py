"""Extraction as a ratio to `orjson.loads` over the same bytes, in one run: `make bench`.

Input: the folders given, else `$TRACELAKE_REAL_DATA/{erk,packmind}`, else a generated tree. Ratios hold
between machines, seconds do not; nothing here is a test.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import orjson

from pipeline.extract import extract_session
from pipeline.fold import claude
from pipeline.fold.claude_citations import CitationObserver
from pipeline.fold.claude_observers import Observer
from pipeline.lake.tasks import SessionTask
from pipeline.sources.discover import discover
from pipeline.sources.model import SourceFile
from tests.bench.corpus import make_tree

ROUNDS = 3


def sources(arguments: list[str], scratch: Path) -> list[Path]:
    """Return the folders to read."""
    if arguments:
        return [Path(argument) for argument in arguments]
    real = os.environ.get("TRACELAKE_REAL_DATA")
    if real:
        return [Path(real) / "erk", Path(real) / "packmind"]
    return [make_tree(scratch / "tree")]


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the least CPU time of several runs, in seconds."""
    taken = []
    for _ in range(ROUNDS):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return min(taken)


def loads_all(files: list[SourceFile]) -> None:
    """Decode every line with orjson and throw the result away."""
    for file in files:
        with Path(file.os_path).open("rb") as stream:
            for line in stream:
                with suppress(orjson.JSONDecodeError):
                    orjson.loads(line)


def extract_all(sessions: dict[str, list[SourceFile]], scratch: Path, with_raw: bool) -> None:
    """Extract every session into a fresh staging folder."""
    with tempfile.TemporaryDirectory(dir=scratch) as staging:
        for number, (session_id, files) in enumerate(sessions.items()):
            folder = f"{staging}/{number}"
            extract_session(SessionTask(session_id, files, [], folder, f"{staging}/none/tables", with_raw))


def without_citations() -> tuple[Callable[[], Observer], ...]:
    """Return the observers but the one that fills `citations`."""
    return tuple(make for make in claude.OBSERVERS if make is not CitationObserver)


def main() -> None:
    """Print one line per measurement."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        found = discover(sources(sys.argv[1:], scratch), {})
        files = [file for file in found.files if file.is_transcript]
        sessions: dict[str, list[SourceFile]] = {}
        for file in found.files:
            sessions.setdefault(file.session_id, []).append(file)
        size = sum(file.size for file in files) / 1e6
        print(f"{size:.1f} MB in {len(files)} files, {len(sessions)} sessions; best of {ROUNDS}, one core")
        base = cpu_seconds(lambda: loads_all(files))
        print(f"{'orjson.loads':34} {base:7.3f} s  {size / base:7.1f} MB/s  ratio 1.000")

        def show(label: str, seconds: float) -> None:
            print(f"{label:34} {seconds:7.3f} s  {size / seconds:7.1f} MB/s  ratio {base / seconds:.3f}")

        show("extract, no raw lines", cpu_seconds(lambda: extract_all(sessions, scratch, False)))
        show("extract, raw lines", cpu_seconds(lambda: extract_all(sessions, scratch, True)))
        kept, claude.OBSERVERS = claude.OBSERVERS, without_citations()
        show("extract, no raw lines, no citations", cpu_seconds(lambda: extract_all(sessions, scratch, False)))
        claude.OBSERVERS = ()
        show("extract, no raw lines, no observers", cpu_seconds(lambda: extract_all(sessions, scratch, False)))
        claude.OBSERVERS = kept
        high_water = Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]
        print(f"peak memory of this process: {int(high_water) // 1024} MB")
        cost_report(found.roots, scratch)


def cost_report(roots: list[str], scratch: Path) -> None:
    """Extract a lake and time the cost report in a process that has imported everything."""
    lake = scratch / "lake"
    command = [sys.executable, "-m", "pipeline", "extract", *roots, "--lake", str(lake), "--no-raw", "--quiet"]
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    import duckdb  # noqa: F401 - imported before the clock starts
    import pyarrow  # noqa: F401

    from pipeline.lake.connect import open_lake, run_select

    started = time.perf_counter()
    with open_lake(lake) as con:
        run_select(con, "SELECT * FROM cost_by_model")
    print(f"cost by model over that lake: {time.perf_counter() - started:.3f} s after imports")


if __name__ == "__main__":
    main()
