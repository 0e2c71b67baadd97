-- priced_items: one row per row of cost_items, with its price: the one place where tokens meet prices.
-- source: accounting.md 3, 4
-- kind: call, advisor, declined or counterfactual; the first two make up costs, the others fallback_costs.
-- call_id: The call as in usage; an advisor iteration adds #advisor and its position; a declined attempt is its
--    fallback with # and the hop, a counterfactual its fallback.
-- part_of: The call that an advisor iteration belongs to; NULL for calls.
-- session_id: Session it belongs to.
-- agent: Program that made it.
-- project: Project it belongs to; NULL for declined attempts.
-- path: File it is taken from.
-- line_no [1-based]: Line of its earliest record.
-- record_no [0-based]: Which JSON object of a glued line.
-- day [UTC date]: Day whose prices apply; an undated call has the first known prices.
-- occurred_at [UTC]: Time of the call.
-- agent_type: main or the sub-agent's type, as in usage.
-- model: Model as written: the call's, or the iteration's own.
-- provider: Whose price list was used; NULL when nobody's.
-- model_id: Model in that price list.
-- speed: standard or fast; an advisor iteration is priced as standard (assumed).
-- is_api_call: False for <synthetic> messages, which cost nothing and are counted nowhere.
-- usage_final: False when the output may be partial.
-- input_tokens [tokens]: Uncached prompt tokens.
-- output_tokens [tokens]: Output tokens.
-- cache_read_tokens [tokens]: Prompt tokens read from the cache.
-- cache_write_5m_tokens [tokens]: Prompt tokens billed as five-minute writes: all that are not one-hour writes.
-- cache_write_1h_tokens [tokens]: Prompt tokens billed as one-hour writes.
-- web_search_requests [requests]: Web searches billed.
-- cost_usd [USD]: Sum of the parts; NULL when unpriced, never 0 instead. Service tier and region do not change it (assumed).
-- input_usd [USD]: Uncached prompt tokens.
-- output_usd [USD]: Output tokens.
-- cache_read_usd [USD]: Cache reads.
-- cache_write_5m_usd [USD]: Five-minute cache writes.
-- cache_write_1h_usd [USD]: One-hour cache writes.
-- web_search_usd [USD]: Web searches.
-- output_rate [USD per million tokens]: Price of an output token; 0 where the call has no output.
-- priced: Every part that occurs has a price.
-- unpriced_reason: Why there is no price; NULL when there is one.
WITH
-- DECIMAL from here on: a damaged count near the end of BIGINT must not break the sum of all others.
counted AS (
    SELECT
        * EXCLUDE (cache_write_tokens, cache_write_5m_tokens, cache_write_1h_tokens),
        CAST(coalesce(input_tokens, 0) AS DECIMAL(19, 0)) AS input_count,
        CAST(coalesce(output_tokens, 0) AS DECIMAL(19, 0)) AS output_count,
        CAST(coalesce(cache_read_tokens, 0) AS DECIMAL(19, 0)) AS read_count,
        CAST(coalesce(cache_write_1h_tokens, 0) AS DECIMAL(19, 0)) AS write_1h_count,
        greatest(
            CAST(coalesce(cache_write_5m_tokens, 0) AS DECIMAL(20, 0)),
            CAST(coalesce(cache_write_tokens, 0) AS DECIMAL(20, 0)) - coalesce(cache_write_1h_tokens, 0)
        ) AS write_5m_count,
        CAST(coalesce(web_search_requests, 0) AS DECIMAL(19, 0)) AS search_count,
        CASE WHEN speed IS NULL OR speed IN ('', 'standard') THEN '' ELSE concat('speed=', speed) END AS variant
    FROM cost_items
),

