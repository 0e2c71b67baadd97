"""`tracelake extract`: transcripts into the lake."""

from __future__ import annotations

import enum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from tracelake.api import found_homes
from tracelake.cli.command import command
from tracelake.cli.options import Settings
from tracelake.cli.output import emit


class Engine(enum.StrEnum):
    """How the work is spread."""

    AUTO = "auto"
    SERIAL = "serial"
    LOCAL = "local"


@partial(command, interrupted="interrupted; what was complete is in the lake")
def extract(
    settings: Settings,
    sources: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[SOURCE]...",
            readable=False,  # one that cannot be read is a failure of its own, the others are read
            help="Agent homes, projects folders, any folders or single files; default: your agent homes.",
            show_default=False,
        ),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Read every session again, changed or not.")] = False,
    workers: Annotated[int | None, typer.Option(min=1, help="Number of processes; default: one per core.")] = None,
    engine: Annotated[Engine, typer.Option(help="serial stays in one process.")] = Engine.AUTO,
    no_raw: Annotated[
        bool, typer.Option("--no-raw", help="Do not keep the exact bytes of every line (smaller, faster).")
    ] = False,
    prices: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|none",
            help="Prices of your own (columns as in `tracelake schema prices`), kept in the lake; none forgets them.",
        ),
    ] = None,
    partitions: Annotated[
        str | None,
        typer.Option(
            metavar="all|none|NAMES",
            help="Tables to publish as a folder per session below LAKE/tables, from now on; default entries,"
            "tool_calls,citations,token_usage.",
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be read; write nothing.")] = False,
) -> int:
    """Read transcripts into the lake.

    What has not changed since the last run is not read again. Exit code 4 means that some inputs failed and the
    rest is in the lake.
    """
    from tracelake.build import extract as build
    from tracelake.cli.progress import bar
    from tracelake.cli.summary import describe

    summary = build(
        [source.expanduser() for source in sources or found_homes()],
        settings.lake,
        full=full,
        workers=workers,
        engine=engine.value,
        with_raw=not no_raw,
        dry_run=dry_run,
        prices=prices,
        partitions=partitions,
        progress=bar(settings.quiet),
    )
    emit(describe(summary), settings)
    return summary.exit_code
