-- owner_files: one row per file, with what its calls inherit from it.
-- source: accounting.md 1
-- session_id: Session of the file.
-- path: The file.
-- project: Its project.
-- agent_id: Sub-agent id; NULL for the main conversation.
-- kind: main, subagent, ...; see files.
-- meta_agent_type: Sub-agent type its sidecar names.
SELECT
    session_id,
    path,
    -- Grouped though no file is there twice: so DuckDB sees that a call has one file at most, and opens no partition of
    -- `files` for a query that asks for none of these.
    any_value(project) AS project,
    any_value(agent_id) AS agent_id,
    any_value(kind) AS kind,
    any_value(meta_agent_type) AS meta_agent_type
FROM files
GROUP BY session_id, path
