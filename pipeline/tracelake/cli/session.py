"""`tracelake session`: one session as a timeline."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tracelake.cli.ask import ask
from tracelake.cli.command import command
from tracelake.cli.grid import Answer, Grid, Section, from_arrow
from tracelake.cli.options import Settings
from tracelake.cli.output import emit
from tracelake.errors import UsageError
from tracelake.reports import timeline
from tracelake.reports.tree import SHOWN as TREE_SHOWN
from tracelake.reports.tree import tree as tree_query
from tracelake.sources.paths import text_of

LISTED = 8
"""Ids named when the beginning of an id fits several."""


@command
def session(
    settings: Settings,
    session_id: Annotated[
        str, typer.Argument(metavar="ID", help="Session id, or how it begins if that names only one.")
    ],
    tree: Annotated[bool, typer.Option("--tree", help="Its files instead: who dispatched whom.")] = False,
) -> None:
    """Show one session as a timeline.

    Messages and tool calls come file by file, in their order in the file; times are UTC.
    """
    from tracelake.lake.connect import open_lake

    session_id = text_of(session_id)
    with open_lake(settings.lake) as connection:
        found = ask(connection, timeline.matching(session_id)).column(0).to_pylist()
        chosen = choose(session_id, found)
        if tree:
            emit(tree_answer(ask(connection, tree_query(chosen))), settings)
            return
        header = ask(connection, timeline.header(chosen))
        steps = ask(connection, timeline.steps(chosen))
    emit(answer(header, steps), settings)


def choose(wanted: str, found: list[str]) -> str:
    """Return the one id that `wanted` names. Raises UsageError for none or several, listing those."""
    if wanted in found:
        return wanted
    if not found:
        raise UsageError(f"no session begins with {wanted!r}; tracelake report sessions lists them")
    if len(found) > 1:
        more = f" and {len(found) - LISTED} more" if len(found) > LISTED else ""
        raise UsageError(f"{wanted!r} begins {len(found)} sessions: {', '.join(found[:LISTED])}{more}")
    return found[0]


def answer(header: Any, steps: Any) -> Answer:
    """Return the timeline; people see the header above it, json holds both."""
    data = from_arrow(steps)
    facts = header.to_pylist()[0]
    document = {"session": facts, "timeline": steps.to_pylist()}
    top = Grid(("session", ""), tuple((name, value) for name, value in facts.items() if value is not None))
    shown = from_arrow(steps.select(list(timeline.SHOWN)))
    return Answer(data, document, (Section(top), Section(shown)))


def tree_answer(table: Any) -> Answer:
    """Return the files of a session; people see them indented below the file that dispatched them."""
    shown = from_arrow(table.select(list(TREE_SHOWN)))
    return Answer(from_arrow(table.drop_columns(["file"])), sections=(Section(shown),))
