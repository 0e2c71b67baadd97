-- usage_owners: one row per file that holds a call, of the calls of a relation like usage_keyed that several
--    files hold, in order of ownership.
-- source: accounting.md 1
-- call_id: The call, as in usage_keyed.
-- path: File that holds records of it.
-- file_rank [1-based]: 1 for the file that owns the call.
-- owner_rule: What set the first file apart from the second: progress (the other has a copy on a progress line only),
--    time (its record is earlier), main (a main conversation before a sub-agent's file), copy (lines that say they were
--    copied, and replays), origin (the others' session leads back to it, through forkedFrom, continued-in or a
--    header), marks (fewer lines with forkedFrom), began (its first line is earlier), prompt (the call's prompt has an
--    id of its own there: a copy gives the calls of all prompts the id of the one that it goes on with), own_calls (it
--    has no call of its own, so the other goes on from it; else its first own call is earlier) or name (session id,
--    then path).
-- is_guess: began, prompt, own_calls or name decided, which do not prove which is the original.
(keyed) AS TABLE
WITH RECURSIVE
shared AS MATERIALIZED (
    SELECT call_id
    FROM query_table(keyed)
    GROUP BY call_id
    HAVING min(path) <> max(path)
),

held AS MATERIALIZED (
    SELECT
        call_id,
        path,
        any_value(session_id) AS session_id,
        bool_and(is_progress) AS is_progress,
        min(occurred_at) AS occurred_at,
        bool_and(is_sidechain OR is_progress) AS is_aside,
        bool_and(is_copy_line) AS is_copy,
        any_value(prompt_id) AS prompt_id
    FROM query_table(keyed)
    SEMI JOIN shared USING (call_id)
    GROUP BY call_id, path
),

holders AS (
    SELECT path, any_value(session_id) AS session_id
    FROM held
    GROUP BY path
),

-- Calls that no other file holds.
own AS (
    SELECT records.path, min(records.occurred_at) AS first_own_at
    FROM query_table(keyed) AS records
    SEMI JOIN holders USING (path)
    ANTI JOIN shared USING (call_id)
    GROUP BY records.path
),

prompts AS (
    SELECT path, prompt_id, min(occurred_at) AS first_at, max(occurred_at) AS last_at
    FROM query_table(keyed)
    SEMI JOIN holders USING (path)
    WHERE prompt_id IS NOT NULL
    GROUP BY path, prompt_id
),

facts AS (
    SELECT
        path,
        any_value(kind) AS kind,
        max(coalesce(forked_line_count, 0)) AS forked_line_count,
        min(start_time) AS began_at,
        max(continued_in_session_id) AS continued_in_session_id
    FROM files
    SEMI JOIN holders USING (path)
    GROUP BY path
),

parents AS (
    SELECT session_id, forked_from_session_id AS parent_id
    FROM query_table(keyed)
    WHERE forked_from_session_id IS NOT NULL
    UNION
    SELECT session_id, replay_of[1]
    FROM query_table(keyed)
    WHERE replay_of IS NOT NULL
    UNION
    SELECT facts.continued_in_session_id, holders.session_id
    FROM facts
    INNER JOIN holders ON holders.path = facts.path
    WHERE facts.continued_in_session_id IS NOT NULL
),

-- How many sessions stand behind one; sessions that lead to each other in a ring end the search.
origins AS (
    SELECT session_id, parent_id, 1 AS steps
    FROM parents
    WHERE session_id <> parent_id
    UNION
    SELECT origins.session_id, parents.parent_id, origins.steps + 1
    FROM origins
    INNER JOIN parents ON parents.session_id = origins.parent_id
    WHERE parents.parent_id <> origins.session_id AND origins.steps < 1000
),

depths AS (
    SELECT session_id, max(steps) AS depth
    FROM origins
    GROUP BY session_id
),

judged AS (
    SELECT
        held.call_id,
        held.path,
        held.session_id,
        held.is_progress,
        held.occurred_at,
        CASE WHEN held.is_aside AND facts.kind = 'main' THEN 2 WHEN facts.kind = 'main' THEN 0 ELSE 1 END AS place,
        held.is_copy,
        coalesce(depths.depth, 0) AS depth,
        coalesce(facts.forked_line_count, 0) AS forked_line_count,
        facts.began_at,
        prompts.first_at AS prompt_first_at,
        prompts.last_at AS prompt_last_at,
        own.first_own_at
    FROM held
    LEFT JOIN facts ON facts.path = held.path
    LEFT JOIN depths ON depths.session_id = held.session_id
    LEFT JOIN prompts ON prompts.path = held.path AND prompts.prompt_id = held.prompt_id
    LEFT JOIN own ON own.path = held.path
),

ranked AS (
    SELECT
        call_id,
        path,
        row_number() OVER best_first AS file_rank,
        CASE
            WHEN row_number() OVER best_first > 1 THEN NULL
            WHEN is_progress <> lead(is_progress) OVER best_first THEN 'progress'
            WHEN occurred_at IS DISTINCT FROM lead(occurred_at) OVER best_first THEN 'time'
            WHEN place <> lead(place) OVER best_first THEN 'main'
            WHEN is_copy <> lead(is_copy) OVER best_first THEN 'copy'
            WHEN depth <> lead(depth) OVER best_first THEN 'origin'
            WHEN forked_line_count <> lead(forked_line_count) OVER best_first THEN 'marks'
            WHEN began_at IS DISTINCT FROM lead(began_at) OVER best_first THEN 'began'
            WHEN prompt_first_at IS DISTINCT FROM lead(prompt_first_at) OVER best_first THEN 'prompt'
            WHEN prompt_last_at IS DISTINCT FROM lead(prompt_last_at) OVER best_first THEN 'prompt'
            WHEN first_own_at IS DISTINCT FROM lead(first_own_at) OVER best_first THEN 'own_calls'
            ELSE 'name'
        END AS decided
    FROM judged
    WINDOW best_first AS (
        PARTITION BY call_id
        ORDER BY
            is_progress,
            occurred_at NULLS LAST,
            place,
            is_copy,
            depth,
            forked_line_count,
            began_at NULLS LAST,
            prompt_first_at DESC NULLS LAST,
            prompt_last_at NULLS LAST,
            first_own_at NULLS FIRST,
            session_id,
            path
    )
),

told AS (
    SELECT call_id, path, file_rank, max(decided) OVER (PARTITION BY call_id) AS owner_rule
    FROM ranked
)

SELECT call_id, path, file_rank, owner_rule, owner_rule IN ('began', 'prompt', 'own_calls', 'name') AS is_guess
FROM told
