-- check_agent_twice: one row per further file of a sub-agent that has one already.
-- source: parser.md 8.7
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: The line, or the first of several; NULL where the file as a whole is meant.
-- detail: What was found.
SELECT
    session_id,
    path,
    NULL::BIGINT AS line_no,
    concat('agent ', agent_id, ' is also in ', min(path) OVER agents) AS detail
FROM files
WHERE kind IN ('subagent', 'workflow_subagent') AND agent = 'claude'
WINDOW agents AS (PARTITION BY session_id, agent_id)
QUALIFY path <> min(path) OVER agents
