"""What is asked and what is answered: requests, matches, citations."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class SourceType(StrEnum):
    """A pool of text that a quote may be resolved in; the two never share a text."""

    USER = "user"
    TOOL_RESULT = "tool_result"


def parse_source_type(name: str) -> SourceType | None:
    """Return the pool of that exact name, None for any other name (C-14)."""
    return next((source for source in SourceType if source.value == name), None)


@dataclass(frozen=True)
class CitationRequest:
    """One quote to resolve and the pools it may be found in."""

    quote: str
    source_types: Sequence[SourceType] = (SourceType.USER,)

    def __str__(self) -> str:
        """The request as the command line spells it."""
        return f"cite --pool {','.join(self.source_types)} {shlex.quote(self.quote)}"


@dataclass(frozen=True)
class CitationMatch:
    """One entry that holds the quote: its file and 1-based line; `uuid` is the entry's id, which forks repeat."""

    path: str
    line: int
    uuid: str | None = None

    def __str__(self) -> str:
        """`<path>:<line>`."""
        return f"{self.path}:{self.line}"


@dataclass(frozen=True)
class Citation:
    """A quote resolved to the one entry that holds it (C-16 to C-18).

    `source_types` are the pools it was found in, `message` the entry's whole text in them, `call` the tool calls
    that printed it (empty in the user's pool).
    """

    quote: str
    source_types: tuple[SourceType, ...]
    path: str
    line: int
    message: str
    call: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the record as events carry it: quote, sourceTypes, path, line, message, and call unless empty."""
        record = {
            "quote": self.quote,
            "sourceTypes": [source.value for source in self.source_types],
            "path": self.path,
            "line": self.line,
            "message": self.message,
        }
        return {**record, "call": self.call} if self.call else record
