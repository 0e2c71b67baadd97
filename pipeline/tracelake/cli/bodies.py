"""`tracelake bodies`: lift the bodies of transcripts out into a folder, put them back, list them."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tracelake.cli.command import command, fail
from tracelake.cli.grid import Answer, Grid
from tracelake.cli.options import Settings
from tracelake.cli.output import emit
from tracelake.errors import TracelakeError, UsageError

if TYPE_CHECKING:
    from tracelake.bodies.record import Record

NOTHING_DONE, PARTIAL = 2, 4


class Action(enum.StrEnum):
    """What to do with bodies."""

    LIFT = "lift"
    RESTORE = "restore"
    LIST = "list"


@command
def bodies(
    settings: Settings,
    action: Annotated[
        Action,
        typer.Argument(
            help="lift: move bodies into --folder; restore: put them back; list: show those of transcripts, "
            "or the transcripts lifted into --folder."
        ),
    ],
    sources: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[SOURCE]...",
            readable=False,
            help="Transcripts, or folders searched for them.",
            show_default=False,
        ),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(help="Folder of the bodies; lift makes it.", show_default=False)
    ] = None,
) -> int:
    """Lift the tool bodies and images of transcripts out into a folder, and put them back byte for byte.

    A lifted transcript has a short sentinel in the place of each body. End the sessions first: a program that
    is still writing would go on writing to the old file. Exit code 4 means that some transcripts failed.
    """
    if action is Action.LIST:
        return _list(settings, sources or [], folder)
    if folder is None:
        raise UsageError(f"name the folder of the bodies: tracelake bodies {action.value} --folder DIR SOURCE")
    if not sources:
        raise UsageError(f"name a transcript: tracelake bodies {action.value} --folder DIR SOURCE")
    if action is Action.RESTORE and not folder.is_dir():
        raise UsageError(f"{folder} is no folder")
    from tracelake.bodies import Lifted, Restored, lift_file, restore_file

    paths = _transcripts(sources, folder)
    if action is Action.LIFT:
        return _each(settings, Lifted._fields, paths, lambda path: [lift_file(path, folder)])
    return _each(settings, Restored._fields, paths, lambda path: [restore_file(path, folder)])


def _list(settings: Settings, sources: list[Path], folder: Path | None) -> int:
    if bool(sources) == bool(folder):
        raise UsageError("name transcripts to list their bodies, or --folder DIR to list what was lifted into it")
    if folder is not None:
        emit(Answer(_records(folder)), settings)
        return 0
    from tracelake.bodies import FoundBody, bodies_in

    names = ("path", *FoundBody._fields)
    paths = _transcripts(sources, None)
    return _each(settings, names, paths, lambda path: [(path, *body) for body in bodies_in(path)])


def _records(folder: Path) -> Grid:
    from tracelake.bodies.record import all_records
    from tracelake.bodies.store import BodyStore

    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder")
    names = ("path", "agent", "bodies", "source_bytes", "lifted_bytes")
    return _grid(names, (_fields(record, names) for record in all_records(BodyStore(folder))))


def _fields(record: Record, names: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(getattr(record.summary, name) for name in names)


def _grid(names: tuple[str, ...], rows: Iterable[Iterable[Any]]) -> Grid:
    return Grid(names, tuple(tuple(str(cell) if isinstance(cell, Path) else cell for cell in row) for row in rows))


def _each(
    settings: Settings,
    names: tuple[str, ...],
    paths: Iterable[Path],
    work: Callable[[Path], Iterable[Iterable[Any]]],
) -> int:
    """Do the work for every transcript, show what came of it, and return the exit code."""
    rows: list[Iterable[Any]] = []
    worked = failed = 0
    for path in paths:
        try:
            rows += work(path)
            worked += 1
        except TracelakeError as error:
            failed += 1
            fail(str(error))
    if failed and not worked:
        return NOTHING_DONE
    emit(Answer(_grid(names, rows)), settings)
    return PARTIAL if failed else 0


def _transcripts(sources: list[Path], folder: Path | None) -> Iterator[Path]:
    """Yield the files that were named, and the transcripts below the folders that were named.

    Bodies may look like transcripts: nothing below `folder` is one.
    """
    from tracelake.sources.discover import discover

    kept_out = folder.resolve() if folder is not None else None
    for source in sources:
        if not source.is_dir():
            yield source
            continue
        found = (Path(file.os_path) for file in discover([source], {}).files if file.is_transcript)
        yield from (path for path in found if kept_out is None or not path.is_relative_to(kept_out))
