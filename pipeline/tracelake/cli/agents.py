"""`tracelake agents`: background agents and whether they still run."""

from __future__ import annotations

import enum
from typing import Annotated

import typer

from tracelake.cli.ask import ask
from tracelake.cli.command import command
from tracelake.cli.grid import Answer, Section, from_arrow
from tracelake.cli.options import MOST_ROWS, Settings
from tracelake.cli.output import emit
from tracelake.reports.agents import KINDS, listed
from tracelake.sources.paths import text_of

Kind = enum.StrEnum("Kind", [(kind.upper(), kind) for kind in KINDS])  # type: ignore[misc]

SHOWN = ("launched_at", "session_id", "agent_id", "target_kind", "state", "state_reason", "ended_at", "description")
"""The columns a person sees; the others say where the signals are."""


@command
def agents(
    settings: Settings,
    running: Annotated[bool, typer.Option("--running", help="Only those without an end on record.")] = False,
    session: Annotated[str | None, typer.Option(help="Session id, or how it begins.", show_default=False)] = None,
    kind: Annotated[Kind | None, typer.Option(case_sensitive=False, help="Only this kind.", show_default=False)] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, max=MOST_ROWS, help="At most so many.", show_default=False)
    ] = None,
) -> None:
    """List background agents and their states, the latest first.

    Agents, shells, workflows, teammates and monitors that a session launched; report agents counts them.
    """
    from tracelake.lake.connect import open_lake

    beginning = None if session is None else text_of(session)
    with open_lake(settings.lake) as connection:
        table = ask(connection, listed(running, beginning, kind and str(kind.value), limit))
    emit(Answer(from_arrow(table), sections=(Section(from_arrow(table.select(list(SHOWN)))),)), settings)
