"""The whole run on one page: discover, plan, run, commit, finalise."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from tracelake.engines import check_engine, choose_engine
from tracelake.errors import LakeError, NoSourceError, UsageError
from tracelake.lake.layout import LakePaths
from tracelake.lake.locks import writer_lock
from tracelake.lake.manifest import Manifest
from tracelake.lake.manifest_files import numbers
from tracelake.lake.store import Store, live_manifest, open_store
from tracelake.pricing.price_rows import check_user_prices, keep_user_prices
from tracelake.run.collect import Collector
from tracelake.run.derive import with_derived
from tracelake.run.finalise import finalise, is_stale, with_merges
from tracelake.run.plan import Options, Plan, bundles, make_plan
from tracelake.run.summary import Progress, Summary
from tracelake.sources.model import SourceFile
from tracelake.tables import EXTRACTOR_VERSION, TABLES

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
    partitions: str | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Bring a lake up to date with its sources and return what was done.

    Only sessions with new or changed files are read (all with `full`); a dry run says which and writes nothing. An
    interrupt keeps what was complete, leaves the lake usable and is raised again. `prices` names a price file that the
    lake keeps from now on, `none` makes it forget the one it has. `partitions` are the tables that are published as a
    folder per session, from now on: `all`, `none`, or names with commas between them.

    Raises UsageError (unknown engine, workers below 1), NoSourceError (no source can be read), LakeBusyError,
    LakeVersionError, LakeWriteError or another LakeError. A file that cannot be read is in the summary.
    """
    workers = check_engine(engine, workers)
    _require_any(sources)
    if prices is not None:
        check_user_prices(prices)
    published = None if partitions is None else tables_named(partitions)
    options = Options(full, with_raw, EXTRACTOR_VERSION, now_us=time.time_ns() // 1000)
    paths = LakePaths(lake.expanduser().absolute())
    if dry_run:
        plan, summary = _prepare(sources, paths, live_manifest(paths) or Manifest(), options)
        return _as_planned(plan, summary)
    with writer_lock(paths):
        store = open_store(paths)
        if prices is not None:
            keep_user_prices(paths, prices)
        sources = [*sources, *_taken_over(store)]
        plan, summary = _prepare(sources, paths, store.manifest, options)
        collector = Collector(plan, store, options, summary)
        collector.publish(published)
        try:
            _work(plan, store, collector, options, choice=(engine, workers), progress=progress)
        except KeyboardInterrupt:
            finalise(store, collector, summary, options, complete=False)
            raise
        finalise(store, collector, summary, options)
        _publish(store)
        _remove_old(paths)
    return summary


def compact(lake: Path) -> tuple[Size, Size]:
    """Merge small segments and drop rows that are no longer live; return the size of the lake before and after.

    Raises LakeBusyError, LakeWriteError or another LakeError.
    """
    paths = LakePaths(lake.expanduser().absolute())
    if not numbers(paths):
        raise LakeError(f"there is no lake at {paths.root}")
    with writer_lock(paths):
        store = open_store(paths)
        before = _size(store.manifest)
        problems: list[str] = []
        after = with_merges(store, store.manifest, problems, everything=True)
        if problems:
            raise LakeError("; ".join(problems))
        if after != store.manifest or is_stale(store):
            store.commit(with_derived(paths, after))
            store.sweep()
        return before, _size(store.manifest)


class Size(NamedTuple):
    """How much a snapshot takes."""

    files: int
    bytes: int


def _size(manifest: Manifest) -> Size:
    files = manifest.live_files
    return Size(len(files), sum(file.bytes for file in files.values()))


def _taken_over(store: Store) -> list[Path]:
    """Take over what a lake of the old layout holds of files that are gone; return its sources, to be read again."""
    if not store.paths.old_manifest.is_file():
        return []
    from tracelake.lake.legacy import carry_over, is_old, old_sources

    if not is_old(store.paths):
        return []
    carry_over(store)
    return old_sources(store.paths)


def _remove_old(paths: LakePaths) -> None:
    if paths.old_manifest.is_file():
        from tracelake.lake.legacy import remove_old

        remove_old(paths)


def _publish(store: Store) -> None:
    from tracelake.lake.publish import publish

    publish(store.paths, store.manifest)


def tables_named(given: str) -> list[str]:
    """Return the tables that `all`, `none`, or names with commas between them stand for. Raises UsageError."""
    if given in ("all", "none"):
        return list(TABLES) if given == "all" else []
    names = list(dict.fromkeys(name.strip() for name in given.split(",") if name.strip()))
    unknown = [name for name in names if name not in TABLES]
    if unknown or not names:
        raise UsageError(f"no table {', '.join(unknown) or repr(given)}; choose all, none, or from {', '.join(TABLES)}")
    return names


def _require_any(sources: Sequence[Path]) -> None:
    """Refuse a run without any source before the lake is made."""
    if not any(source.exists() for source in sources):
        raise NoSourceError("no such file or folder: " + (", ".join(map(str, sources)) or "no source was named"))


def _prepare(sources: Sequence[Path], paths: LakePaths, manifest: Manifest, options: Options) -> tuple[Plan, Summary]:
    """Discover and plan; nothing is written."""
    from tracelake.sources.discover import discover

    discovery = discover(sources, manifest.known, paths.root)
    plan = make_plan(manifest, discovery.files, discovery.roots, options)
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
    return plan, summary


def _not_read(files: Sequence[SourceFile]) -> dict[str, int]:
    """Count the files that are only listed, by kind and reason."""
    # What a sidecar belongs to is no part of the reason.
    listed = [(file.kind, (file.reason or "").partition(" of agent-")[0]) for file in files if not file.is_transcript]
    return dict(Counter(": ".join(filter(None, item)) for item in listed).most_common())


def _as_planned(plan: Plan, summary: Summary) -> Summary:
    """Complete the summary of a dry run with what would be done."""
    summary.dry_run = True
    summary.sessions_changed = len(plan.sessions)
    summary.bytes = sum(session.bytes for session in plan.sessions)
    return summary


def _work(
    plan: Plan,
    store: Store,
    collector: Collector,
    options: Options,
    *,
    choice: tuple[str, int],
    progress: Progress | None,
) -> None:
    """Run the tasks and take what they wrote; tasks whose worker died are run again in halves."""
    if not plan.sessions:
        return
    from tracelake.run.work import run_task

    engine, workers = choice
    total = sum(session.bytes for session in plan.sessions)
    if progress is not None:
        progress.start(total, len(plan.sessions))
    tasks = bundles(plan, store.new_bundle, str(store.paths.root), store.manifest.number + 1, options)
    try:
        while tasks:
            run_tasks = choose_engine(engine, workers, len(tasks), total)
            with closing(run_tasks(tasks, run_task, workers)) as results:
                for item in results:
                    done = collector.add(item)
                    if progress is not None and done:
                        progress.advance(sum(task.bytes for task in done), len(done), done[-1].session_id)
            tasks, collector.again = collector.again, []
    finally:
        if progress is not None:
            progress.finish()
