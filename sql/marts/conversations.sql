-- conversations: one row per conversation, over all its restarts and forks.
-- source: transcript.md I-2
-- stable_id: uuid of the conversation's origin.
-- agent: Program that wrote the files.
-- project: Folder name of the project of the earliest file.
-- files [files]: Root files of the conversation.
-- sessions [sessions]: Distinct session ids.
-- restarts [files]: Files that continue another entry (restarts, and forks of a restart).
-- degraded: missing or runaway where the origin of some file was not found; else NULL.
-- started_at [UTC]: First time in any of the files.
-- ended_at [UTC]: Latest time in any of the files.
-- first_path: The earliest file.
-- last_path: The file with the latest time.
SELECT
    stable_id,
    agent,
    arg_min(project, ROW(coalesce(start_time, 'infinity'), path)) AS project,
    count(*)::BIGINT AS files,
    count(DISTINCT session_id)::BIGINT AS sessions,
    count(*) FILTER (WHERE is_restart)::BIGINT AS restarts,
    max(degraded) AS degraded,
    min(start_time) AS started_at,
    max(end_time) AS ended_at,
    arg_min(path, ROW(coalesce(start_time, 'infinity'), path)) AS first_path,
    arg_max(path, ROW(coalesce(end_time, '-infinity'), path)) AS last_path
FROM conversation_files
WHERE stable_id IS NOT NULL
GROUP BY stable_id, agent
