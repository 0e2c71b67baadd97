-- check_transcript_without_meta: one row per sub-agent file without a meta sidecar.
-- source: parser.md 8.7
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: The line, or the first of several; NULL where the file as a whole is meant.
-- detail: What was found.
SELECT session_id, path, NULL::BIGINT AS line_no, 'there is no meta sidecar beside it' AS detail
FROM files
WHERE kind IN ('subagent', 'workflow_subagent')
    AND agent = 'claude'
    AND meta_error IS NULL
    AND coalesce(meta_agent_type, meta_description, meta_tool_use_id, meta_model) IS NULL
    AND meta_spawn_depth IS NULL
