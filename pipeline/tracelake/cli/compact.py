"""`tracelake compact`: small and half-dead segments written as few large ones."""

from __future__ import annotations

from tracelake.cli.command import command
from tracelake.cli.grid import Answer, Grid
from tracelake.cli.options import Settings
from tracelake.cli.output import emit


@command
def compact(settings: Settings) -> None:
    """Make the lake as small as it can be: merge small segments and leave out rows that are no longer live.

    Each run does a share of this by itself. Nothing that can be asked changes. Old files are removed once no reader
    can be using them any more (an hour later, by the next run).
    """
    from tracelake.build import compact as build

    before, after = build(settings.lake)
    rows = (("segments", before.files, after.files), ("live bytes", before.bytes, after.bytes))
    emit(Answer(Grid(("", "before", "after"), rows)), settings)
