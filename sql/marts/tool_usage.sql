-- tool_usage: one row per tool.
-- source: parser.md 3
-- tool_name: Tool name as written.
-- category: read, write, edit, bash, search or empty.
-- calls [calls]: Calls, each counted once however many files repeat it.
-- failures [calls]: Calls that failed, as in tool_calls.
-- pending [calls]: Calls without a known result.
-- failure_rate: Failures as a share of the calls that have a result; NULL when none has.
-- copies [rows]: Rows of tool_calls that repeat one of these calls; calls and copies add up to them all.
-- sessions [sessions]: Sessions that call the tool.
-- sidechain_calls [calls]: Calls made by sub-agents.
-- input_bytes [UTF-8 bytes]: Length of all inputs.
-- result_bytes [UTF-8 bytes]: Length of all results.
-- median_seconds [seconds]: Median time from call to result, waiting for permission included; NULL when never known.
-- first_at [UTC]: Time of the first call.
-- last_at [UTC]: Time of the last call.
SELECT
    tool_name,
    any_value(category) AS category,
    count(*) AS calls,
    count(*) FILTER (WHERE coalesce(failed, status = 'error')) AS failures,
    count(*) FILTER (WHERE status = 'pending') AS pending,
    round(avg(CASE WHEN status <> 'pending' THEN CAST(coalesce(failed, status = 'error') AS INTEGER) END), 4) AS failure_rate,
    TRY_CAST(sum(copies - 1) AS BIGINT) AS copies,
    count(DISTINCT session_id) AS sessions,
    count(*) FILTER (WHERE is_sidechain) AS sidechain_calls,
    TRY_CAST(sum(input_bytes) AS BIGINT) AS input_bytes,
    TRY_CAST(sum(result_bytes) AS BIGINT) AS result_bytes,
    median(date_diff('millisecond', occurred_at, result_at)) * 0.001 AS median_seconds,
    min(occurred_at) AS first_at,
    max(occurred_at) AS last_at
FROM tool_calls_once
GROUP BY tool_name
