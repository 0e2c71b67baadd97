-- tool_calls_once: one row per tool call, copies in forks, resumes and other exports of the same file left out.
-- source: parser.md 7.1
-- call: The call's row in tool_calls: one that has its result before one that is pending, then the earliest.
-- copies [rows]: Number of rows in tool_calls that show this call.
SELECT
    arg_min(
        calls,
        ROW(calls.status = 'pending', coalesce(calls.occurred_at, 'infinity'), calls.path, calls.line_no, calls.call_index)
    ) AS call,
    count(*) AS copies
FROM tool_calls AS calls
GROUP BY
    calls.tool_name,
    CASE
        WHEN calls.tool_use_id <> '' THEN calls.tool_use_id
        ELSE concat_ws(':', calls.path, calls.line_no, calls.record_no, calls.block_index)
    END
