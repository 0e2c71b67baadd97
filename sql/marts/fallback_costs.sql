-- fallback_costs: one row per hop of a model fallback, each counted once however many files repeat it, with its money.
-- source: accounting.md 4
-- fallback_id: The fallback, as in model_fallbacks.
-- hop_index [0-based]: Position of the hop in the chain.
-- is_last_hop: The next attempt answered; the money of the answer stands here alone, so that sums count it once.
-- session_id: Session of the fallback.
-- agent: Program that made the calls.
-- project: Project of the session.
-- path: File of the fallback.
-- line_no [1-based]: First line that shows the hop.
-- message_ordinal [0-based]: Message that was answered in the end.
-- day [UTC date]: Day of the fallback.
-- occurred_at [UTC]: Time of the fallback.
-- from_model: Model that declined.
-- to_model: Model that was tried next.
-- declined_model: Model whose prices the declined attempt has.
-- trigger: What caused the hop.
-- refusal_category: Category of the refusal.
-- declined_input_tokens [tokens]: Uncached prompt tokens of the declined attempt; NULL where not observed.
-- declined_output_tokens [tokens]: Its output tokens.
-- declined_cache_write_tokens [tokens]: Prompt tokens it wrote to the cache.
-- declined_cache_read_tokens [tokens]: Prompt tokens it read from the cache.
-- declined_observed: The declined counts are measured.
-- declined_billed: no where the attempt produced no output; yes where it streamed some (assumed); unknown where its
--    tokens were not reported.
-- declined_cost_usd [USD]: The declined attempt at its own model's prices, an upper bound; NULL where it was not observed
--    or has no price.
-- served_call_id: The call that answered, as in costs; NULL on other hops than the last.
-- served_cost_usd [USD]: Cost of that call, also part of costs; NULL on other hops than the last.
-- counterfactual_cost_usd [USD]: The tokens of that call at the prices of the model that was asked first; likewise.
-- net_cost_usd [USD]: What the hop cost beyond having the first model answer: the declined attempt as far as it is billed,
--    and on the last hop also the answer less its counterfactual; NULL where a part is not known.
WITH
attempts AS MATERIALIZED (
    SELECT kind, item_id, cost_usd
    FROM priced('fallback_items')
),

hops AS (
    SELECT
        hops.*,
        CASE WHEN hops.is_last_hop THEN fallback_calls.call_id END AS served_call_id,
        CASE
            WHEN NOT hops.declined_observed THEN 'unknown'
            WHEN hops.declined_output_tokens > 0 THEN 'yes'
            ELSE 'no'
        END AS declined_billed
    FROM fallback_hops AS hops
    LEFT JOIN fallback_calls ON fallback_calls.fallback_id = hops.fallback_id
    WHERE NOT hops.is_copy
)

SELECT
    hops.fallback_id,
    hops.hop_index,
    hops.is_last_hop,
    hops.session_id,
    hops.agent,
    hops.project,
    hops.path,
    hops.line_no,
    hops.message_ordinal,
    CAST(hops.occurred_at AT TIME ZONE 'UTC' AS DATE) AS day,
    hops.occurred_at,
    hops.from_model,
    hops.to_model,
    hops.declined_model,
    hops.trigger,
    hops.refusal_category,
    hops.declined_input_tokens,
    hops.declined_output_tokens,
    hops.declined_cache_write_tokens,
    hops.declined_cache_read_tokens,
    hops.declined_observed,
    hops.declined_billed,
    declined.cost_usd AS declined_cost_usd,
    hops.served_call_id,
    served.cost_usd AS served_cost_usd,
    counterfactual.cost_usd AS counterfactual_cost_usd,
    CAST(
        CASE hops.declined_billed WHEN 'no' THEN 0 ELSE declined.cost_usd END
        + CASE WHEN hops.is_last_hop THEN served.cost_usd - counterfactual.cost_usd ELSE 0 END
        AS DECIMAL(38, 15)
    ) AS net_cost_usd
FROM hops
LEFT JOIN attempts AS declined
    ON declined.kind = 'declined' AND declined.item_id = concat(hops.fallback_id, '#', hops.hop_index)
LEFT JOIN costs AS served ON served.call_id = hops.served_call_id
LEFT JOIN attempts AS counterfactual
    ON counterfactual.kind = 'counterfactual' AND hops.is_last_hop AND counterfactual.item_id = hops.fallback_id
