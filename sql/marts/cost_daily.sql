-- cost_daily: one row per day, agent, model and project.
-- source: accounting.md 3
-- day [UTC date]: Day of the call; NULL where it has no time.
-- agent: Program that made the calls.
-- model_id: The model's one name, however it is spelt.
-- model: How most of the calls spell it.
-- project: Project the calls were made in.
-- calls [calls]: API calls, each counted once; advisor iterations are not calls of their own.
-- unpriced_calls [calls]: Calls and advisor iterations without a price; they are not in cost_usd.
-- input_tokens [tokens]: Uncached prompt tokens.
-- output_tokens [tokens]: Output tokens.
-- cache_read_tokens [tokens]: Prompt tokens read from the cache.
-- cache_write_tokens [tokens]: Prompt tokens written to the cache.
-- tokens [tokens]: All four together.
-- cost_usd [USD]: Sum over the priced calls; NULL when none is priced.
SELECT
    day,
    agent,
    model_id,
    mode(model ORDER BY model) AS model,
    project,
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
GROUP BY day, agent, model_id, project
