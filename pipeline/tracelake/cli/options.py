"""The options every command shares, and what they come to."""

from __future__ import annotations

import enum
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tracelake import config
from tracelake.cli.protected import refuse_protected
from tracelake.errors import UsageError
from tracelake.sources.paths import text_of


class Format(enum.StrEnum):
    """How an answer is written."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    MARKDOWN = "markdown"
    PARQUET = "parquet"


MOST_ROWS = 2**63 - 1
"""Largest `--limit`: what DuckDB counts with."""
SUFFIXES = {
    ".json": Format.JSON,
    ".jsonl": Format.JSONL,
    ".csv": Format.CSV,
    ".md": Format.MARKDOWN,
    ".parquet": Format.PARQUET,
}
"""Formats that `--output` implies when `--format` is not given."""

SHARED_OPTIONS: dict[str, object] = {
    "lake": Annotated[
        Path | None,
        typer.Option(help="Folder of the lake; default $TRACELAKE_HOME, else your user data folder."),
    ],
    "format": Annotated[
        Format | None, typer.Option(case_sensitive=False, help="How the answer is written; default table.")
    ],
    "json": Annotated[bool, typer.Option("--json", help="Short for --format json.")],
    "output": Annotated[
        Path | None,
        typer.Option("--output", "-o", readable=False, help="Write the answer to this file instead of stdout."),
    ],
    "quiet": Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes on stderr.")],
    "verbose": Annotated[bool, typer.Option("--verbose", "-v", help="Show the traceback of a failure.")],
}
"""Name and typer annotation of each shared option; all are optional."""


@dataclass(frozen=True)
class Settings:
    """The shared options of one command, resolved."""

    lake: Path
    format: Format
    output: Path | None
    quiet: bool
    verbose: bool


def resolve(
    lake: Path | None,
    format: Format | None,  # noqa: A002 - the option's name
    json: bool,
    output: Path | None,
    quiet: bool,
    verbose: bool,
) -> Settings:
    """Turn the shared options as typed into Settings.

    Raises UsageError when `--json` contradicts `--format`, for a lake that cannot be one, and for an output that would
    replace a source or a file of the lake.
    """
    if json and format not in (None, Format.JSON):
        raise UsageError(f"--json and --format {format.value} contradict each other")
    chosen = Format.JSON if json else format
    if chosen is None:
        chosen = SUFFIXES.get(output.suffix.lower(), Format.TABLE) if output else Format.TABLE
    folder = lake_folder(lake or config.default_lake())
    if output is not None:
        refuse_protected(output, folder)
    return Settings(folder, chosen, output, quiet, verbose)


def lake_folder(given: Path) -> Path:
    """Return the folder of a lake, `~` resolved; it need not exist.

    Raises UsageError, one line, for what is no folder, and for a path that the database would misread: it takes `?` for
    a wildcard, and stores paths as UTF-8 with `/` alone between folders.
    """
    folder = given.expanduser()
    whole = os.fspath(folder.absolute())
    shown = text_of(whole)
    if shown != whole or "\\" in whole:
        raise UsageError(f"the path of a lake must be UTF-8 text without a backslash, not {shown}")
    if "?" in whole:
        raise UsageError(f"the path of a lake must not contain a question mark: {whole}")
    if os.path.exists(whole) and not os.path.isdir(whole):  # noqa: PTH110, PTH112 - unlike Path's, they raise nothing
        raise UsageError(f"the lake {whole} is no folder")
    return folder
