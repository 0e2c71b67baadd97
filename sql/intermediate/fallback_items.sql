-- fallback_items: one row per thing that `fallback_costs` prices beside the calls: a declined attempt, or the tokens of an
--    answered call at the prices of the model that was asked first.
-- source: accounting.md 4
-- kind: declined or counterfactual.
-- item_id: The fallback, of a declined attempt with # and the hop.
-- day [UTC date]: Day whose prices apply.
-- model: Model whose prices apply, as written.
-- speed: standard or fast.
-- service_tier: Service tier as written; NULL for a declined attempt.
-- inference_geo: Inference region as written; NULL for a declined attempt.
-- is_api_call: False for <synthetic> messages.
-- input_tokens [tokens]: Uncached prompt tokens.
-- output_tokens [tokens]: Output tokens.
-- cache_read_tokens [tokens]: Prompt tokens read from the cache.
-- cache_write_tokens [tokens]: Prompt tokens written to the cache.
-- cache_write_5m_tokens [tokens]: Part written for five minutes.
-- cache_write_1h_tokens [tokens]: Part written for one hour.
-- web_search_requests [requests]: Web searches.
SELECT
    'declined' AS kind,
    concat(fallback_id, '#', hop_index) AS item_id,
    CAST(occurred_at AT TIME ZONE 'UTC' AS DATE) AS day,
    declined_model AS model,
    speed,
    CAST(NULL AS VARCHAR) AS service_tier,
    CAST(NULL AS VARCHAR) AS inference_geo,
    true AS is_api_call,
    declined.input_tokens,
    declined.output_tokens,
    declined.cache_read_tokens,
    declined.cache_write_tokens,
    declined.cache_write_5m_tokens,
    declined.cache_write_1h_tokens,
    CAST(NULL AS BIGINT) AS web_search_requests
FROM fallback_attempts
WHERE declined IS NOT NULL AND NOT is_copy
UNION ALL
SELECT
    'counterfactual',
    fallback_calls.fallback_id,
    calls.day,
    fallback_calls.first_model,
    calls.speed,
    calls.service_tier,
    calls.inference_geo,
    true,
    calls.input_tokens,
    calls.output_tokens,
    calls.cache_read_tokens,
    calls.cache_write_tokens,
    calls.cache_write_5m_tokens,
    calls.cache_write_1h_tokens,
    calls.web_search_requests
FROM fallback_calls
INNER JOIN usage_winners AS calls ON calls.call_id = fallback_calls.call_id
