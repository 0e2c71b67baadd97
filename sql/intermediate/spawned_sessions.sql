-- spawned_sessions: one row per session that is another's sub-agent (Codex writes those as sessions of their own), and
--    ancestor of it that the lake holds.
-- source: transcript.md S-4
-- session_id: The sub-agent's session.
-- ancestor_session_id: The session that started it, or started one that did.
-- levels [levels]: How many levels the ancestor stands above it; 1 for the session that started it.
-- is_root: The topmost of its ancestors.
-- root_path: Main file of that session; NULL where it has none.
WITH RECURSIVE
started AS (
    SELECT DISTINCT session_id, agent, parent_session_id
    FROM files
    WHERE parent_session_id IS NOT NULL AND parent_session_id <> session_id
),

climbed AS (
    SELECT session_id, agent, parent_session_id AS ancestor_session_id, 1 AS levels
    FROM started
    UNION
    SELECT climbed.session_id, climbed.agent, started.parent_session_id, climbed.levels + 1
    FROM climbed
    INNER JOIN started ON started.session_id = climbed.ancestor_session_id AND started.agent = climbed.agent
    WHERE climbed.levels < 100
),

known AS (
    SELECT session_id, agent, min(path) FILTER (WHERE kind = 'main') AS main_path
    FROM files
    WHERE kind IN ('main', 'subagent')
    GROUP BY session_id, agent
),

held AS (
    SELECT
        climbed.session_id,
        climbed.ancestor_session_id,
        min(climbed.levels) AS levels,
        any_value(known.main_path) AS main_path
    FROM climbed
    INNER JOIN known ON known.session_id = climbed.ancestor_session_id AND known.agent = climbed.agent
    WHERE climbed.ancestor_session_id <> climbed.session_id
    GROUP BY climbed.session_id, climbed.ancestor_session_id
)

SELECT
    session_id,
    ancestor_session_id,
    levels::INTEGER AS levels,
    row_number() OVER topmost = 1 AS is_root,
    first_value(main_path) OVER topmost AS root_path
FROM held
WINDOW topmost AS (PARTITION BY session_id ORDER BY levels DESC, ancestor_session_id)
