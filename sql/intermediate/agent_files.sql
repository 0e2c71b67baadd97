-- agent_files: one row per sub-agent file, with the folder its project's files lie in and its parent.
-- source: transcript.md S-1, S-4, S-7
-- session_id: Session of the file.
-- path: The sub-agent's file.
-- project_dir: Folder that holds the session's folder.
-- parent_path: The dispatcher: the file of the same session that holds the dispatching call, else that of the parent agent
--    which the meta names, for a workflow's agent the file that started the workflow, else the file with a result that
--    names the agent, else the main file of the session that its own header names, else the one that its location names.
--    NULL for an orphan.
-- parent_source: What parent_path rests on: call, meta, workflow, result, header, location or NULL.
WITH
agents AS (
    SELECT
        session_id,
        path,
        kind,
        agent,
        parent_path,
        root_path,
        parent_session_id,
        meta_tool_use_id,
        meta_parent_agent_id,
        agent_id,
        regexp_extract(path, '^(.*?)/[^/]+/subagents/(?:[^/]+/subagents/|workflows/[^/]+/)*[^/]+$', 1) AS below_session,
        nullif(regexp_extract(path, '/subagents/workflows/([^/]+)/[^/]+$', 1), '') AS run_id
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

parent_agents AS (
    SELECT agents.session_id, agents.path, min(parents.path) AS parent_path
    FROM agents
    INNER JOIN agents AS parents
        ON parents.session_id = agents.session_id
        AND parents.agent_id = agents.meta_parent_agent_id
        AND parents.path <> agents.path
    GROUP BY agents.session_id, agents.path
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
),

headers AS (
    SELECT agents.session_id, agents.path, min(mains.path) AS parent_path
    FROM agents
    INNER JOIN files AS mains
        ON mains.session_id = agents.parent_session_id
        AND mains.agent = agents.agent
        AND mains.kind IN ('main', 'subagent')
        AND mains.path <> agents.path
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
        ELSE coalesce(
            parent_agents.parent_path,
            nullif(starts.path, agents.path),
            named.parent_path,
            headers.parent_path,
            agents.parent_path
        )
    END AS parent_path,
    CASE
        WHEN dispatched.path IS NOT NULL THEN 'call'
        WHEN parent_agents.path IS NOT NULL THEN 'meta'
        WHEN starts.path <> agents.path THEN 'workflow'
        WHEN named.path IS NOT NULL THEN 'result'
        WHEN headers.path IS NOT NULL THEN 'header'
        WHEN agents.parent_path IS NOT NULL THEN 'location'
    END AS parent_source
FROM agents
LEFT JOIN dispatched ON dispatched.session_id = agents.session_id AND dispatched.path = agents.path
LEFT JOIN parent_agents ON parent_agents.session_id = agents.session_id AND parent_agents.path = agents.path
LEFT JOIN starts ON starts.session_id = agents.session_id AND starts.run_id = agents.run_id
LEFT JOIN named ON named.session_id = agents.session_id AND named.path = agents.path
LEFT JOIN headers ON headers.session_id = agents.session_id AND headers.path = agents.path
