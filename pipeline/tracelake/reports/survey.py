"""The SQL behind `tracelake check --survey`: what a client version brought."""

from __future__ import annotations

from tracelake.reports.model import Query

_CHOSEN = r"""
WITH chosen AS (
    SELECT agent, max_by(version, list_transform(regexp_extract_all(version, '\d{1,9}'), lambda part: part::BIGINT))
        AS version
    FROM surveyed_lines
    WHERE CASE WHEN $1 IS NULL THEN regexp_matches(version, '^\d') ELSE version = $1 END
    GROUP BY agent
)
"""

_NEW = rf"""
{_CHOSEN},

kinds AS (
    SELECT *, list_filter(versions, lambda one: regexp_matches(one, '^\d')) AS known FROM type_survey
),

keys AS (
    SELECT *, list_filter(versions, lambda one: regexp_matches(one, '^\d')) AS known FROM line_survey
),

new_kinds AS (
    SELECT kinds.*, chosen.version FROM kinds JOIN chosen ON chosen.agent = kinds.agent AND known[1] = chosen.version
),

new_keys AS (
    SELECT keys.*, chosen.version FROM keys JOIN chosen ON chosen.agent = keys.agent AND known[1] = chosen.version
    ANTI JOIN new_kinds ON new_kinds.agent = keys.agent AND new_kinds.class = keys.class
        AND new_kinds.type IS NOT DISTINCT FROM keys.type AND new_kinds.subtype IS NOT DISTINCT FROM keys.subtype
)

SELECT agent, version, 'type' AS what, class, type, subtype, NULL::VARCHAR AS key_path, NULL::VARCHAR AS json_type,
    count, len(known) > 1 AS seen_later, example_path, example_line_no
FROM new_kinds
UNION ALL
SELECT agent, version, 'key', class, type, subtype, key_path, json_type, count, len(known) > 1, example_path,
    example_line_no
FROM new_keys
ORDER BY agent, what DESC, class, type, subtype, key_path, json_type
"""


def chosen(version: str | None) -> Query:
    """Return the query for the agents that wrote a version, each with it; without one, each agent's newest."""
    return Query(f"{_CHOSEN} SELECT agent, version FROM chosen ORDER BY agent", [version])


def keys_known() -> Query:
    """Return the query for a row when lines are kept, so that their keys are known, and none when they are not."""
    return Query("SELECT 1 FROM raw_lines LIMIT 1", [])


def brought(version: str | None) -> Query:
    """Return the query for what no older version has: line types, and keys of types that older versions have too.

    `count` is over all versions, `seen_later` says that a newer version has it as well.
    """
    return Query(_NEW, [version])
