"""`tracelake export`: what transcripts carry, as files of its own kind."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tracelake.cli.ask import ask
from tracelake.cli.command import command, note
from tracelake.cli.grid import Answer, Grid
from tracelake.cli.options import Settings
from tracelake.cli.output import emit
from tracelake.errors import UsageError
from tracelake.reports.attachments import occurrences
from tracelake.reports.check import check_days
from tracelake.reports.dates import optional_day
from tracelake.reports.model import Options

if TYPE_CHECKING:
    from tracelake.attachments.export import Blob, Exported

PARTIAL = 4
COLUMNS = ("file", "bytes", "media_type", "occurrences", "first", "outcome", "reason")


class Subject(enum.StrEnum):
    """What can be exported."""

    ATTACHMENTS = "attachments"


@command
def export(
    settings: Settings,
    subject: Annotated[
        Subject | None,
        typer.Argument(help="attachments: images and documents, each distinct one once.", show_default=False),
    ] = None,
    to: Annotated[Path | None, typer.Option(help="Folder of the files; it is made.", show_default=False)] = None,
    since: Annotated[str | None, typer.Option(help="First UTC day: YYYY-MM-DD, today, yesterday, 7d, 2w.")] = None,
    until: Annotated[str | None, typer.Option(help="Last UTC day, itself included.")] = None,
    project: Annotated[str | None, typer.Option(help="Project; * and ? are wildcards.")] = None,
    session: Annotated[str | None, typer.Option(help="Session id, or how it begins.")] = None,
) -> int:
    """Write what transcripts carry as files, named by the SHA-256 of their content.

    Files that are there already stay. Bytes come from the transcript, or from the raw lines of the lake where it
    is gone or changed. Exit code 4 means that some could not be recovered; the answer says why.
    """
    if subject is None:
        raise UsageError(f"name what to export: tracelake export {'|'.join(Subject)} --to DIR")
    if to is None:
        raise UsageError(f"name the folder of the files: tracelake export {subject.value} --to DIR")
    options = Options(None, optional_day(since), optional_day(until), project, session)
    check_days(options)
    return _attachments(settings, to.expanduser(), options)


def _attachments(settings: Settings, folder: Path, options: Options) -> int:
    from tracelake.attachments.blobs import KeptLines, SourceFiles
    from tracelake.attachments.export import LOST
    from tracelake.attachments.export import export as export_blobs
    from tracelake.lake.connect import open_lake

    with open_lake(settings.lake) as connection:
        blobs = _blobs(ask(connection, occurrences(options)).to_pylist())
        done = list(export_blobs(blobs, folder, (SourceFiles(), KeptLines(connection))))
    emit(Answer(Grid(COLUMNS, tuple(map(_row, done)))), settings)
    lost = sum(one.outcome == LOST for one in done)
    if lost:
        note(settings, f"{lost} of {len(done)} could not be recovered")
    return PARTIAL if lost else 0


def _blobs(rows: Iterable[dict[str, Any]]) -> list[Blob]:
    """Gather the occurrences by content; the first says the media type."""
    from tracelake.attachments.blobs import Place
    from tracelake.attachments.export import Blob

    found: dict[str, Blob] = {}
    for row in rows:
        key = row["sha256"] or ""
        blob = found.setdefault(key, Blob(key, row["bytes"] or 0, row["media_type"], []))
        blob.places.append(Place(*(row[name] for name in Place._fields)))
    return list(found.values())


def _row(one: Exported) -> tuple[Any, ...]:
    blob = one.blob
    first = f"{blob.places[0].path}:{blob.places[0].line_no}"
    return (one.file, blob.bytes, blob.media_type, len(blob.places), first, one.outcome, one.reason)
