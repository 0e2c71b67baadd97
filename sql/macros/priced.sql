-- priced: one row per row of a view of items, its columns and what it costs: the one place where tokens meet prices.
--    `items` is the view's name; it needs day, model, speed, service_tier, inference_geo, is_api_call and the token columns of call_items.
-- source: accounting.md 3, 4
-- provider: Whose price list was used; NULL when nobody's.
-- price_model_id: Model in that price list.
-- model_id: The model's one name, however it is spelt; as written where nothing is known of it.
-- cache_write_5m_tokens [tokens]: Prompt tokens billed as five-minute writes: all that are not one-hour writes.
-- cache_write_1h_tokens [tokens]: Prompt tokens billed as one-hour writes.
-- cost_usd [USD]: Sum of the parts; NULL when unpriced, never 0 instead. The tariff is that of speed, service tier and
--    region; Claude's priority tier counts as standard (assumed).
-- input_usd [USD]: Uncached prompt tokens.
-- output_usd [USD]: Output tokens.
-- cache_read_usd [USD]: Cache reads.
-- cache_write_5m_usd [USD]: Five-minute cache writes.
-- cache_write_1h_usd [USD]: One-hour cache writes.
-- web_search_usd [USD]: Web searches.
-- output_rate [USD per million tokens]: Price of an output token; 0 where the call has no output.
-- priced: Every part that occurs has a price.
-- unpriced_reason: Why there is no price; NULL when there is one.
(items) AS TABLE
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
        input_count + read_count + write_5m_count + write_1h_count AS prompt_count
    FROM query_table(items)
),

-- Which tariff a call has, and what its region adds: inference in the US costs a tenth more at Anthropic
-- (platform.claude.com/docs/en/manage-claude/data-residency, from 2026-02-05); other regions have no published price.
placed AS (
    SELECT
        counted.*,
        aliases.provider,
        aliases.price_model_id,
        coalesce(aliases.model_id, counted.model) AS model_id,
        CASE
            WHEN coalesce(speed, '') NOT IN ('', 'standard') THEN concat('speed=', speed)
            WHEN provider = 'anthropic' AND service_tier = 'batch' THEN 'processing=batch'
            WHEN provider = 'openai' AND service_tier IN ('priority', 'fast', 'flex') THEN concat('service_tier=', service_tier)
            ELSE ''
        END AS variant,
        CASE
            WHEN coalesce(provider, '') <> 'anthropic' OR coalesce(inference_geo, '') IN ('', 'global', 'not_available') THEN 1.0
            WHEN inference_geo = 'us' THEN 1.1
        END AS region_factor
    FROM counted
    LEFT JOIN model_aliases AS aliases ON aliases.model = counted.model AND counted.is_api_call
),

-- Few rows, so that DuckDB looks calls up in rates and not the other way round.
rates AS MATERIALIZED (
    SELECT aliases.model, prices.*
    FROM model_aliases AS aliases
    INNER JOIN prices ON prices.provider = aliases.provider AND prices.model_id = aliases.price_model_id
),

-- A part that does not occur costs nothing, whether or not the list has a rate for it.
rated AS (
    SELECT
        placed.*,
        prices.model_id IS NOT NULL AS found,
        CASE WHEN found AND input_count = 0 THEN 0 ELSE CAST(prices.input * region_factor AS DECIMAL(18, 9)) END AS input_rate,
        CASE WHEN found AND output_count = 0 THEN 0 ELSE CAST(prices.output * region_factor AS DECIMAL(18, 9)) END AS output_rate,
        CASE WHEN found AND read_count = 0 THEN 0 ELSE CAST(prices.cache_read * region_factor AS DECIMAL(18, 9)) END AS read_rate,
        CASE WHEN found AND write_5m_count = 0 THEN 0 ELSE CAST(prices.cache_write_5m * region_factor AS DECIMAL(18, 9)) END AS write_5m_rate,
        CASE WHEN found AND write_1h_count = 0 THEN 0 ELSE CAST(prices.cache_write_1h * region_factor AS DECIMAL(18, 9)) END AS write_1h_rate,
        CASE WHEN found AND search_count = 0 THEN 0 ELSE prices.web_search END AS search_rate
    FROM placed
    LEFT JOIN rates AS prices
        ON prices.model = placed.model
        AND placed.is_api_call
        AND placed.region_factor IS NOT NULL
        AND prices.variant = placed.variant
        AND (prices.valid_from IS NULL OR prices.valid_from <= placed.day)
        AND (prices.valid_to IS NULL OR prices.valid_to > coalesce(placed.day, DATE '1970-01-01'))
        AND (prices.over_input_tokens IS NULL OR prices.over_input_tokens < placed.prompt_count)
        AND (prices.upto_input_tokens IS NULL OR prices.upto_input_tokens >= placed.prompt_count)
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
    * EXCLUDE (
        input_count, output_count, read_count, write_5m_count, write_1h_count, search_count, prompt_count, variant, found, region_factor,
        input_rate, read_rate, write_5m_rate, write_1h_rate, search_rate
    ),
    TRY_CAST(write_5m_count AS BIGINT) AS cache_write_5m_tokens,
    TRY_CAST(write_1h_count AS BIGINT) AS cache_write_1h_tokens,
    cost_usd IS NOT NULL AS priced,
    CASE
        WHEN cost_usd IS NOT NULL THEN NULL
        WHEN NOT is_api_call THEN 'not an API call'
        WHEN model IS NULL THEN 'no model on the line'
        WHEN provider IS NULL THEN 'unknown model'
        WHEN region_factor IS NULL THEN concat('no price for inference_geo=', inference_geo)
        WHEN NOT found AND variant <> '' THEN concat('no price for ', variant)
        WHEN NOT found THEN 'no price for this model and day'
        ELSE 'no price for a part of the call'
    END AS unpriced_reason
FROM summed
