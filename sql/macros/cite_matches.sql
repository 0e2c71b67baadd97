-- cite_matches: one row per request and entry whose text contains the quote.
-- source: transcript.md C-1, C-2, C-14, C-15
-- request_id: The request.
-- path: File of the entry.
-- line_no [1-based]: Line of the entry.
-- source_types: Pools the quote was found in, in the order the request names them.
-- uuid: Id of the entry; forks repeat it.
-- position [0-based]: Place of the file among those searched: the root, then the sub-agents in the order of the tree.
(requests) AS TABLE
WITH
given AS (
    SELECT
        request.request_id AS request_id,
        fold_spaces(request.quote) AS wanted,
        request.pools AS asked_pools,
        request.from_path AS start_path,
        coalesce(request.as_subagent, false) AS as_subagent
    FROM (SELECT unnest(requests) AS request)
),

-- A word of the asked_quote with a blank on both sides is a word of every text that contains the asked_quote. So when there are
-- many requests, texts are first looked up by each asked_quote's longest such word, in one pass over all words.
inner_words AS (
    SELECT
        request_id,
        wanted,
        asked_pools,
        start_path,
        as_subagent,
        CASE WHEN (SELECT count(*) FROM given) > 100 THEN string_split(wanted, ' ')[2:-2] ELSE [] END AS words
    FROM given
    WHERE wanted <> ''
),

asked AS (
    SELECT
        request_id,
        wanted,
        asked_pools,
        start_path,
        as_subagent,
        CASE
            WHEN len(words) > 0
                THEN list_reduce(words, lambda best, word: CASE WHEN length(word) > length(best) THEN word ELSE best END)
        END AS key
    FROM inner_words
),

transcripts AS (
    SELECT path, root_path
    FROM files
    WHERE kind IN ('main', 'subagent', 'workflow_subagent', 'legacy_subagent')
),

starts AS (
    SELECT
        asked.request_id,
        asked.asked_pools,
        asked.start_path,
        CASE WHEN asked.as_subagent AND root_path = asked.start_path THEN NULL ELSE root_path END AS user_path
    FROM asked
    INNER JOIN transcripts ON transcripts.path = asked.start_path
),

tops AS (
    SELECT DISTINCT coalesce(user_path, start_path) AS top
    FROM starts
),

trees AS (
    SELECT
        tops.top,
        transcripts.path,
        row_number() OVER (
            PARTITION BY tops.top
            ORDER BY transcripts.path <> tops.top, string_split(transcripts.path, '/')
        ) - 1 AS position
    FROM tops
    INNER JOIN transcripts
        ON transcripts.path = tops.top
        OR (
            starts_with(transcripts.path, regexp_replace(tops.top, '\.jsonl$', '') || '/subagents/')
            AND regexp_matches(transcripts.path, '/agent-[^/]*\.jsonl$')
        )
),

scope AS (
    SELECT starts.request_id, 'user' AS pool, starts.user_path AS path, 0 AS position
    FROM starts
    WHERE list_contains(starts.asked_pools, 'user') AND starts.user_path IS NOT NULL
    UNION ALL
    SELECT starts.request_id, 'tool_result' AS pool, trees.path, trees.position
    FROM starts
    INNER JOIN trees ON trees.top = coalesce(starts.user_path, starts.start_path)
    WHERE list_contains(starts.asked_pools, 'tool_result')
),

spots AS (
    SELECT DISTINCT path, line_no, seq, word
    FROM (
        SELECT path, line_no, seq, unnest(string_split(norm_text, ' ')) AS word
        FROM citations
        WHERE citable
    )
    WHERE word IN (SELECT key FROM asked WHERE key IS NOT NULL)
),

found AS (
    SELECT asked.request_id, texts.pool, texts.path, texts.line_no, texts.uuid
    FROM spots
    INNER JOIN asked ON asked.key = spots.word
    INNER JOIN citations AS texts
        ON texts.path = spots.path AND texts.line_no = spots.line_no AND texts.seq = spots.seq
    WHERE
        texts.citable
        AND list_contains(asked.asked_pools, texts.pool)
        AND (contains(texts.norm_text, asked.wanted) OR contains(texts.norm_text_unnumbered, asked.wanted))
    UNION ALL
    SELECT asked.request_id, texts.pool, texts.path, texts.line_no, texts.uuid
    FROM asked
    INNER JOIN scope ON scope.request_id = asked.request_id
    INNER JOIN citations AS texts ON texts.path = scope.path AND texts.pool = scope.pool
    WHERE
        asked.key IS NULL
        AND texts.citable
        AND (contains(texts.norm_text, asked.wanted) OR contains(texts.norm_text_unnumbered, asked.wanted))
    UNION ALL
    SELECT asked.request_id, texts.pool, texts.path, texts.line_no, texts.uuid
    FROM asked
    CROSS JOIN citations AS texts
    WHERE
        asked.key IS NULL
        AND asked.start_path IS NULL
        AND texts.citable
        AND list_contains(asked.asked_pools, texts.pool)
        AND (contains(texts.norm_text, asked.wanted) OR contains(texts.norm_text_unnumbered, asked.wanted))
),

-- Of the tool results, those of the file itself win over those of the rest of its session.
ranked AS (
    SELECT
        found.request_id,
        found.pool,
        found.path,
        found.line_no,
        found.uuid,
        coalesce(scope.position, 0) AS position,
        asked.asked_pools,
        asked.start_path IS NULL
        OR found.pool = 'user'
        OR found.path = asked.start_path
        OR NOT bool_or(found.path = asked.start_path) OVER (PARTITION BY found.request_id, found.pool) AS counts
    FROM found
    INNER JOIN asked ON asked.request_id = found.request_id
    LEFT JOIN scope
        ON scope.request_id = found.request_id AND scope.pool = found.pool AND scope.path = found.path
    WHERE asked.start_path IS NULL OR scope.path IS NOT NULL
)

SELECT
    request_id,
    path,
    line_no,
    list_filter(any_value(asked_pools), lambda pool: list_contains(list(ranked.pool), pool)) AS source_types,
    any_value(uuid) AS uuid,
    max(position) AS position
FROM ranked
WHERE counts
GROUP BY request_id, path, line_no
