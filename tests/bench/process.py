"""One process and what it took: CPU with its children, wall clock, peak memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

MEASURED = """
import atexit, runpy, sys
def peak():
    text = open("/proc/self/status").read()
    open(sys.argv_of_peak, "w").write(text.split("VmHWM:")[1].split()[0])
sys.argv_of_peak = sys.argv[1]
atexit.register(peak)
del sys.argv[0:2]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""
"""Runs a module and writes the peak of its memory. VmHWM is the process's own; ru_maxrss is inherited across fork."""


@dataclass(frozen=True)
class Run:
    """What one process took; `peak_bytes` is 0 where it was not asked for or the system does not tell."""

    cpu_s: float
    wall_s: float
    code: int
    peak_bytes: int = 0


def run(arguments: Sequence[str], root: Path, home: Path, stderr: IO[str] | int = subprocess.DEVNULL) -> Run:
    """Run Python with `arguments`, modules found below `root`, nothing of the user's own at hand."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(root)}
    home.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *arguments], env=environment, cwd=home, stdout=subprocess.DEVNULL, stderr=stderr
    )
    _, status, usage = os.wait4(process.pid, 0)
    wall_s = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    return Run(usage.ru_utime + usage.ru_stime, wall_s, process.returncode)


def run_with_peak(module: str, arguments: Sequence[str], root: Path, home: Path) -> Run:
    """Run a module and tell the peak of its memory too."""
    note = home / "peak"
    note.unlink(missing_ok=True)
    done = run(["-c", MEASURED, str(note), module, *arguments], root, home)
    peak = int(note.read_text()) * 1024 if note.exists() else 0
    return Run(done.cpu_s, done.wall_s, done.code, peak)


def fastest(runs: Sequence[Run]) -> Run:
    """Return the least of each figure: what disturbs a measurement only ever adds to it."""
    return Run(
        min(one.cpu_s for one in runs),
        min(one.wall_s for one in runs),
        max(one.code for one in runs),
        max(one.peak_bytes for one in runs),
    )
