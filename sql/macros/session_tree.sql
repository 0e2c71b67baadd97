-- session_tree: one row per file of a session's tree, parents before their agents, in order of dispatch.
-- source: transcript.md S-4 to S-7
-- depth [levels]: 0 for main files and orphans, 1 for their agents, and so on.
-- path: The file.
-- parent_path: Its dispatcher; NULL for main files and orphans.
-- parent_source: What parent_path rests on: call, meta, workflow, result, header, location or NULL.
-- kind: Kind of the file.
-- agent_id: Sub-agent id.
-- agent_type: Sub-agent type.
-- description: What it was asked to do.
-- started_at [UTC]: First time in the file.
-- ended_at [UTC]: Latest time in the file.
-- messages [turns]: User and assistant turns.
-- tool_calls [calls]: Tool calls.
-- cost_usd [USD]: Cost of its priced API calls.
(id) AS TABLE
WITH RECURSIVE
-- Agents that write a session of their own (Codex) belong to the tree of the session that started them.
agents AS (
    SELECT
        *,
        [printf('%020d', coalesce(epoch_us(started_at), 9000000000000000)), path] AS own_place
    FROM subagents
),

tops AS (
    SELECT
        files.path, NULL::VARCHAR AS parent_path, NULL::VARCHAR AS parent_source, files.kind, NULL::VARCHAR AS agent_id,
        NULL::VARCHAR AS agent_type, NULL::VARCHAR AS description, files.start_time AS started_at,
        files.end_time AS ended_at,
        (SELECT count(*) FROM messages WHERE messages.path = files.path AND role IN ('user', 'assistant')) AS messages,
        (SELECT count(*) FROM tool_calls WHERE tool_calls.path = files.path) AS tool_calls,
        (SELECT sum(costs.cost_usd) FROM costs WHERE costs.path = files.path) AS cost_usd,
        [printf('%020d', coalesce(epoch_us(files.start_time), 9000000000000000)), files.path] AS own_place
    FROM files
    WHERE files.session_id = id AND files.kind = 'main' AND files.path NOT IN (SELECT path FROM agents)
    UNION ALL
    SELECT
        path, parent_path, parent_source, kind, agent_id, agent_type, description, started_at, ended_at, messages,
        tool_calls, cost_usd, own_place
    FROM agents
    WHERE session_id = id
        AND (
            parent_path IS NULL
            OR parent_path NOT IN (SELECT files.path FROM files WHERE files.session_id = id)
        )
),

tree AS (
    SELECT *, 0 AS depth, own_place AS place FROM tops
    UNION ALL
    SELECT
        agents.path, agents.parent_path, agents.parent_source, agents.kind, agents.agent_id, agents.agent_type,
        agents.description, agents.started_at, agents.ended_at, agents.messages, agents.tool_calls, agents.cost_usd,
        agents.own_place, tree.depth + 1, list_concat(tree.place, agents.own_place)
    FROM tree
    INNER JOIN agents ON agents.parent_path = tree.path
),

-- Files that name each other as parents hang below nothing.
rings AS (
    SELECT
        path, parent_path, parent_source, kind, agent_id, agent_type, description, started_at, ended_at, messages,
        tool_calls, cost_usd, own_place, 0 AS depth, own_place AS place
    FROM agents
    WHERE session_id = id AND path NOT IN (SELECT path FROM tree)
)

SELECT
    depth::INTEGER AS depth,
    path, parent_path, parent_source, kind, agent_id, agent_type, description, started_at, ended_at,
    messages::BIGINT AS messages,
    tool_calls::BIGINT AS tool_calls,
    cost_usd
FROM (FROM tree UNION ALL FROM rings)
ORDER BY place
