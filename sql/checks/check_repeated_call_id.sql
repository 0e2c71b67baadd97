-- check_repeated_call_id: one row per file in which a tool-use id belongs to several calls.
-- source: parser.md 3.5
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: The line, or the first of several; NULL where the file as a whole is meant.
-- detail: What was found.
SELECT
    session_id,
    path,
    min(line_no) AS line_no,
    concat(count(*), ' ids belong to several calls') AS detail
FROM (
    SELECT session_id, path, tool_use_id, min(line_no) AS line_no
    FROM tool_calls
    WHERE tool_use_id <> ''
    GROUP BY session_id, path, tool_use_id
    HAVING count(*) > 1
)
GROUP BY session_id, path
