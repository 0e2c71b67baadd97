"""`tracelake report`: the named reports."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from tracelake.cli.ask import ask
from tracelake.cli.command import command, note
from tracelake.cli.grid import Answer, Grid, Section, from_arrow
from tracelake.cli.options import MOST_ROWS, Settings
from tracelake.cli.output import emit
from tracelake.reports import REPORTS, find_report
from tracelake.reports.check import check
from tracelake.reports.cost import unpriced_models
from tracelake.reports.dates import optional_day
from tracelake.reports.model import Options
from tracelake.reports.unread import UNREAD_USAGE

MOST_NAMED = 5
"""How many models without a price are named."""
NAMES = ", ".join(REPORTS)
KEYS = "; ".join(f"{item.name}: {', '.join(item.by)}" for item in REPORTS.values() if item.by)


@command
def report(
    settings: Settings,
    name: Annotated[
        str | None, typer.Argument(help=f"One of {NAMES}; without a name they are listed.", show_default=False)
    ] = None,
    by: Annotated[str | None, typer.Option(help=f"What a row is ({KEYS}).")] = None,
    since: Annotated[str | None, typer.Option(help="First UTC day: YYYY-MM-DD, today, yesterday, 7d, 2w.")] = None,
    until: Annotated[str | None, typer.Option(help="Last UTC day, itself included.")] = None,
    project: Annotated[str | None, typer.Option(help="Project; * and ? are wildcards.")] = None,
    session: Annotated[str | None, typer.Option(help="Session id, or how it begins.")] = None,
    model: Annotated[str | None, typer.Option(help="Model; * and ? are wildcards.")] = None,
    agent: Annotated[str | None, typer.Option(help="claude, codex or pi.")] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, max=MOST_ROWS, help="At most so many rows; totals still cover all.")
    ] = None,
) -> None:
    """Show a named report: cost, usage, sessions, ...

    Every API call is counted once over the whole lake before the filters apply.
    """
    if name is None:
        emit(listing(), settings)
        return
    chosen = find_report(name)
    options = Options(by, optional_day(since), optional_day(until), project, session, model, agent, limit)
    check(chosen, options)

    from tracelake.lake.connect import open_lake, snapshot_of

    with open_lake(settings.lake) as connection:
        snapshot = snapshot_of(connection)
        table = ask(connection, chosen.build(options))
        about_money = "unpriced_calls" in table.column_names
        unpriced = ask(connection, unpriced_models(options)).to_pylist() if about_money else []
        unread = ask(connection, UNREAD_USAGE).to_pylist() if about_money else []
    if chosen.has_total:
        emit(with_total(table), settings)
        if about_money:
            note_prices(snapshot["prices"] or "none", unpriced, settings)
            note_unread(unread, settings)
    else:
        emit(Answer(from_arrow(table)), settings)
    note_outdated(snapshot["outdated_files"], settings)


def listing() -> Answer:
    """Return the reports, a row each."""
    rows = tuple((item.name, item.doc, ", ".join(item.by)) for item in REPORTS.values())
    return Answer(Grid(("report", "shows", "by"), rows))


def with_total(table: Any) -> Answer:
    """Return an answer whose total (the last row, marked by `is_total`) only people see."""
    bare = table.drop_columns(["is_total"])
    data = from_arrow(bare.slice(0, bare.num_rows - 1))
    return Answer(data, sections=(Section(from_arrow(bare), totals=1),))


def note_outdated(files: int, settings: Settings) -> None:
    """Say on stderr that some rows were made by an older tracelake and could not be made again."""
    if files:
        note(
            settings,
            f"rows of {files:,} transcript{'s' * (files != 1)} were made by an older version and cannot be made again, "
            "because the files are gone and their raw lines were not kept; see tracelake check --issues",
        )


def note_prices(used: str, unpriced: Sequence[dict[str, Any]], settings: Settings) -> None:
    """Say on stderr which prices a report about money used, and which models have none."""
    note(settings, "prices: " + re.sub(r" [0-9a-f]{12}(?=,|$)", "", used))
    if unpriced:
        calls = sum(row["calls"] for row in unpriced)
        shown = [f"{row['model']} ({row['unpriced_reason']}: {row['calls']:,})" for row in unpriced[:MOST_NAMED]]
        rest = f" and {len(unpriced) - MOST_NAMED} more" if len(unpriced) > MOST_NAMED else ""
        missing = f"{calls:,} call{'s' * (calls != 1)} without a known price, not in the sum: {', '.join(shown)}{rest}"
        note(settings, f"{missing}. To add prices: tracelake extract --prices FILE (CSV: model,input,output)")


def note_unread(kinds: list[dict[str, Any]], settings: Settings) -> None:
    """Name the kinds of lines that carry token counts and are not read, how many there are, and where the first is."""
    for kind in kinds:
        where = f"{kind['lines']:,}, the first at {kind['first']}"
        note(settings, f"not in the sum: token counts on lines of unknown type {kind['type']} ({where})")
