-- session_tree: one row per file of a session's tree, parents before their agents, in order of dispatch.
-- source: transcript.md S-4 to S-7
-- depth [levels]: 0 for main files and orphans, 1 for their agents, and so on.
-- path: The file.
-- parent_path: Its dispatcher; NULL for main files and orphans.
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
members AS (
    SELECT
        path, parent_path, kind, agent_id, agent_type, description, started_at, ended_at, messages, tool_calls, cost_usd
    FROM subagents
    WHERE session_id = id
    UNION ALL
    SELECT
        files.path, NULL, files.kind, NULL, NULL, NULL, files.start_time, files.end_time,
        (SELECT count(*) FROM messages WHERE messages.path = files.path AND role IN ('user', 'assistant')),
        (SELECT count(*) FROM tool_calls WHERE tool_calls.path = files.path),
        (SELECT sum(costs.cost_usd) FROM costs WHERE costs.path = files.path)
    FROM files
    WHERE files.session_id = id AND files.kind = 'main' AND files.path NOT IN (SELECT path FROM subagents)
),

tree AS (
    SELECT *, 0 AS depth, [printf('%020d', coalesce(epoch_us(started_at), 9000000000000000)) || path] AS place
    FROM members
    WHERE parent_path IS NULL OR parent_path NOT IN (SELECT path FROM members)
    UNION ALL
    SELECT
        members.*,
        tree.depth + 1,
        list_append(tree.place, printf('%020d', coalesce(epoch_us(members.started_at), 9000000000000000)) || members.path)
    FROM tree
    INNER JOIN members ON members.parent_path = tree.path
    WHERE tree.depth < 64
)

SELECT
    depth::INTEGER AS depth,
    path, parent_path, kind, agent_id, agent_type, description, started_at, ended_at,
    messages::BIGINT AS messages,
    tool_calls::BIGINT AS tool_calls,
    cost_usd
FROM tree
ORDER BY place
