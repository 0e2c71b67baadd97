"""tracelake: coding-agent transcripts as Arrow and Parquet tables, answered by DuckDB.

    import tracelake

    tracelake.extract()                                            # your agent homes, into your lake
    tracelake.query("SELECT day, cost_usd FROM cost_daily").pl()   # one SELECT, as Arrow or Polars
    tracelake.scan("costs").filter(...).collect()                  # a view as a Polars LazyFrame
    with tracelake.open_lake() as connection: ...                  # a read-only DuckDB connection
    tracelake.read_tables("session.jsonl")["entries"].read_all()   # transcripts as Arrow, without a lake
    tracelake.read_tree("session.jsonl").main.lines                # one session as typed lines

Importing the package loads nothing else; each name is loaded when it is first used. What can fail raises a
`TracelakeError` of one line.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tracelake.api import QueryResult, extract, open_lake, query, read_tables, scan
    from tracelake.build import Summary
    from tracelake.errors import TracelakeError
    from tracelake.transcripts import Reading, read_transcript, read_tree

__all__ = [
    "QueryResult",
    "Reading",
    "Summary",
    "TracelakeError",
    "extract",
    "open_lake",
    "query",
    "read_tables",
    "read_transcript",
    "read_tree",
    "scan",
]

__version__ = "0.1.0"

_HOMES = {
    "Summary": "tracelake.build",
    "TracelakeError": "tracelake.errors",
    "Reading": "tracelake.transcripts",
    "read_transcript": "tracelake.transcripts",
    "read_tree": "tracelake.transcripts",
}
"""Modules of the public names; all others are in `tracelake.api`."""


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES.get(name, "tracelake.api")), name)
    return value


def __dir__() -> list[str]:
    """Return what the package is for, not what it imports."""
    return [*__all__, "__version__"]


class _Package(ModuleType):
    """Keeps `tracelake.extract` the function: importing the folder `extract/` would put the module in its place."""

    @property
    def extract(self) -> Any:
        """Return the function."""
        return import_module("tracelake.api").extract

    @extract.setter
    def extract(self, module: ModuleType) -> None:
        pass


sys.modules[__name__].__class__ = _Package