-- A part that does not occur costs nothing, whether or not the list has a rate for it.
rated AS (
    SELECT
        counted.*,
        aliases.provider,
        aliases.model_id,
        prices.model_id IS NOT NULL AS found,
        CASE WHEN found AND input_count = 0 THEN 0 ELSE prices.input END AS input_rate,
        CASE WHEN found AND output_count = 0 THEN 0 ELSE prices.output END AS output_rate,
        CASE WHEN found AND read_count = 0 THEN 0 ELSE prices.cache_read END AS read_rate,
        CASE WHEN found AND write_5m_count = 0 THEN 0 ELSE prices.cache_write_5m END AS write_5m_rate,
        CASE WHEN found AND write_1h_count = 0 THEN 0 ELSE prices.cache_write_1h END AS write_1h_rate,
        CASE WHEN found AND search_count = 0 THEN 0 ELSE prices.web_search END AS search_rate
    FROM counted
    LEFT JOIN model_aliases AS aliases ON aliases.model = counted.model AND counted.is_api_call
    LEFT JOIN prices
        ON prices.provider = aliases.provider
        AND prices.model_id = aliases.model_id
        AND prices.variant = counted.variant
        AND (prices.valid_from IS NULL OR prices.valid_from <= counted.day)
        AND (prices.valid_to IS NULL OR prices.valid_to > coalesce(counted.day, DATE '1970-01-01'))
        AND (
            prices.over_input_tokens IS NULL
            OR prices.over_input_tokens < input_count + read_count + write_5m_count + write_1h_count
        )
        AND (
            prices.upto_input_tokens IS NULL
            OR prices.upto_input_tokens >= input_count + read_count + write_5m_count + write_1h_count
        )
),

-- A rate in USD per million tokens is micro-dollars per token, so nothing is ever divided.
charged AS (
    SELECT
        *,
        CAST(input_count * input_rate * 0.000001 AS DECIMAL(38, 15)) AS input_usd,
        CAST(output_count * output_rate * 0.000001 AS DECIMAL(38, 15)) AS output_usd,
        CAST(read_count * read_rate * 0.000001 AS DECIMAL(38, 15)) AS cache_read_usd,
        CAST(write_5m_count * write_5m_rate * 0.000001 AS DECIMAL(38, 15)) AS cache_write_5m_usd,
        CAST(write_1h_count * write_1h_rate * 0.000001 AS DECIMAL(38, 15)) AS cache_write_1h_usd,
        CAST(search_count * search_rate * 0.000001 AS DECIMAL(38, 15)) AS web_search_usd
    FROM rated
),

summed AS (
    SELECT
        *,
        CAST(
            input_usd + output_usd + cache_read_usd + cache_write_5m_usd + cache_write_1h_usd + web_search_usd
            AS DECIMAL(38, 15)
        ) AS cost_usd
    FROM charged
)

SELECT
    kind,
    call_id,
    part_of,
    session_id,
    agent,
    project,
    path,
    line_no,
    record_no,
    day,
    occurred_at,
    agent_type,
    model,
    provider,
    model_id,
    speed,
    is_api_call,
    usage_final,
    input_tokens,
    output_tokens,
    cache_read_tokens,
    TRY_CAST(write_5m_count AS BIGINT) AS cache_write_5m_tokens,
    TRY_CAST(write_1h_count AS BIGINT) AS cache_write_1h_tokens,
    web_search_requests,
    cost_usd,
    input_usd,
    output_usd,
    cache_read_usd,
    cache_write_5m_usd,
    cache_write_1h_usd,
    web_search_usd,
    output_rate,
    cost_usd IS NOT NULL AS priced,
    CASE
        WHEN cost_usd IS NOT NULL THEN NULL
        WHEN NOT is_api_call THEN 'not an API call'
        WHEN model IS NULL THEN 'no model on the line'
        WHEN provider IS NULL THEN 'unknown model'
        WHEN NOT found AND variant <> '' THEN concat('no price for ', variant)
        WHEN NOT found THEN 'no price for this model and day'
        ELSE 'no price for a part of the call'
    END AS unpriced_reason
FROM summed
