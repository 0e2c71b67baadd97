-- running_background_by_file: one row per transcript file, the answer to which background agents it alone shows as running.
-- source: B-3
-- session_id: Session of the file.
-- path: The file.
-- answer: known, or unknown when strict reading refuses the file; unknown means that nothing is known to run.
-- unknown_reason: Why it refuses; NULL when it does not.
-- running: Ids of the running agents, sorted; NULL when unknown.
WITH
running AS (
    SELECT session_id, path, list_sort(list(agent_id)) AS agent_ids
    FROM running_background_strict
    GROUP BY session_id, path
)

SELECT
    files.session_id,
    files.path,
    CASE WHEN coalesce(files.read_error, files.strict_error) IS NULL THEN 'known' ELSE 'unknown' END AS answer,
    coalesce(files.read_error, files.strict_error) AS unknown_reason,
    CASE
        WHEN coalesce(files.read_error, files.strict_error) IS NULL
            THEN coalesce(running.agent_ids, CAST([] AS VARCHAR[]))
    END AS running
FROM files
LEFT JOIN running ON running.session_id = files.session_id AND running.path = files.path
WHERE files.kind IN ('main', 'subagent', 'workflow_subagent', 'legacy_subagent')
