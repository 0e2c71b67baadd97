"""`tracelake where`: where one file belongs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tracelake.cli.ask import ask
from tracelake.cli.command import command, note
from tracelake.cli.grid import Answer, Grid, Section, from_arrow
from tracelake.cli.lake_path import lake_path
from tracelake.cli.options import Settings
from tracelake.cli.output import emit
from tracelake.reports.where import facts
from tracelake.sources.paths import text_of

FOREIGN = 1


@command
def where(
    settings: Settings,
    path: Annotated[str, typer.Argument(metavar="PATH", help="A file that is in the lake.")],
    belongs_to_session: Annotated[
        str | None, typer.Option(metavar="ID", help="Whether the file may be this session's.", show_default=False)
    ] = None,
    belongs_to_tree: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Whether its work was in or below this folder.", show_default=False),
    ] = None,
) -> int:
    """Show where one file belongs: session, conversation, root, parent.

    Exit code 1 means that it belongs to another session or tree than the one that was asked for.
    """
    from tracelake.fold.facts import resolve_work_dir
    from tracelake.lake.connect import open_lake

    tree = belongs_to_tree and text_of(resolve_work_dir(str(Path(belongs_to_tree).absolute())))
    session_id = belongs_to_session if belongs_to_session is None else text_of(belongs_to_session)
    with open_lake(settings.lake) as connection:
        table = ask(connection, facts(lake_path(connection, path), session_id, tree))
    row = table.to_pylist()[0]
    emit(answer(table, row), settings)
    foreign = list(others(row))
    for message in foreign:
        note(settings, message)
    return FOREIGN if foreign else 0


def answer(table: Any, row: dict[str, Any]) -> Answer:
    """Return the facts: one row, one object in json, and for people a line for each that is known."""
    shown = Grid(("where", ""), tuple((name, value) for name, value in row.items() if value is not None))
    return Answer(from_arrow(table), row, (Section(shown),))


def others(row: dict[str, Any]) -> list[str]:
    """Return a sentence for each question that was answered with no, naming what was found instead (I-7, I-8)."""
    found = []
    if row["belongs_to_session"] is False:
        found.append(f"the file belongs to another session: {row['first_session_id']}")
    if row["belongs_to_tree"] is False:
        found.append(f"the file's work was elsewhere: {row['first_cwd']}")
    return found
