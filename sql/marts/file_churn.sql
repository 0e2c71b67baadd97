-- file_churn: one row per project and file that was edited more than once.
-- source: parser.md 7.7
-- project: Project of the sessions.
-- file: Path relative to the session's folder, else the absolute path.
-- edits [calls]: Edit calls, each once however many files repeat it.
-- failures [calls]: Those that failed.
-- sessions [sessions]: Sessions that edited it.
-- first_edit_at [UTC]: Time of the first edit.
-- last_edit_at [UTC]: Time of the last edit.
SELECT
    files.project,
    coalesce(once.file_rel_path, once.file_path) AS file,
    count(*) AS edits,
    count(*) FILTER (WHERE coalesce(once.failed, once.status = 'error')) AS failures,
    count(DISTINCT once.session_id) AS sessions,
    min(once.occurred_at) AS first_edit_at,
    max(once.occurred_at) AS last_edit_at
FROM tool_calls_once AS once
LEFT JOIN files ON files.session_id = once.session_id AND files.path = once.path
WHERE once.category = 'edit' AND once.file_path <> ''
GROUP BY files.project, coalesce(once.file_rel_path, once.file_path)
HAVING count(*) > 1
