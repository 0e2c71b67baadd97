"""The part of `tracelake check` that shows what a new client version brought."""

from __future__ import annotations

from pipeline.cli.ask import ask
from pipeline.cli.command import note
from pipeline.cli.grid import Answer, Grid, Section, from_arrow
from pipeline.cli.options import Settings
from pipeline.cli.output import emit
from pipeline.errors import UsageError
from pipeline.reports import survey as reports

SHOWN = ("agent", "what", "class", "type", "subtype", "key_path", "json_type", "count", "seen_later")
"""The columns a person sees; the others say where an example is to be found."""


def show_survey(settings: Settings, version: str | None) -> None:
    """Show the line types and keys that no version before `version` has; without one, each agent's newest version.

    Raises UsageError when no line was written by that version.
    """
    from pipeline.lake.connect import open_lake

    with open_lake(settings.lake) as connection:
        chosen = ask(connection, reports.chosen(version))
        if version is not None and not chosen.num_rows:
            raise UsageError(f"no line in {settings.lake} was written by version {version!r}")
        found = ask(connection, reports.brought(version))
        if not ask(connection, reports.keys_known()).num_rows:
            note(settings, "no lines to look for keys in: the lake was made with --no-raw; only types are shown")
    versions = chosen.to_pylist()
    top = Grid(("agent", "version"), tuple((row["agent"], row["version"]) for row in versions))
    shown = Section(from_arrow(found.select(list(SHOWN))), "new in it")
    document = {"versions": versions, "new": found.to_pylist()}
    emit(Answer(from_arrow(found), document, (Section(top), shown)), settings)
