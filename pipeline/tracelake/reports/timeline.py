"""The SQL behind `tracelake session`."""

from __future__ import annotations

from tracelake.reports.model import Query

TEXT_LENGTH = 200
"""Characters of a text that the timeline shows; `messages` and `tool_calls` hold all of it."""

SHOWN = ("at", "file", "role", "text", "prompt_tokens", "output_tokens", "cost_usd")
"""The columns a person sees; the others say where the rest is to be found."""


def matching(beginning: str) -> Query:
    """Return the query for the ids that begin so."""
    return Query("SELECT session_id FROM sessions WHERE starts_with(session_id, ?) ORDER BY 1", [beginning])


def header(session_id: str) -> Query:
    """Return the query for the session's own row."""
    sql = """
        SELECT * EXCLUDE (cost_usd), TRY_CAST(cost_usd AS DECIMAL(18, 6)) AS cost_usd
        FROM sessions WHERE session_id = ?
    """
    return Query(sql, [session_id])


def steps(session_id: str) -> Query:
    """Return the query for messages and tool calls: main file first, then the others by their start.

    Tokens and USD stand on the message that holds the call's earliest record; copies of a call that another file
    or session owns show none.
    """
    return Query(_STEPS, [session_id, TEXT_LENGTH])


_STEPS = r"""
WITH spent AS (
    SELECT costs.path, places.message_ordinal,
        sum(input_tokens + cache_read_tokens + cache_write_5m_tokens + cache_write_1h_tokens)
            FILTER (WHERE part_of IS NULL) AS prompt_tokens,
        sum(output_tokens) FILTER (WHERE part_of IS NULL) AS output_tokens,
        sum(cost_usd) AS cost_usd
    FROM costs
    JOIN (
        SELECT path, line_no, any_value(message_ordinal) AS message_ordinal
        FROM token_usage WHERE session_id = $1 GROUP BY path, line_no
    ) AS places ON places.path = costs.path AND places.line_no = costs.line_no
    WHERE costs.session_id = $1 AND is_api_call
    GROUP BY costs.path, places.message_ordinal
),

steps AS (
    SELECT turns.timestamp AS at, turns.path, turns.line_no, turns.ordinal, -1 AS call_index, turns.role, turns.model,
        CAST(NULL AS VARCHAR) AS status, turns.content AS text, prompt_tokens, output_tokens, cost_usd
    FROM messages AS turns
    LEFT JOIN spent ON spent.path = turns.path AND spent.message_ordinal = turns.ordinal
    WHERE turns.session_id = $1
    UNION ALL
    SELECT occurred_at, path, line_no, message_ordinal, call_index, 'tool', NULL,
        status, concat_ws(' ', concat(tool_name, ':'), coalesce(detail, file_path), concat('(', status, ')')),
        NULL, NULL, NULL
    FROM tool_calls WHERE session_id = $1
),

lines AS (
    SELECT * EXCLUDE (text), trim(regexp_replace(coalesce(text, ''), '\s+', ' ', 'g')) AS text FROM steps
)

SELECT
    lines.at,
    CASE WHEN files.kind = 'main' THEN 'main' ELSE coalesce(files.agent_id, files.kind) END AS file,
    lines.role,
    CASE WHEN length(lines.text) > $2 THEN left(lines.text, $2) || '…' ELSE lines.text END AS text,
    TRY_CAST(lines.prompt_tokens AS BIGINT) AS prompt_tokens,
    TRY_CAST(lines.output_tokens AS BIGINT) AS output_tokens,
    TRY_CAST(lines.cost_usd AS DECIMAL(18, 6)) AS cost_usd,
    lines.model,
    lines.status,
    lines.path,
    lines.line_no,
    lines.ordinal
FROM lines
LEFT JOIN files ON files.session_id = $1 AND files.path = lines.path
ORDER BY files.kind <> 'main', files.start_time NULLS LAST, lines.path, lines.ordinal, lines.call_index, lines.line_no
"""
