-- check_parent_agent: one row per sub-agent whose meta names a parent agent that the session does not have.
-- source: parser.md 8.7
-- session_id: Session of the file.
-- path: The file.
-- line_no [1-based]: The line, or the first of several; NULL where the file as a whole is meant.
-- detail: What was found.
SELECT
    children.session_id,
    children.path,
    NULL::BIGINT AS line_no,
    concat('parent agent ', children.meta_parent_agent_id) AS detail
FROM files AS children
LEFT JOIN files AS parents
    ON parents.session_id = children.session_id AND parents.agent_id = children.meta_parent_agent_id
WHERE children.meta_parent_agent_id <> '' AND parents.path IS NULL
