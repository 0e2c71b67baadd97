"""`tracelake restore`: transcripts given back as files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tracelake.cli.command import command, note
from tracelake.cli.grid import Answer, Grid
from tracelake.cli.options import Settings
from tracelake.cli.output import emit
from tracelake.errors import LakeError, UsageError

PARTIAL = 4
NAMES = ("session_id", "path", "file", "bytes", "outcome", "reason")


@command
def restore(
    settings: Settings,
    session: Annotated[str | None, typer.Argument(help="Session id, or how it begins.", show_default=False)] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every session of the lake.")] = False,
    to: Annotated[
        Path | None, typer.Option(help="Folder to write below; each file keeps its own path.", show_default=False)
    ] = None,
) -> int:
    """Write transcripts back as files, byte for byte, also those that the agent has deleted since.

    Files that are there already with other content stay as they are. Exit code 4 means that some could not be
    restored; the answer says why. Example: tracelake restore --all --to ./transcripts
    """
    from tracelake.lake.connect import open_lake, snapshot_of
    from tracelake.lake.layout import LakePaths
    from tracelake.lake.restore import restore as restore_files
    from tracelake.lake.restore import transcripts
    from tracelake.lake.store import manifest_of

    if to is None:
        raise UsageError("name the folder to write to: tracelake restore SESSION --to DIR")
    if (session is None) != everything:
        raise UsageError("name one session, or all of them with --all")
    paths = LakePaths(settings.lake.absolute())
    with open_lake(settings.lake) as connection:
        manifest = manifest_of(paths, snapshot_of(connection)["number"])
    chosen = None if session is None else {one for one in manifest.sessions() if one.startswith(session)}
    if chosen is not None and len(chosen) != 1:
        what = f"{len(chosen)} sessions begin" if chosen else "no session begins"
        raise UsageError(f"{what} with {session}; see tracelake report sessions")
    states = transcripts(manifest, chosen)
    if states and not any(state.has_raw for state in states):
        raise LakeError("this lake keeps no raw lines (it was extracted with --no-raw), so nothing can be restored")
    done = list(restore_files(paths, manifest, states, to.expanduser()))
    rows = ((*one[:2], None if one.file is None else str(one.file), *one[3:]) for one in done)
    emit(Answer(Grid(NAMES, tuple(rows))), settings)
    failed = sum(one.outcome == "failed" for one in done)
    if failed:
        note(settings, f"{failed} of {len(done)} transcripts could not be restored")
    return PARTIAL if failed else 0
