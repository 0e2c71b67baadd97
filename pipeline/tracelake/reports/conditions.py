"""Options to WHERE conditions; every value is a parameter, never part of the text."""

from __future__ import annotations

from typing import Any

from tracelake.reports.model import Options, Query


def where(options: Options, columns: dict[str, str]) -> Query:
    """Return `WHERE ...` (or nothing) for the filters that were given.

    `columns` maps the filters a view can answer (day, project, session, model, agent) to its SQL expressions; what
    lasts for days has `first_day` and `last_day` in place of `day`;
    `model` may be a list expression when its key is `models`.
    """
    tests = [
        (options.since, "last_day", "{} >= ?", options.since),
        (options.until, "first_day", "{} <= ?", options.until),
        (options.since, "day", "{} >= ?", options.since),
        (options.until, "day", "{} <= ?", options.until),
        (options.project, "project", "{} GLOB ?", glob(options.project)),
        (options.session, "session", "starts_with({}, ?)", options.session),
        (options.model, "model", "{} GLOB ?", glob(options.model)),
        (options.model, "models", "len(list_filter({}, lambda m: m GLOB ?)) > 0", glob(options.model)),
        (options.agent, "agent", "{} = ?", options.agent),
    ]
    chosen = [(columns[name], text, value) for given, name, text, value in tests if given and name in columns]
    params: list[Any] = [value for _, _, value in chosen]
    conditions = [text.format(column) for column, text, _ in chosen]
    return Query(f"WHERE {' AND '.join(conditions)}" if conditions else "", params)


def glob(pattern: str | None) -> str | None:
    """Return a GLOB pattern in which only `*` and `?` are wildcards: models are named like `name[1m]`."""
    return pattern.replace("[", "[[]") if pattern else None
