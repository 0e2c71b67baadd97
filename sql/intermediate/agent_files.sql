-- agent_files: one row per sub-agent file, with the folder its project's files lie in and its parent.
-- source: transcript.md S-1, S-4, S-7
-- session_id: Session of the file.
-- path: The sub-agent's file.
-- project_dir: Folder that holds the session's folder.
-- parent_path: The dispatcher: the file of the same session that holds the dispatching call, for a workflow's agent the
--    file that started the workflow; else the file with a result that names the agent, else the one the location names.
--    NULL for an orphan.
-- parent_source: What parent_path rests on: call, workflow, result, location or NULL.
WITH
agents AS (
    SELECT
        session_id,
        path,
        kind,
        parent_path,
        root_path,
        meta_tool_use_id,
        agent_id,
        regexp_extract(path, '^(.*)/[^/]+/subagents/', 1) AS below_session,
        nullif(regexp_extract(path, '/workflows/([^/]+)/[^/]+$', 1), '') AS run_id
    FROM files
    WHERE is_subagent_record OR kind IN ('subagent', 'workflow_subagent', 'legacy_subagent')
),

starts AS (
    SELECT session_id, coalesce(run_id, agent_id) AS run_id, arg_min(path, ROW(occurred_at, path, line_no)) AS path
    FROM agent_signals
    WHERE target_kind = 'workflow' AND signal = 'launched' AND carrier <> 'journal'
    GROUP BY session_id, coalesce(run_id, agent_id)
),

dispatched AS (
    SELECT DISTINCT agents.session_id, agents.path
    FROM agents
    INNER JOIN tool_calls
        ON tool_calls.session_id = agents.session_id
        AND tool_calls.path = agents.parent_path
        AND tool_calls.tool_use_id = agents.meta_tool_use_id
),

-- A result names its agent as data, or, inside a sub-agent's own file, only in its text.
results AS (
    SELECT session_id, path, line_no, occurred_at, result_agent_id AS agent_id
    FROM tool_results
    WHERE result_agent_id IS NOT NULL
    UNION ALL
    SELECT
        session_id,
        path,
        result_line_no AS line_no,
        result_at AS occurred_at,
        regexp_extract(result_text, 'agentId:\s*([A-Za-z0-9_-]+)', 1) AS agent_id
    FROM tool_calls
    WHERE tool_name IN ('Agent', 'Task') AND contains(result_text, 'agentId:')
),

named AS (
    SELECT agents.session_id, agents.path, arg_min(results.path, ROW(occurred_at, results.path, line_no)) AS parent_path
    FROM agents
    INNER JOIN results
        ON results.session_id = agents.session_id
        AND results.agent_id = agents.agent_id
        AND results.path <> agents.path
    GROUP BY agents.session_id, agents.path
)

SELECT
    agents.session_id,
    agents.path,
    CASE
        WHEN agents.root_path IS NOT NULL THEN regexp_replace(agents.root_path, '/[^/]*$', '')
        WHEN agents.below_session <> '' THEN agents.below_session
        ELSE regexp_replace(agents.path, '/[^/]*$', '')
    END AS project_dir,
    CASE
        WHEN dispatched.path IS NOT NULL THEN agents.parent_path
        WHEN starts.path <> agents.path THEN starts.path
        ELSE coalesce(named.parent_path, agents.parent_path)
    END AS parent_path,
    CASE
        WHEN dispatched.path IS NOT NULL THEN 'call'
        WHEN starts.path <> agents.path THEN 'workflow'
        WHEN named.parent_path IS NOT NULL THEN 'result'
        WHEN agents.parent_path IS NOT NULL THEN 'location'
    END AS parent_source
FROM agents
LEFT JOIN dispatched ON dispatched.session_id = agents.session_id AND dispatched.path = agents.path
LEFT JOIN starts ON starts.session_id = agents.session_id AND starts.run_id = agents.run_id
LEFT JOIN named ON named.session_id = agents.session_id AND named.path = agents.path
