-- tool_usage: one row per tool.
-- source: parser.md 3
-- tool_name: Tool name as written.
-- category: read, write, edit, bash, search or empty.
-- calls [calls]: Calls, each counted once however many files repeat it.
-- failures [calls]: Calls whose result is an error.
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
    call.tool_name AS tool_name,
    any_value(call.category) AS category,
    count(*) AS calls,
    count(*) FILTER (WHERE call.status = 'error') AS failures,
    count(*) FILTER (WHERE call.status = 'pending') AS pending,
    round(avg(CASE call.status WHEN 'error' THEN 1.0 WHEN 'ok' THEN 0.0 END), 4) AS failure_rate,
    TRY_CAST(sum(copies - 1) AS BIGINT) AS copies,
    count(DISTINCT call.session_id) AS sessions,
    count(*) FILTER (WHERE call.is_sidechain) AS sidechain_calls,
    TRY_CAST(sum(call.input_bytes) AS BIGINT) AS input_bytes,
    TRY_CAST(sum(call.result_bytes) AS BIGINT) AS result_bytes,
    median(date_diff('millisecond', call.occurred_at, call.result_at)) * 0.001 AS median_seconds,
    min(call.occurred_at) AS first_at,
    max(call.occurred_at) AS last_at
FROM tool_calls_once
GROUP BY call.tool_name
