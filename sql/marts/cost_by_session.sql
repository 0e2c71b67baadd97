-- cost_by_session: one row per session.
-- source: accounting.md 3
-- session_id: Session that owns the calls.
-- agent: Program that made the calls.
-- project: Project of the session's first call.
-- first_call_at [UTC]: Time of the first call.
-- last_call_at [UTC]: Time of the last call.
-- calls [calls]: API calls, each counted once; advisor iterations are not calls of their own.
-- unpriced_calls [calls]: Calls and advisor iterations without a price; they are not in cost_usd.
-- input_tokens [tokens]: Uncached prompt tokens.
-- output_tokens [tokens]: Output tokens.
-- cache_read_tokens [tokens]: Prompt tokens read from the cache.
-- cache_write_tokens [tokens]: Prompt tokens written to the cache.
-- tokens [tokens]: All four together.
-- cost_usd [USD]: Sum over the priced calls; NULL when none is priced.
SELECT
    session_id,
    min(agent) AS agent,
    arg_min(project, ROW(coalesce(occurred_at, 'infinity'), path, line_no)) AS project,
    min(occurred_at) AS first_call_at,
    max(occurred_at) AS last_call_at,
    count(*) FILTER (WHERE part_of IS NULL) AS calls,
    count(*) FILTER (WHERE NOT priced) AS unpriced_calls,
    TRY_CAST(sum(input_tokens) AS BIGINT) AS input_tokens,
    TRY_CAST(sum(output_tokens) AS BIGINT) AS output_tokens,
    TRY_CAST(sum(cache_read_tokens) AS BIGINT) AS cache_read_tokens,
    TRY_CAST(coalesce(sum(cache_write_5m_tokens), 0) + coalesce(sum(cache_write_1h_tokens), 0) AS BIGINT)
        AS cache_write_tokens,
    TRY_CAST(
        coalesce(sum(input_tokens), 0) + coalesce(sum(output_tokens), 0) + coalesce(sum(cache_read_tokens), 0)
        + coalesce(sum(cache_write_5m_tokens), 0) + coalesce(sum(cache_write_1h_tokens), 0) AS BIGINT
    ) AS tokens,
    CAST(sum(cost_usd) AS DECIMAL(38, 15)) AS cost_usd
FROM costs
WHERE is_api_call
GROUP BY session_id
