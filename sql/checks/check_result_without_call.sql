-- check_result_without_call: one row per file with tool results whose call is not in it.
-- source: parser.md 3.5
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: The line, or the first of several; NULL where the file as a whole is meant.
-- detail: What was found.
SELECT
    results.session_id,
    results.path,
    min(results.line_no) AS line_no,
    concat(count(*), ' results without a call') AS detail
FROM tool_results AS results
LEFT JOIN (SELECT DISTINCT session_id, path, tool_use_id FROM tool_calls) AS calls
    ON calls.session_id = results.session_id
    AND calls.path = results.path
    AND calls.tool_use_id = results.tool_use_id
WHERE results.tool_use_id <> '' AND calls.tool_use_id IS NULL
GROUP BY results.session_id, results.path
