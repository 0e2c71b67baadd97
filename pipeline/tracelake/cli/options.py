"""The options every command shares, and what they come to."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tracelake.api import lake_folder
from tracelake.cli.protected import refuse_protected
from tracelake.errors import UsageError


class Format(enum.StrEnum):
    """How an answer is written."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    MARKDOWN = "markdown"
    PARQUET = "parquet"
    ARROW = "arrow"


BINARY = (Format.PARQUET, Format.ARROW)
"""Formats that are not for a terminal."""
MOST_ROWS = 2**63 - 1
"""Largest `--limit`: what DuckDB counts with."""
SUFFIXES = {
    ".json": Format.JSON,
    ".jsonl": Format.JSONL,
    ".csv": Format.CSV,
    ".md": Format.MARKDOWN,
    ".parquet": Format.PARQUET,
    ".arrow": Format.ARROW,
    ".arrows": Format.ARROW,
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
    folder = lake_folder(lake)
    if output is not None:
        refuse_protected(output, folder)
    return Settings(folder, chosen, output, quiet, verbose)
