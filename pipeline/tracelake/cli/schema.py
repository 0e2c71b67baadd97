"""`tracelake schema`: what can be queried, and what its columns mean."""

from __future__ import annotations

from typing import Annotated

import typer

from tracelake.cli.command import command
from tracelake.cli.grid import Answer, Grid
from tracelake.cli.options import Settings
from tracelake.cli.output import emit
from tracelake.errors import UsageError


@command
def schema(
    settings: Settings,
    name: Annotated[str | None, typer.Argument(help="A table, view or macro.", show_default=False)] = None,
) -> None:
    """List tables, views, macros; or columns.

    With a NAME: its columns with type, unit, meaning and source. Needs no lake.
    """
    emit(columns(name) if name else overview(), settings)


def overview() -> Answer:
    """Return one row per table, view and macro."""
    from tracelake.cli.catalog import entities

    rows = tuple((item.name + item.arguments, item.kind, item.grain) for item in entities())
    return Answer(Grid(("name", "kind", "grain"), rows))


def columns(name: str) -> Answer:
    """Return one row per column of one table, view or macro. Raises UsageError for an unknown name."""
    from tracelake.cli.catalog import entities, with_types

    known = {item.name: item for item in entities()}
    if name not in known:
        raise UsageError(f"nothing is named {name!r}{_like(name, list(known))}; tracelake schema lists the names")
    (item,) = with_types([known[name]])
    rows = tuple((field.name, field.type, field.unit, field.doc, field.source) for field in item.fields)
    return Answer(Grid(("column", "type", "unit", "description", "source"), rows))


def _like(name: str, known: list[str]) -> str:
    import difflib

    close = difflib.get_close_matches(name.lower(), known, n=3)
    return f" (did you mean {' or '.join(close)}?)" if close else ""
