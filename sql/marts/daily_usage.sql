-- daily_usage: one row per day and model.
-- source: parser.md 7.7
-- day [UTC date]: Day of the calls; NULL for those without a time.
-- model: Model as written in the transcripts.
-- calls [calls]: API calls, each counted once.
-- sessions [sessions]: Sessions that made them.
-- input_tokens [tokens]: Uncached prompt tokens.
-- output_tokens [tokens]: Output tokens.
-- cache_read_tokens [tokens]: Prompt tokens read from the cache.
-- cache_write_tokens [tokens]: Prompt tokens written to the cache.
-- cache_hit_rate: cache_read_tokens by all prompt tokens; NULL where there are none.
-- cost_usd [USD]: Sum over the priced calls, advisor iterations included; NULL when none is priced.
WITH
days AS (
    SELECT
        day,
        model,
        count(*) FILTER (WHERE part_of IS NULL) AS calls,
        count(DISTINCT session_id) AS sessions,
        TRY_CAST(sum(coalesce(input_tokens, 0)) AS BIGINT) AS input_tokens,
        TRY_CAST(sum(coalesce(output_tokens, 0)) AS BIGINT) AS output_tokens,
        TRY_CAST(sum(coalesce(cache_read_tokens, 0)) AS BIGINT) AS cache_read_tokens,
        TRY_CAST(sum(coalesce(cache_write_5m_tokens, 0)) + sum(coalesce(cache_write_1h_tokens, 0)) AS BIGINT)
            AS cache_write_tokens,
        CAST(sum(cost_usd) AS DECIMAL(38, 15)) AS cost_usd
    FROM costs
    WHERE is_api_call
    GROUP BY day, model
)

SELECT
    day,
    model,
    calls,
    sessions,
    input_tokens,
    output_tokens,
    cache_read_tokens,
    cache_write_tokens,
    cache_read_tokens / nullif(CAST(input_tokens AS HUGEINT) + cache_read_tokens + cache_write_tokens, 0)
        AS cache_hit_rate,
    cost_usd
FROM days
