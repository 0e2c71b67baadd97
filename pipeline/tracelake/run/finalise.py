"""After the commits: prices and database brought up to date, the run noted; nothing where nothing changed."""

from __future__ import annotations

import time
from collections.abc import Sequence

from tracelake import __version__
from tracelake.lake.commit import StagedRun
from tracelake.lake.layout import LakePaths
from tracelake.lake.manifest import RUNS_KEPT, Manifest, RunState, save_manifest
from tracelake.run.plan import Options
from tracelake.run.summary import Summary


def finalise(
    run: StagedRun, summary: Summary, options: Options, touched: Sequence[str], *, complete: bool = True
) -> None:
    """Complete the summary, rebuild the database file and save the manifest, as far as anything changed.

    `complete` is False for an interrupted run. Raises LakeWriteError.
    """
    _measure(summary)
    manifest, paths = run.manifest, run.paths
    rebuilt = _is_stale(manifest, paths)
    if rebuilt:
        _rebuild(manifest, paths)
    if summary.sessions_changed or summary.sessions_failed:
        manifest.runs = [*manifest.runs, _run_state(summary, options, complete)][-RUNS_KEPT:]
    elif not (rebuilt or touched):
        return
    save_manifest(paths, manifest)


def _is_stale(manifest: Manifest, paths: LakePaths) -> bool:
    """Whether the database file is missing, older than the last commit, or of other prices or another tracelake."""
    from tracelake.lake.model_files import models_stamp
    from tracelake.lake.repair import is_unusable
    from tracelake.pricing.genai import lake_stamp

    return (
        manifest.database_generation != manifest.generation
        or manifest.tool_version != __version__
        or manifest.price_stamp != lake_stamp(paths)
        or manifest.models_stamp != models_stamp()
        or is_unusable(paths, manifest)
    )


def _rebuild(manifest: Manifest, paths: LakePaths) -> None:
    from tracelake.lake.conversations import refresh_conversations
    from tracelake.lake.model_files import models_stamp
    from tracelake.lake.models import build_database
    from tracelake.pricing.genai import lake_stamp, refresh

    models = {model for session in manifest.sessions.values() for model in session.models}
    refresh(paths, sorted(models))
    refresh_conversations(paths, manifest)
    build_database(paths, manifest)
    manifest.database_root = str(paths.root)
    manifest.tool_version = __version__
    manifest.price_stamp = lake_stamp(paths)
    manifest.models_stamp = models_stamp()
    manifest.database_generation = manifest.generation


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
