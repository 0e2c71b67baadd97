"""`tracelake query`: any SELECT over the lake, read-only and fenced in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.ask import ask
from pipeline.cli.command import command
from pipeline.cli.grid import Answer, from_arrow
from pipeline.cli.options import Settings
from pipeline.cli.output import emit
from pipeline.errors import UsageError
from pipeline.reports.model import Query


@command
def query(
    settings: Settings,
    sql: Annotated[
        str | None, typer.Argument(metavar="[SQL]", help="One SELECT; - reads it from stdin.", show_default=False)
    ] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", help="Read the SQL from this file.")] = None,
    timeout: Annotated[
        float | None, typer.Option(min=0.001, help="Give up after so many seconds.", show_default=False)
    ] = None,
) -> None:
    """Answer one SELECT, read-only.

    tracelake schema lists the tables, views and macros. Nothing outside the lake can be read, nothing written.
    """
    text = read_sql(sql, file)

    from pipeline.lake.connect import open_lake

    with open_lake(settings.lake, sandbox=True) as connection:
        table = ask(connection, Query(text, []), timeout)
    emit(Answer(from_arrow(table)), settings)


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
