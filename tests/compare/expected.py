"""Named, expected differences: a TOML file that says which differences are wanted, and why.

[[expected]]
name = "copies-of-usage"                 # shown in place of the difference
reason = "A copied response is counted once."
relation = "token_usage"                 # may hold * and ?
subject = "dedup_key"                    # a column, (rows), or (relation); may hold * and ?
kind = "values differ"                   # optional: only old, only new, values differ, type ...
count = 12                               # optional: exactly so many rows
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from tests.compare.difference import Difference


@dataclass(frozen=True)
class Expected:
    """One entry of the file."""

    name: str
    reason: str
    relation: str
    subject: str
    kind: str = "*"
    count: int | None = None

    def covers(self, one: Difference) -> bool:
        """Return whether this is the difference that was expected."""
        texts = ((one.relation, self.relation), (one.subject, self.subject), (one.kind, self.kind))
        return all(fnmatchcase(text, pattern) for text, pattern in texts) and self.count in (None, one.count)


def read_expected(file: Path | None) -> list[Expected]:
    """Return the entries of a file; TypeError when an entry lacks a field or has one that is not known."""
    if file is None:
        return []
    return [Expected(**entry) for entry in tomllib.loads(file.read_text(encoding="utf-8"))["expected"]]
