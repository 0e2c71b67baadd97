"""`tracelake query`: any SELECT over the lake, or the entries that fulfil a condition; read-only and fenced in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tracelake.cli.ask import ask, stoppable
from tracelake.cli.command import command
from tracelake.cli.grid import Answer, from_arrow
from tracelake.cli.lake_path import lake_path
from tracelake.cli.options import Settings
from tracelake.cli.output import emit
from tracelake.errors import UsageError
from tracelake.reports.model import Query

if TYPE_CHECKING:
    from tracelake.lake.connect import Connection


LONGEST_SECONDS = 1e6
"""More than a thread can be told to wait is an error of its own, and nobody waits eleven days."""


@command
def query(
    settings: Settings,
    sql: Annotated[
        str | None, typer.Argument(metavar="[SQL]", help="One SELECT; - reads it from stdin.", show_default=False)
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--file", "-f", readable=False, help="Read the SQL from this file.")
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(metavar="EXPR", help="Instead of SQL: the entries for which this condition is true."),
    ] = None,
    path: Annotated[str | None, typer.Option(help="With --where: only the entries of this transcript.")] = None,
    include_sidechains: Annotated[
        bool, typer.Option("--include-sidechains", help="With --where: entries of sub-agents too.")
    ] = False,
    timeout: Annotated[
        float | None, typer.Option(min=0.001, help="Give up after so many seconds.", show_default=False)
    ] = None,
) -> None:
    """Answer one SELECT, or list the entries that fulfil a condition; read-only.

    tracelake schema lists the tables, views and macros. Nothing outside the lake can be read, nothing written.
    A condition that fails on every entry is an error, never an empty answer.
    """
    if timeout is not None and not timeout <= LONGEST_SECONDS:  # so that nan is refused too
        raise UsageError(f"--timeout takes at most {LONGEST_SECONDS:.0f} seconds, not {timeout:g}")
    text = None if where is not None else read_sql(sql, file)
    if where is not None and (sql is not None or file is not None):
        raise UsageError("give either a SQL text or --where, not both")
    if where is None and (path is not None or include_sidechains):
        raise UsageError("--path and --include-sidechains go with --where")

    from tracelake.lake.connect import open_lake

    with open_lake(settings.lake, sandbox=True) as connection:
        if text is None:
            table = _entries(connection, where or "", path, include_sidechains, timeout)
        else:
            table = ask(connection, Query(text, []), timeout)
    emit(Answer(from_arrow(table)), settings)


def _entries(connection: Connection, where: str, path: str | None, sidechains: bool, timeout: float | None) -> Any:
    from tracelake.lake.entry_filter import filter_entries

    file = None if path is None else lake_path(connection, path)
    return stoppable(
        connection,
        lambda: filter_entries(connection, where, path=file, include_sidechains=sidechains, timeout_s=timeout),
    )


def read_sql(sql: str | None, file: Path | None) -> str:
    """Return the SQL text from the one place that was named. Raises UsageError for none, two or an empty one."""
    if (sql is None) == (file is None):
        raise UsageError('give one SQL text: tracelake query "SELECT ...", --file F, or - for stdin')
    try:
        text = sys.stdin.read() if sql == "-" else file.read_text("utf-8") if file else sql or ""
    except OSError as error:
        raise UsageError(f"cannot read {file or 'stdin'}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file or 'stdin'} is not UTF-8 text") from error
    if not text.strip():
        raise UsageError("the SQL text is empty")
    return text
