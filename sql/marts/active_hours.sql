-- active_hours: one row per session and UTC hour in which it was active.
-- source: parser.md 7.7
-- session_id: The session.
-- agent: Program that wrote it.
-- hour [UTC]: Beginning of the hour.
-- active_seconds [seconds]: Gaps of up to 300 seconds between one timed turn of a file and the next, in the hour of the later.
-- messages [turns]: Turns of that hour, all roles.
-- tool_calls [calls]: Tool calls of that hour, repeated ones included.
-- messages_per_minute [turns per minute]: By active time; NULL where there is none.
-- tool_calls_per_minute [calls per minute]: Likewise.
WITH
steps AS (
    SELECT
        session_id,
        agent,
        date_trunc('hour', timestamp AT TIME ZONE 'UTC') AS hour,
        epoch(timestamp) - epoch(lag(timestamp) OVER (PARTITION BY session_id, path ORDER BY timestamp, ordinal)) AS gap
    FROM messages
    WHERE timestamp IS NOT NULL
),

turns AS (
    SELECT
        session_id,
        agent,
        hour,
        coalesce(sum(gap) FILTER (WHERE gap > 0 AND gap <= 300), 0) AS active_seconds,
        count(*) AS messages
    FROM steps
    GROUP BY session_id, agent, hour
),

calls AS (
    SELECT session_id, agent, date_trunc('hour', occurred_at AT TIME ZONE 'UTC') AS hour, count(*) AS tool_calls
    FROM tool_calls
    WHERE occurred_at IS NOT NULL
    GROUP BY ALL
)

SELECT
    turns.session_id,
    turns.agent,
    timezone('UTC', turns.hour) AS hour,
    turns.active_seconds,
    turns.messages,
    coalesce(calls.tool_calls, 0) AS tool_calls,
    turns.messages * 60 / nullif(turns.active_seconds, 0) AS messages_per_minute,
    coalesce(calls.tool_calls, 0) * 60 / nullif(turns.active_seconds, 0) AS tool_calls_per_minute
FROM turns
LEFT JOIN calls ON calls.session_id = turns.session_id AND calls.agent = turns.agent AND calls.hour = turns.hour
