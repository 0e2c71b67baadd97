-- check_agent_id: one row per sub-agent file with lines that name another agent.
-- source: parser.md 8.7, S-9
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: The line, or the first of several; NULL where the file as a whole is meant.
-- detail: What was found.
SELECT
    files.session_id,
    files.path,
    min(entries.line_no) AS line_no,
    concat(count(*), ' lines name ', min(entries.agent_id)) AS detail
FROM files
INNER JOIN entries ON entries.session_id = files.session_id AND entries.path = files.path
WHERE files.agent = 'claude'
    AND files.kind IN ('subagent', 'workflow_subagent', 'legacy_subagent')
    AND entries.agent_id <> files.agent_id
GROUP BY files.session_id, files.path
