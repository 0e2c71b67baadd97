-- replayed_counts: one row per key of a Codex count (of a relation like usage_keys) that repeats a call of another thread.
-- source: accounting.md 1
-- own_key: The key of the count, as in usage_keys.
-- call_id: The key of the call that it repeats; where its thread is not in the lake, thread, total and last usage.
-- rule: replay (of the thread that the header names), absent_parent (of one that is not in the lake) or unnamed_replay.
(keys) AS TABLE
WITH RECURSIVE
-- A total that is written again is the same count.
counts AS MATERIALIZED (
    SELECT
        session_id,
        path,
        own_key,
        arg_min(counts_key, place_no) AS counts_key,
        min(occurred_at) AS occurred_at,
        row_number() OVER (PARTITION BY path ORDER BY min(place_no)) AS seq
    FROM query_table(keys)
    WHERE agent = 'codex' AND counts_key IS NOT NULL
    GROUP BY session_id, path, own_key
),

threads AS (
    SELECT session_id, counts_key, min(own_key) AS own_key
    FROM counts
    GROUP BY session_id, counts_key
),

began AS (
    SELECT path, min(start_time) AS began_at
    FROM files
    WHERE agent = 'codex'
    GROUP BY path
),

rollouts AS MATERIALIZED (
    SELECT
        keyed.path,
        keyed.session_id,
        arg_max(keyed.replay_of, coalesce(len(keyed.replay_of), 0)) AS ancestors,
        coalesce(min(began.began_at), min(keyed.occurred_at)) AS began_at
    FROM query_table(keys) AS keyed
    LEFT JOIN began ON began.path = keyed.path
    WHERE keyed.agent = 'codex'
    GROUP BY keyed.path, keyed.session_id
),

named AS (
    SELECT
        path,
        any_value(began_at) AS began_at,
        arg_max(ancestor, place) AS origin,
        arg_min(ancestor, place) FILTER (WHERE ancestor IN (SELECT session_id FROM threads)) AS parent
    FROM (
        SELECT path, began_at, unnest(ancestors) AS ancestor, generate_subscripts(ancestors, 1) AS place
        FROM rollouts
    )
    GROUP BY path
),

-- Of a thread that is there, the leading counts that it has too; of one that is not, those from before the header.
of_named AS (
    SELECT
        counts.own_key,
        coalesce(threads.own_key, concat('codex:', named.origin, ':', counts.counts_key)) AS other_key,
        CASE WHEN named.parent IS NULL THEN 'absent_parent' ELSE 'replay' END AS rule
    FROM counts
    INNER JOIN named ON named.path = counts.path
    LEFT JOIN threads ON threads.session_id = named.parent AND threads.counts_key = counts.counts_key
    QUALIFY
        bool_and(
            CASE
                WHEN named.parent IS NOT NULL THEN threads.own_key IS NOT NULL
                ELSE coalesce(counts.occurred_at < named.began_at + INTERVAL 1 SECOND, false)
            END
        ) OVER (PARTITION BY counts.path ORDER BY counts.seq)
),

-- Without a name, only counts that stand at the same times in an older file, or that were all written at one moment and
-- stand in an older file. The oldest is the original.
placed AS (
    SELECT
        counts.*,
        rollouts.began_at,
        rollouts.ancestors IS NULL AS is_unnamed,
        first_value(counts.occurred_at) OVER in_order AS first_at,
        nth_value(counts.occurred_at, 2) OVER whole AS second_at
    FROM counts
    INNER JOIN rollouts ON rollouts.path = counts.path
    WINDOW
        in_order AS (PARTITION BY counts.path ORDER BY counts.seq),
        whole AS (
            PARTITION BY counts.path ORDER BY counts.seq ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
        )
),

oldest AS (
    SELECT
        *,
        first_value(ROW(session_id, own_key)) OVER same_moment AS of_moment,
        first_value(ROW(session_id, own_key)) OVER same_counts AS of_counts
    FROM placed
    WINDOW
        same_moment AS (PARTITION BY counts_key, occurred_at ORDER BY began_at, session_id, path),
        same_counts AS (PARTITION BY counts_key ORDER BY began_at, session_id, path)
),

matched AS (
    SELECT
        path,
        seq,
        own_key,
        CASE
            WHEN occurred_at IS NOT NULL AND of_moment[1] <> session_id THEN of_moment[2]
            WHEN occurred_at = first_at AND occurred_at = second_at AND of_counts[1] <> session_id THEN of_counts[2]
        END AS other_key
    FROM oldest
    WHERE is_unnamed
),

runs AS (
    SELECT path, own_key, other_key
    FROM matched
    QUALIFY bool_and(other_key IS NOT NULL) OVER (PARTITION BY path ORDER BY seq)
),

of_unnamed AS (
    SELECT own_key, other_key, 'unnamed_replay' AS rule
    FROM runs
    QUALIFY count(*) OVER (PARTITION BY path) >= 2
),

links AS MATERIALIZED (
    SELECT own_key, min(other_key) AS other_key, min(rule) AS rule
    FROM (FROM of_named UNION ALL FROM of_unnamed)
    WHERE own_key <> other_key
    GROUP BY own_key
),

-- A fork of a fork repeats what its parent repeats: the way leads to the first. Threads that name each other in a ring
-- end the search.
ways AS (
    SELECT own_key, other_key, rule, 1 AS steps
    FROM links
    UNION ALL
    SELECT ways.own_key, links.other_key, ways.rule, ways.steps + 1
    FROM ways
    INNER JOIN links ON links.own_key = ways.other_key
    WHERE links.other_key <> ways.own_key AND ways.steps < 1000
)

SELECT own_key, arg_max(other_key, steps) AS call_id, any_value(rule) AS rule
FROM ways
GROUP BY own_key
