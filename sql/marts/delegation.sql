-- delegation: one row per project: how much of the work sub-agents did.
-- source: parser.md 7.7
-- project: The project.
-- sessions [sessions]: Sessions with a main file.
-- delegating_sessions [sessions]: Those with sub-agents.
-- share_delegating: delegating_sessions by sessions.
-- sessions_1 [sessions]: Sessions with one sub-agent.
-- sessions_2_3 [sessions]: Sessions with two or three.
-- sessions_4_7 [sessions]: Sessions with four to seven.
-- sessions_8 [sessions]: Sessions with eight or more.
-- subagents [files]: Sub-agent transcripts.
-- deepest [levels]: Deepest sub-agent below its main file: 1 for one that the main file called; 0 without sub-agents.
-- subagent_cost_usd [USD]: Cost of the calls of sub-agents; NULL when none is priced.
-- cost_usd [USD]: Cost of all calls of the project's sessions.
-- share_of_cost: subagent_cost_usd by cost_usd.
WITH RECURSIVE
tree AS (
    SELECT session_id, path, 0 AS depth
    FROM files
    WHERE kind = 'main'
    UNION
    SELECT files.session_id, files.path, tree.depth + 1
    FROM tree
    INNER JOIN files ON files.session_id = tree.session_id AND files.parent_path = tree.path
    WHERE tree.depth < 100
),

roots AS (
    SELECT session_id, ancestor_session_id AS root_session_id, levels
    FROM spawned_sessions
    WHERE is_root
),

families AS (
    SELECT
        coalesce(roots.root_session_id, files.session_id) AS session_id,
        any_value(files.project) FILTER (WHERE files.kind = 'main') AS project,
        count(*) FILTER (WHERE files.kind <> 'main') AS subagents,
        max(
            CASE WHEN files.kind <> 'main' THEN coalesce(roots.levels, greatest(coalesce(tree.depth, 1), 1)) ELSE 0 END
        ) AS depth
    FROM files
    LEFT JOIN tree ON tree.session_id = files.session_id AND tree.path = files.path
    LEFT JOIN roots ON roots.session_id = files.session_id
    WHERE files.kind IN ('main', 'subagent', 'workflow_subagent', 'legacy_subagent')
    GROUP BY coalesce(roots.root_session_id, files.session_id)
    HAVING bool_or(files.kind = 'main')
),

spent AS (
    SELECT
        coalesce(roots.root_session_id, costs.session_id) AS session_id,
        sum(costs.cost_usd) AS cost_usd,
        sum(costs.cost_usd) FILTER (WHERE costs.agent_type <> 'main') AS subagent_cost_usd
    FROM costs
    LEFT JOIN roots ON roots.session_id = costs.session_id
    WHERE costs.is_api_call
    GROUP BY coalesce(roots.root_session_id, costs.session_id)
),

summed AS (
    SELECT
        families.project,
        count(*) AS sessions,
        count(*) FILTER (WHERE families.subagents > 0) AS delegating_sessions,
        count(*) FILTER (WHERE families.subagents = 1) AS sessions_1,
        count(*) FILTER (WHERE families.subagents BETWEEN 2 AND 3) AS sessions_2_3,
        count(*) FILTER (WHERE families.subagents BETWEEN 4 AND 7) AS sessions_4_7,
        count(*) FILTER (WHERE families.subagents >= 8) AS sessions_8,
        CAST(sum(families.subagents) AS BIGINT) AS subagents,
        CAST(max(families.depth) AS BIGINT) AS deepest,
        CAST(sum(spent.subagent_cost_usd) AS DECIMAL(38, 15)) AS subagent_cost_usd,
        CAST(sum(spent.cost_usd) AS DECIMAL(38, 15)) AS cost_usd
    FROM families
    LEFT JOIN spent ON spent.session_id = families.session_id
    GROUP BY families.project
)

SELECT
    project,
    sessions,
    delegating_sessions,
    delegating_sessions / sessions AS share_delegating,
    sessions_1,
    sessions_2_3,
    sessions_4_7,
    sessions_8,
    subagents,
    deepest,
    subagent_cost_usd,
    cost_usd,
    subagent_cost_usd / nullif(cost_usd, 0) AS share_of_cost
FROM summed
