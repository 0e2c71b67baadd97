"""`lake_path`: the file of the lake that a path on the command line names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from tracelake.cli.ask import ask
from tracelake.errors import UsageError
from tracelake.reports.where import matching
from tracelake.sources.paths import text_of

if TYPE_CHECKING:
    from tracelake.lake.connect import Connection


def lake_path(connection: Connection, given: str) -> str:
    """Return the path under which the lake knows a file: as given, made absolute, or with symlinks resolved.

    Nothing is looked for on the disk beyond resolving the name, so a file that is gone is found too. Raises
    UsageError, one line, for a path that is not in the lake.
    """
    spellings = list(dict.fromkeys(text_of(path) for path in (given, str(Path(given).absolute()), _resolved(given))))
    known = ask(connection, matching(spellings)).column(0).to_pylist()
    for spelling in spellings:
        if spelling in known:
            return spelling
    raise UsageError(f"{text_of(given)} is not in the lake; tracelake extract FILE reads one in")


def _resolved(given: str) -> str:
    try:
        return os.path.realpath(given)
    except (OSError, ValueError):
        return given
