-- subagents: one row per sub-agent file.
-- source: transcript.md S-1 to S-9
-- session_id: Session of the file.
-- agent: Program that wrote the file.
-- project: Folder name of the project.
-- path: The sub-agent's file.
-- kind: subagent, workflow_subagent or legacy_subagent; main for a file that only its content shows to be a sub-agent's.
-- agent_id: Id from the file name.
-- agent_type: Type from the meta sidecar.
-- description: Description from the meta sidecar.
-- root_path: Main file of the tree; NULL for an orphan.
-- parent_path: The dispatcher, in the same session where possible.
-- parent_source: What parent_path rests on: call, meta, workflow, result, header, location or NULL.
-- searched_parent_path: The first file of the whole project that holds the dispatching call, in the order of S-7; forks share
--    calls, so it may lie in another session.
-- depth [levels]: 1 for an agent of the main conversation, 2 for one of its agents, and so on; NULL for an orphan and below one.
-- walk_order [1-based]: Place among the sub-agents of the session's folder when it is walked with the names sorted in every
--    folder and folders expanded in place (S-6); NULL for files outside such folders.
-- tool_use_id: The dispatching call.
-- dispatch_line_no [1-based]: Line of that call in parent_path.
-- dispatch_status: ok, error or pending: the state of that call.
-- model: Model from the meta sidecar, an alias; NULL when inherited.
-- started_at [UTC]: First time in the file.
-- ended_at [UTC]: Latest time in the file.
-- messages [turns]: User and assistant turns.
-- tool_calls [calls]: Tool calls.
-- calls [calls]: API calls the file owns.
-- tokens [tokens]: All tokens of those calls: input, output, cache reads and writes.
-- cost_usd [USD]: Cost of the priced ones; NULL when none is.
-- meta_error: Why the meta sidecar could not be read.
WITH RECURSIVE
parents AS (
    SELECT agent_files.session_id, agent_files.path, agent_files.parent_path, agent_files.parent_source
    FROM agent_files
),

descent AS (
    SELECT parents.path, 1 AS depth
    FROM parents
    LEFT JOIN parents AS agents ON agents.path = parents.parent_path
    WHERE parents.parent_path IS NOT NULL AND agents.path IS NULL
    UNION ALL
    SELECT parents.path, descent.depth + 1
    FROM descent
    INNER JOIN parents ON parents.parent_path = descent.path
),

walked AS (
    SELECT path, row_number() OVER (PARTITION BY session_id ORDER BY string_split(path, '/')) AS walk_order
    FROM parents
    WHERE regexp_matches(path, '/subagents/(.*/)?agent-[^/]*[.]jsonl$')
),

searched AS (
    SELECT path, arg_min(candidate_path, search_rank) AS searched_parent_path
    FROM dispatch_candidates
    WHERE search_rank IS NOT NULL
    GROUP BY path
),

turns AS (
    SELECT path, count(*) AS messages FROM messages WHERE role IN ('user', 'assistant') GROUP BY path
),

made AS (
    SELECT path, count(*) AS tool_calls FROM tool_calls GROUP BY path
),

spent AS (
    SELECT
        path,
        count(*) FILTER (WHERE part_of IS NULL) AS calls,
        sum(
            coalesce(input_tokens, 0) + coalesce(output_tokens, 0) + coalesce(cache_read_tokens, 0)
            + coalesce(cache_write_5m_tokens, 0) + coalesce(cache_write_1h_tokens, 0)
        ) AS tokens,
        sum(cost_usd) AS cost_usd
    FROM costs
    WHERE is_api_call
    GROUP BY path
),

dispatch AS (
    SELECT session_id, path, tool_use_id, min(line_no) AS line_no, arg_min(status, line_no) AS status
    FROM tool_calls
    WHERE tool_use_id IN (SELECT meta_tool_use_id FROM files)
    GROUP BY session_id, path, tool_use_id
)

SELECT
    files.session_id,
    files.agent,
    files.project,
    files.path,
    files.kind,
    files.agent_id,
    files.meta_agent_type AS agent_type,
    files.meta_description AS description,
    coalesce(files.root_path, roots.root_path) AS root_path,
    parents.parent_path,
    parents.parent_source,
    searched.searched_parent_path,
    descent.depth::INTEGER AS depth,
    walked.walk_order::BIGINT AS walk_order,
    files.meta_tool_use_id AS tool_use_id,
    dispatch.line_no AS dispatch_line_no,
    dispatch.status AS dispatch_status,
    files.meta_model AS model,
    files.start_time AS started_at,
    files.end_time AS ended_at,
    coalesce(turns.messages, 0)::BIGINT AS messages,
    coalesce(made.tool_calls, 0)::BIGINT AS tool_calls,
    coalesce(spent.calls, 0)::BIGINT AS calls,
    coalesce(spent.tokens, 0)::BIGINT AS tokens,
    spent.cost_usd,
    files.meta_error
FROM parents
INNER JOIN files ON files.session_id = parents.session_id AND files.path = parents.path
LEFT JOIN searched ON searched.path = parents.path
LEFT JOIN descent ON descent.path = parents.path
LEFT JOIN walked ON walked.path = parents.path
LEFT JOIN spawned_sessions AS roots ON roots.session_id = parents.session_id AND roots.is_root
LEFT JOIN turns ON turns.path = parents.path
LEFT JOIN made ON made.path = parents.path
LEFT JOIN spent ON spent.path = parents.path
LEFT JOIN dispatch
    ON dispatch.session_id = parents.session_id
    AND dispatch.path = parents.parent_path
    AND dispatch.tool_use_id = files.meta_tool_use_id
