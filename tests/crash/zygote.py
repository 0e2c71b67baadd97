"""A process that has everything imported and forks a child for each job: hundreds of runs without hundreds of starts.

Reads jobs as JSON lines from stdin and answers each with a JSON line: what `job` returned, and how the child ended.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import duckdb  # noqa: F401 - imported so that children need not
import pyarrow.compute
import pyarrow.parquet  # noqa: F401
import tracelake.build
import tracelake.extract.bundle
import tracelake.lake.conversations
import tracelake.lake.merge
import tracelake.lake.publish
import tracelake.lake.rebuild
import tracelake.pricing.genai
import tracelake.run.work
from tracelake.errors import TracelakeError

from tests.crash.faults import Faults, Plan
from tests.crash.state import session_digests


def job(given: dict[str, Any]) -> dict[str, Any]:
    """Do one job in this process."""
    lake = Path(given["lake"])
    if given["do"] == "look":
        return {"sessions": session_digests(lake)}
    plan = Plan(*given["plan"]) if given.get("plan") else None
    faults = Faults(str(lake), plan)
    small_steps(given)
    faults.set()
    try:
        if given["do"] == "compact":
            tracelake.build.compact(lake)
        else:
            tracelake.build.extract(
                [Path(given["source"])], lake, engine="serial", partitions=given.get("partitions", "token_usage")
            )
    except TracelakeError as error:
        return {"error": f"{type(error).__name__}: {error}", "count": faults.count}
    return {"error": None, "count": faults.count}


def small_steps(given: dict[str, Any]) -> None:
    """Make a small tree behave like a large one: many bundles, a commit after each, merges and sweeps at once."""
    import tracelake.lake.manifest as manifest
    import tracelake.lake.merge as merge
    import tracelake.run.collect as collect
    import tracelake.run.plan as plan

    if given.get("plan"):
        collect.COMMIT_SECONDS = 0.0
        plan.BUNDLE_BYTES = 60_000
    merge.SMALL_AT_MOST = given.get("small_at_most", 8)
    if given.get("grace_seconds") is not None:
        manifest.GRACE_SECONDS = given["grace_seconds"]


def main() -> None:
    for line in sys.stdin:
        with tempfile.TemporaryFile() as answer:
            child = os.fork()
            if child == 0:
                try:
                    answer.write(json.dumps(job(json.loads(line))).encode())
                    answer.flush()
                except BaseException as error:  # noqa: BLE001 - told to the parent
                    answer.write(json.dumps({"crash": f"{type(error).__name__}: {error}"}).encode())
                    answer.flush()
                os._exit(0)
            _, status = os.waitpid(child, 0)
            answer.seek(0)
            found = json.loads(answer.read() or b"{}")
        print(json.dumps({**found, "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0}), flush=True)


if __name__ == "__main__":
    main()
