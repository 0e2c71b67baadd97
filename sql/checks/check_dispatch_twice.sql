-- check_dispatch_twice: one row per further sub-agent that claims the dispatching call of another.
-- source: parser.md 8.7
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: The line, or the first of several; NULL where the file as a whole is meant.
-- detail: What was found.
SELECT
    session_id,
    path,
    NULL::BIGINT AS line_no,
    concat('call ', meta_tool_use_id, ' also dispatched ', min(path) OVER calls) AS detail
FROM files
WHERE meta_tool_use_id <> ''
WINDOW calls AS (PARTITION BY session_id, meta_tool_use_id)
QUALIFY agent_id <> min(agent_id) OVER calls
