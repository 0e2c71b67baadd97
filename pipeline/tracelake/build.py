"""The whole run on one page: discover, plan, run, commit, finalise."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from tracelake.engines import check_engine, choose_engine
from tracelake.errors import NoSourceError
from tracelake.lake.commit import StagedRun, recover
from tracelake.lake.layout import LakePaths
from tracelake.lake.locks import writer_lock
from tracelake.lake.manifest import load_manifest
from tracelake.pricing.price_rows import check_user_prices, keep_user_prices
from tracelake.run.collect import Collector
from tracelake.run.finalise import finalise
from tracelake.run.plan import Options, Plan, make_plan
from tracelake.run.summary import Progress, Summary
from tracelake.sources.model import SourceFile

__all__ = ["Progress", "Summary", "extract"]


def extract(
    sources: Sequence[Path],
    lake: Path,
    *,
    full: bool = False,
    workers: int | None = None,
    engine: str = "auto",
    with_raw: bool = True,
    dry_run: bool = False,
    prices: str | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Bring a lake up to date with its sources and return what was done.

    Only sessions with new or changed files are read (all with `full`); a dry run says which and writes nothing. An
    interrupt keeps what was complete, leaves the lake usable and is raised again. `prices` names a price file that the
    lake keeps from now on, `none` makes it forget the one it has.

    Raises UsageError (unknown engine, workers below 1), NoSourceError (no source can be read), LakeBusyError,
    LakeVersionError, LakeWriteError or another LakeError. A file that cannot be read is in the summary.
    """
    from tracelake.extract.session import EXTRACTOR_VERSION

    workers = check_engine(engine, workers)
    _require_any(sources)
    if prices is not None:
        check_user_prices(prices)
    options = Options(full, with_raw, EXTRACTOR_VERSION, now_us=time.time_ns() // 1000)
    paths = LakePaths(lake.expanduser().absolute())
    if dry_run:
        _, plan, summary = _prepare(sources, paths, options)
        return _as_planned(plan, summary)
    with writer_lock(paths):
        recover(paths)
        if prices is not None:
            keep_user_prices(paths, prices)
        run, plan, summary = _prepare(sources, paths, options)
        collector = Collector(plan, run, options, summary)
        try:
            _work(plan, collector, engine, workers, progress)
            finalise(run, summary, options, list(plan.touched))
        except KeyboardInterrupt:
            collector.flush()
            finalise(run, summary, options, list(plan.touched), complete=False)
            raise
        finally:
            run.close()
    return summary


def _require_any(sources: Sequence[Path]) -> None:
    """Refuse a run without any source before the lake is made."""
    if not any(source.exists() for source in sources):
        raise NoSourceError("no such file or folder: " + (", ".join(map(str, sources)) or "no source was named"))


def _prepare(sources: Sequence[Path], paths: LakePaths, options: Options) -> tuple[StagedRun, Plan, Summary]:
    """Discover and plan; nothing is written."""
    from tracelake.sources.discover import discover

    run = StagedRun(paths, load_manifest(paths))
    discovery = discover(sources, run.manifest.known, paths.root)
    plan = make_plan(run.manifest, discovery.files, discovery.roots, options, run.session_folder, paths.tables_dir)
    run.manifest.files.update(plan.touched)
    summary = Summary(
        lake=str(paths.root),
        sources=[str(source) for source in sources],
        roots=discovery.roots,
        sessions_seen=len({file.session_id for file in discovery.files}),
        files=dict(Counter(file.kind for file in discovery.files)),
        not_read=_not_read(discovery.files),
        vanished=len(plan.vanished),
        failures=plan.unreadable,
        problems=discovery.problems,
        started_at_us=options.now_us,
    )
    return run, plan, summary


def _not_read(files: Sequence[SourceFile]) -> dict[str, int]:
    """Count the files that are only listed, by kind and reason."""
    # What a sidecar belongs to is no part of the reason.
    listed = [(file.kind, (file.reason or "").partition(" of agent-")[0]) for file in files if not file.is_transcript]
    return dict(Counter(": ".join(filter(None, item)) for item in listed).most_common())


def _as_planned(plan: Plan, summary: Summary) -> Summary:
    """Complete the summary of a dry run with what would be done."""
    summary.dry_run = True
    summary.sessions_changed = len(plan.tasks)
    summary.bytes = sum(plan.bytes.values())
    return summary


def _work(plan: Plan, collector: Collector, engine: str, workers: int, progress: Progress | None) -> None:
    """Run the tasks and commit what they stage."""
    if not plan.tasks:
        return
    from tracelake.run.work import run_task

    total = sum(plan.bytes.values())
    run_tasks = choose_engine(engine, workers, len(plan.tasks), total)
    if progress is not None:
        progress.start(total, len(plan.tasks))
    try:
        with closing(run_tasks(plan.tasks, run_task, workers)) as results:
            for item in results:
                session_id = collector.add(item)
                if progress is not None:
                    progress.advance(plan.bytes[session_id], 1, session_id)
        collector.flush()
    finally:
        if progress is not None:
            progress.finish()
