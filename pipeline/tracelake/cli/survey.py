"""The part of `tracelake check` that shows what a new client version brought."""

from __future__ import annotations

from tracelake.cli.ask import ask
from tracelake.cli.command import note
from tracelake.cli.grid import Answer, Grid, Section, from_arrow
from tracelake.cli.options import Settings
from tracelake.cli.output import emit
from tracelake.errors import UsageError
from tracelake.reports import survey as reports

SHOWN = ("agent", "what", "class", "type", "subtype", "key_path", "json_type", "count", "seen_later")
"""The columns a person sees; the others say where an example is to be found."""


def show_survey(settings: Settings, version: str | None) -> None:
    """Show the line types and keys that no version before `version` has; without one, each agent's newest version.

    Raises UsageError when no line was written by that version.
    """
    from tracelake.lake.connect import open_lake

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
