"""The program `tracelake`: its commands and how it starts."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from tracelake import __version__
from tracelake.cli.agents import agents
from tracelake.cli.bodies import bodies
from tracelake.cli.check import check
from tracelake.cli.cite import FAILED, cite
from tracelake.cli.command import INTERRUPTED, fail, unwritten
from tracelake.cli.compact import compact
from tracelake.cli.export import export
from tracelake.cli.extract import extract
from tracelake.cli.interrupt import answer_sigterm, code_of
from tracelake.cli.query import query
from tracelake.cli.report import report
from tracelake.cli.restore import restore
from tracelake.cli.schema import schema
from tracelake.cli.session import session
from tracelake.cli.status import status
from tracelake.cli.streams import open_closed_streams, say
from tracelake.cli.strict import StrictCommand
from tracelake.cli.where import where

USAGE = 2

app = typer.Typer(
    name="tracelake",
    help="Columnar analytics over coding-agent transcripts: JSONL in, Parquet and DuckDB out.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
COMMANDS = (
    agents, bodies, check, cite, compact, export, extract, query, report, restore, session, schema, status, where,
)  # fmt: skip
for function in COMMANDS:
    app.command(cls=StrictCommand)(function)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"tracelake {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and end.", is_eager=True, callback=_print_version),
    ] = False,
) -> None:
    """Columnar analytics over coding-agent transcripts: JSONL in, Parquet and DuckDB out."""


def run() -> None:
    """Run the program on the process's arguments and end the process with its exit code."""
    open_closed_streams()
    answer_sigterm()
    try:
        code = app(prog_name="tracelake", standalone_mode=False)
        if not sys.stdout.closed:  # as it is after a csv whose reader has gone
            sys.stdout.flush()
    except KeyboardInterrupt as error:
        say(f"tracelake: {INTERRUPTED}")
        code = code_of(error)
    except typer.TyperException as error:
        code = refuse(error)
    except OSError as error:
        code = unwritten(error)
    except SystemExit as error:
        # What typer makes of a closed pipe; it ends the shell's completion so, too.
        code = unwritten(error.__context__) if isinstance(error.__context__, BrokenPipeError) else error.code
    sys.exit(code)


def refuse(error: Any) -> int:
    """Say in one line what is wrong with the arguments and return the exit code; without any, show the help."""
    if len(sys.argv) < 2:
        error.show()
        return USAGE
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "tracelake"
    fail(f"{error.format_message()} (see {command} --help)")
    return FAILED if command == "tracelake cite" else USAGE
