-- cost_by_model: one row per model, however it is spelt.
-- source: accounting.md 3
-- model_id: The model's one name.
-- model: How most of its calls spell it.
-- sessions [sessions]: Sessions with calls of the model.
-- calls [calls]: API calls, each counted once; advisor iterations are not calls of their own.
-- unpriced_calls [calls]: Calls and advisor iterations without a price; they are not in cost_usd.
-- input_tokens [tokens]: Uncached prompt tokens.
-- output_tokens [tokens]: Output tokens.
-- cache_read_tokens [tokens]: Prompt tokens read from the cache.
-- cache_write_tokens [tokens]: Prompt tokens written to the cache.
-- tokens [tokens]: All four together.
-- cost_usd [USD]: Sum over the priced calls; NULL when none is priced.
SELECT
    model_id,
    mode(model ORDER BY model) AS model,
    -- Not count(DISTINCT): with it DuckDB would open every session's partition of `files`, which nothing here needs.
    len(list_distinct(list(session_id))) AS sessions,
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
GROUP BY model_id
