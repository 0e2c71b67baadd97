"""Sums of a view by one key, with a row for the total."""

from __future__ import annotations

from dataclasses import dataclass

from tracelake.reports.conditions import where
from tracelake.reports.model import Options, Query

MONEY = "DECIMAL(18, 6)"
"""USD are shown to the micro-dollar; the views keep all digits."""


@dataclass(frozen=True)
class Measure:
    """One summed column: what is computed per group, how the total is made of the groups, how both are shown."""

    name: str
    per_group: str
    total: str
    shown: str

    @classmethod
    def sum(cls, name: str) -> Measure:
        """A sum of whole numbers; NULL where none is known, or where it is beyond 64 bits."""
        return cls(name, f"sum({name})", f"sum({name})", f"TRY_CAST({name} AS BIGINT)")

    @classmethod
    def money(cls, name: str) -> Measure:
        """A sum of USD; NULL where nothing has a price."""
        return cls(name, f"sum({name})", f"sum({name})", f"TRY_CAST({name} AS {MONEY})")

    @classmethod
    def count(cls, name: str, condition: str = "true") -> Measure:
        """A count of the rows that fulfil a condition."""
        per_group = f"count(*) FILTER (WHERE {condition})"
        return cls(name, per_group, f"coalesce(sum({name}), 0)", f"CAST({name} AS BIGINT)")


@dataclass(frozen=True)
class Grouping:
    """What is summed: rows, the keys they can be grouped by, filters, measures and order.

    `rows` is a view or a SELECT in parentheses. `keys` maps each value of `--by` to its expression, `filters` as
    in `conditions.where`. `best` orders the groups; days come in their own order.
    """

    rows: str
    keys: dict[str, str]
    filters: dict[str, str]
    measures: tuple[Measure, ...]
    best: str


def build(grouping: Grouping, options: Options) -> Query:
    """Return the groups in order, at most `limit` of them, then the total over all of them (`is_total`)."""
    by = options.by or next(iter(grouping.keys))
    condition = where(options, grouping.filters)
    order = f"{by} NULLS LAST" if by == "day" else f"{grouping.best}, {by}"
    names = ", ".join(measure.name for measure in grouping.measures)
    per_group = ", ".join(f"{measure.per_group} AS {measure.name}" for measure in grouping.measures)
    totals = ", ".join(f"{measure.total} AS {measure.name}" for measure in grouping.measures)
    shown = ", ".join(f"{measure.shown} AS {measure.name}" for measure in grouping.measures)
    sql = f"""
        WITH grouped AS MATERIALIZED (
            SELECT CAST({grouping.keys[by]} AS VARCHAR) AS {by}, {per_group}
            FROM {grouping.rows} {condition.sql}
            GROUP BY 1
        ), ranked AS (
            SELECT *, row_number() OVER (ORDER BY {order}) AS place FROM grouped
        ), marked AS (
            SELECT {by}, {names}, place, false AS is_total FROM ranked WHERE place <= coalesce(?, place)
            UNION ALL
            SELECT 'total', {totals}, NULL, true FROM grouped
        )
        SELECT {by}, {shown}, is_total FROM marked ORDER BY is_total, place
    """
    return Query(sql, [*condition.params, options.limit])
