-- conversation_files: one row per root file, with the conversation it belongs to across restarts and forks.
-- source: transcript.md I-1 to I-6
-- path: The root file: a transcript directly in a project folder.
-- session_id: Session of the file.
-- agent: Program that wrote the file.
-- project: Folder name of the project.
-- project_dir: Folder in which the conversation's other files lie.
-- stable_id: uuid of the conversation's origin, the same for all its restarts and forks; NULL where the file has no root.
-- degraded: NULL when the origin was found; missing where a predecessor is gone, runaway where the search never ends.
-- unreadable_siblings: Files that could not be read on the way, each once.
-- identity_error: no_origin or unreadable where there is no identity; else NULL.
-- root_uuid: uuid of the file's own root record.
-- continues_uuid: Entry that the file continues; NULL for an origin.
-- is_restart: The file continues another entry.
-- start_time [UTC]: First time in the file.
-- end_time [UTC]: Latest time in the file.
SELECT
    roots.path,
    roots.session_id,
    files.agent,
    files.project,
    roots.project_dir,
    roots.stable_id,
    roots.degraded,
    roots.unreadable_siblings,
    roots.identity_error,
    files.root_uuid,
    files.root_logical_parent_uuid AS continues_uuid,
    files.root_logical_parent_uuid IS NOT NULL AS is_restart,
    files.start_time,
    files.end_time
FROM conversation_roots AS roots
INNER JOIN files ON files.session_id = roots.session_id AND files.path = roots.path
