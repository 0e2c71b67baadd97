"""The end of a run: small bundles merged, the last commit; nothing is written where nothing changed."""

from __future__ import annotations

import time

import msgspec

from tracelake import __version__
from tracelake.errors import LakeError
from tracelake.lake.manifest import RUNS_KEPT, Manifest, RunState
from tracelake.lake.store import Store
from tracelake.run.collect import Collector
from tracelake.run.derive import with_derived
from tracelake.run.plan import Options
from tracelake.run.summary import Summary


def finalise(store: Store, collector: Collector, summary: Summary, options: Options, *, complete: bool = True) -> None:
    """Complete the summary, and commit what is left to commit. `complete` is False for an interrupted run.

    Raises LakeWriteError or LakeError.
    """
    _measure(summary)
    manifest = collector.manifest
    if summary.sessions_changed or summary.sessions_failed:
        run = _run_state(summary, options, complete)
        manifest = msgspec.structs.replace(manifest, runs=[*manifest.runs, run][-RUNS_KEPT:])
    if complete:
        manifest = with_merges(store, manifest, summary.problems)
    after = with_derived(store.paths, manifest)
    if _content(after) != _content(store.manifest):
        store.commit(after)
        store.sweep()
    elif is_stale(store):
        store.rebuild_database()


def with_merges(store: Store, manifest: Manifest, problems: list[str], *, everything: bool = False) -> Manifest:
    """Return the manifest with bundles merged, within a run's bound of work or all of them.

    A damaged segment is told of and left as it is. Raises LakeWriteError.
    """
    from tracelake.lake.merge import groups_to_merge, merged

    for group in groups_to_merge(manifest, everything=everything):
        try:
            manifest = merged(store.paths, manifest, group, store.new_bundle())
        except LakeError:
            raise
        except OSError as error:
            problems.append(f"{error.filename}: {error.strerror}; run tracelake check --read-data")
    return manifest


def is_stale(store: Store) -> bool:
    """Return whether the database file does not show the manifest, or is of another tracelake or another place."""
    from tracelake.lake.model_files import models_stamp
    from tracelake.lake.store import snapshot_row

    row = snapshot_row(store.paths)
    wanted = {
        "number": store.manifest.number,
        "root": str(store.paths.root),
        "tool_version": __version__,
        "models": models_stamp(),
    }
    return row is None or not wanted.items() <= row.items()


def _content(manifest: Manifest) -> Manifest:
    return msgspec.structs.replace(manifest, number=0, dead={})


def _measure(summary: Summary) -> None:
    summary.seconds = time.time() - summary.started_at_us / 1e6
    summary.mb_per_second = summary.bytes / 1e6 / summary.seconds if summary.seconds > 0 else 0.0


def _run_state(summary: Summary, options: Options, complete: bool) -> RunState:
    return RunState(
        started_at_us=options.now_us,
        seconds=summary.seconds,
        sources=summary.sources,
        sessions_changed=summary.sessions_changed,
        sessions_failed=summary.sessions_failed,
        vanished=summary.vanished,
        lines=summary.lines,
        bytes=summary.bytes,
        complete=complete,
    )
