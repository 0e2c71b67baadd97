-- context_health: one row per transcript file with usage: how large its context grew.
-- source: parser.md 7.5
-- session_id: Session of the file.
-- agent: Program that wrote it.
-- project: Project of the file.
-- path: File.
-- kind: main, subagent, workflow_subagent or legacy_subagent.
-- records [records]: Usage records of API calls, in file order; copies on progress lines and <synthetic> lines left out.
-- peak_tokens [tokens]: Largest prompt: uncached, cache reads and cache writes together.
-- peak_bin [tokens]: Bin of the peak: 8,000 doubling to 1,024,000, the least that holds it; smaller and larger ones in the end bins.
-- resets [records]: Prompts at most half as large as the one before, where that had 20,000 tokens or more; sub-agents
--    inside the file are a context of their own.
-- first_tokens [tokens]: Prompt of the first record.
-- last_tokens [tokens]: Prompt of the last record.
WITH
sizes AS (
    SELECT
        session_id,
        agent,
        path,
        ROW(byte_offset, source_index) AS position,
        coalesce(is_sidechain, false) AS is_sidechain,
        coalesce(input_tokens, 0) + coalesce(cache_read_tokens, 0) + coalesce(cache_write_tokens, 0) AS tokens
    FROM token_usage
    WHERE carrier IS DISTINCT FROM 'progress' AND model IS DISTINCT FROM '<synthetic>'
),

steps AS (
    SELECT *, lag(tokens) OVER (PARTITION BY session_id, path, is_sidechain ORDER BY position) AS previous
    FROM sizes
),

grown AS (
    SELECT
        session_id,
        path,
        min(agent) AS agent,
        count(*) AS records,
        max(tokens) AS peak_tokens,
        count(*) FILTER (WHERE previous >= 20000 AND tokens * 2 <= previous) AS resets,
        arg_min(tokens, position) AS first_tokens,
        arg_max(tokens, position) AS last_tokens
    FROM steps
    GROUP BY session_id, path
)

SELECT
    grown.session_id,
    grown.agent,
    files.project,
    grown.path,
    files.kind,
    grown.records,
    grown.peak_tokens,
    CASE
        WHEN grown.peak_tokens <= 8000 THEN 8000
        WHEN grown.peak_tokens <= 16000 THEN 16000
        WHEN grown.peak_tokens <= 32000 THEN 32000
        WHEN grown.peak_tokens <= 64000 THEN 64000
        WHEN grown.peak_tokens <= 128000 THEN 128000
        WHEN grown.peak_tokens <= 256000 THEN 256000
        WHEN grown.peak_tokens <= 512000 THEN 512000
        ELSE 1024000
    END AS peak_bin,
    grown.resets,
    grown.first_tokens,
    grown.last_tokens
FROM grown
LEFT JOIN files ON files.session_id = grown.session_id AND files.path = grown.path
