-- stated_rates: one row per call whose line states what it cost and whose model has a price.
-- source: accounting.md 5
-- call_id: The call as in usage.
-- least_usd [USD]: Its tokens at the lowest rates its model ever had, in any tier and mode.
-- most_usd [USD]: The same at the highest.
WITH
stated AS (
    SELECT
        costs.call_id,
        costs.provider,
        costs.price_model_id,
        CAST(coalesce(costs.input_tokens, 0) AS DECIMAL(19, 0)) AS input_count,
        CAST(coalesce(costs.output_tokens, 0) AS DECIMAL(19, 0)) AS output_count,
        CAST(coalesce(costs.cache_read_tokens, 0) AS DECIMAL(19, 0)) AS read_count,
        CAST(coalesce(costs.cache_write_5m_tokens, 0) AS DECIMAL(19, 0)) AS write_5m_count,
        CAST(coalesce(costs.cache_write_1h_tokens, 0) AS DECIMAL(19, 0)) AS write_1h_count,
        CAST(coalesce(costs.web_search_requests, 0) AS DECIMAL(19, 0)) AS search_count
    FROM costs
    INNER JOIN usage ON usage.call_id = costs.call_id
    WHERE usage.reported_cost_usd IS NOT NULL
),

charged AS (
    SELECT
        stated.call_id,
        CAST(
            0.000001 * (
                stated.input_count * coalesce(prices.input, 0)
                + stated.output_count * coalesce(prices.output, 0)
                + stated.read_count * coalesce(prices.cache_read, 0)
                + stated.write_5m_count * coalesce(prices.cache_write_5m, 0)
                + stated.write_1h_count * coalesce(prices.cache_write_1h, 0)
                + stated.search_count * coalesce(prices.web_search, 0)
            ) AS DECIMAL(38, 15)
        ) AS cost_usd
    FROM stated
    INNER JOIN prices ON prices.provider = stated.provider AND prices.model_id = stated.price_model_id
)

SELECT call_id, min(cost_usd) AS least_usd, max(cost_usd) AS most_usd
FROM charged
GROUP BY call_id
