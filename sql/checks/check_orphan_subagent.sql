-- check_orphan_subagent: one row per sub-agent file whose main file is not in the lake.
-- source: S-4
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: The line, or the first of several; NULL where the file as a whole is meant.
-- detail: What was found.
SELECT
    files.session_id,
    files.path,
    NULL::BIGINT AS line_no,
    concat('no main file was found for it', '; session ' || files.parent_session_id || ' started it') AS detail
FROM files
WHERE files.kind IN ('subagent', 'workflow_subagent')
    AND files.root_path IS NULL
    AND NOT coalesce(files.parent_session_id IN (SELECT mains.session_id FROM files AS mains WHERE mains.agent <> 'claude'), false)
