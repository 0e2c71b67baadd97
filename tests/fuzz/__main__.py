"""`python -m tests.fuzz [EXECUTIONS] [FIRST_SEED]`: runs them, prints what broke and the seeds to run it again."""

from __future__ import annotations

import sys
import time
import traceback
from collections import Counter

from tests.fuzz.targets import run

SLOW_S = 1.0
"""An execution on a few kilobytes that takes longer is reported too."""


def main(executions: int, first_seed: int) -> int:
    """Return how many executions broke a promise."""
    broken: Counter[str] = Counter()
    began = time.perf_counter()
    slowest = 0.0
    for seed in range(first_seed, first_seed + executions):
        at = time.perf_counter()
        try:
            run(seed)
        except Exception as error:  # noqa: BLE001 (that is what is looked for)
            where = traceback.extract_tb(error.__traceback__)[-1]
            kind = f"{type(error).__name__} at {where.filename.rpartition('/')[2]}:{where.lineno}: {str(error)[:100]}"
            broken[kind] += 1
            if broken[kind] == 1:
                print(f"seed {seed}: {kind}", flush=True)
        took = time.perf_counter() - at
        slowest = max(slowest, took)
        if took > SLOW_S:
            print(f"seed {seed}: {took:.1f} s", flush=True)
    seconds = time.perf_counter() - began
    found = f"{broken.total()} broken in {len(broken)} ways"
    print(f"{executions:,} executions in {seconds:.0f} s, {found}, slowest {slowest:.2f} s")
    return broken.total()


if __name__ == "__main__":
    arguments = [int(text) for text in sys.argv[1:]]
    sys.exit(main(*(arguments + [100_000, 0][len(arguments) :])) > 0)
