-- check_subagent_session_id: one row per sub-agent file in which another session is named.
-- source: parser.md 8.7
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: The line, or the first of several; NULL where the file as a whole is meant.
-- detail: What was found.
SELECT
    session_id,
    path,
    NULL::BIGINT AS line_no,
    concat('its lines name ', array_to_string(record_session_ids, ', ')) AS detail
FROM files
WHERE kind IN ('subagent', 'workflow_subagent')
    AND CASE
        -- The other programs' sub-agents have a session of their own; one that began with its parent's context names both.
        WHEN agent <> 'claude' THEN NOT coalesce(list_contains(record_session_ids, session_id), true)
        ELSE len(list_filter(record_session_ids, lambda one: one <> session_id)) > 0
    END
