-- check_orphan_subagent: one row per sub-agent file whose main file is not in the lake.
-- source: S-4
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: The line, or the first of several; NULL where the file as a whole is meant.
-- detail: What was found.
SELECT session_id, path, NULL::BIGINT AS line_no, 'no main file was found for it' AS detail
FROM files
WHERE kind IN ('subagent', 'workflow_subagent') AND root_path IS NULL
