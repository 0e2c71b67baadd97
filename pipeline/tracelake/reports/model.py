"""Report, Options and Query: what a named report is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any


@dataclass(frozen=True)
class Query:
    """One SQL text and the values bound to its parameters, in order."""

    sql: str
    params: list[Any]


@dataclass(frozen=True)
class Options:
    """The options of a report, checked; None is "not given".

    `since` and `until` are UTC days, both inclusive. `project` and `model` may hold the wildcards `*` and `?`,
    `session` is the beginning of an id.
    """

    by: str | None = None
    since: date | None = None
    until: date | None = None
    project: str | None = None
    session: str | None = None
    model: str | None = None
    agent: str | None = None
    limit: int | None = None


@dataclass(frozen=True)
class Report:
    """A named report: one sentence, the options it takes, and how they become SQL.

    `by` lists the values of its `--by`, the first is the default. When `has_total` is set, the last column of
    the result is `is_total`, true on one last row that sums up all rows, those cut off by `limit` included.
    """

    name: str
    doc: str
    options: frozenset[str]
    build: Callable[[Options], Query]
    by: tuple[str, ...] = ()
    has_total: bool = False


EVERYTHING = frozenset({"since", "until", "project", "session", "model", "agent", "limit"})
"""The filters that every view about calls can answer."""
