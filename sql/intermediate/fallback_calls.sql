-- fallback_calls: one row per model fallback (copies left out), with the API call that answered.
-- source: accounting.md 4
-- fallback_id: The fallback, as in model_fallbacks.
-- first_model: Model that was asked first.
-- call_id: The call that answered, as in usage.
WITH
chains AS (
    SELECT fallback_id, arg_min(declined_model, ROW(hop_index, side)) AS first_model
    FROM fallback_markers
    WHERE NOT is_copy
    GROUP BY fallback_id
),

-- The markers name a call by its request id, else by its message id, else they stand on its line.
keyed AS (
    SELECT
        unnest([request_id, message_id, concat_ws(':', path, line_no, record_no)]) AS fallback_id,
        call_id
    FROM usage_winners
)

SELECT
    chains.fallback_id,
    any_value(chains.first_model) AS first_model,
    min(keyed.call_id) AS call_id
FROM chains
INNER JOIN keyed ON keyed.fallback_id = chains.fallback_id
GROUP BY chains.fallback_id
