-- thinking_by_model: one row per agent and model.
-- source: parser.md 7.6
-- agent: Program that wrote the turns.
-- model: Model of the turns.
-- assistant_turns [turns]: Assistant turns of the model.
-- thinking_turns [turns]: Those that thought.
-- coverage: Thinking turns by assistant turns.
-- reported_turns [turns]: Thinking turns whose tokens are exact; the others are estimated from bytes.
-- thinking_bytes [UTF-8 bytes]: Weight of all thinking.
-- thinking_plain_bytes [UTF-8 bytes]: Part in plain text.
-- thinking_signature_bytes [UTF-8 bytes]: Part in signatures.
-- thinking_redacted_bytes [UTF-8 bytes]: Part in redacted_thinking data.
-- thinking_encrypted_bytes [UTF-8 bytes]: Part in encrypted_content.
-- thinking_tokens [tokens]: Thinking tokens of all turns, rounded.
-- tail_tokens [tokens]: Mean of the weightiest tenth of the thinking turns (at least one), rounded; 0 when none thought.
-- peak_tokens [tokens]: Weightiest turn, rounded.
-- band: Band of tail_tokens, as in thinking_band.
-- thinking_usd [USD]: Cost of the thinking in the calls that the turns own.
-- cost_usd [USD]: Cost of all calls of the model; NULL when none is priced.
-- share_of_cost: thinking_usd by cost_usd.
WITH
turns AS (
    SELECT
        agent,
        model,
        count(*) AS assistant_turns,
        count(*) FILTER (WHERE has_thinking) AS thinking_turns,
        count(*) FILTER (WHERE basis = 'reported') AS reported_turns,
        TRY_CAST(sum(thinking_bytes) AS BIGINT) AS thinking_bytes,
        TRY_CAST(sum(thinking_plain_bytes) AS BIGINT) AS thinking_plain_bytes,
        TRY_CAST(sum(thinking_signature_bytes) AS BIGINT) AS thinking_signature_bytes,
        TRY_CAST(sum(thinking_redacted_bytes) AS BIGINT) AS thinking_redacted_bytes,
        TRY_CAST(sum(thinking_encrypted_bytes) AS BIGINT) AS thinking_encrypted_bytes,
        TRY_CAST(round(sum(thinking_tokens)) AS BIGINT) AS thinking_tokens,
        coalesce(list(thinking_tokens ORDER BY thinking_tokens DESC) FILTER (WHERE has_thinking), []) AS weights,
        CAST(sum(thinking_usd) AS DECIMAL(38, 15)) AS thinking_usd
    FROM thinking_weight
    GROUP BY agent, model
),

weighed AS (
    SELECT
        * EXCLUDE (weights),
        TRY_CAST(
            round(coalesce(list_avg(list_slice(weights, 1, greatest(1, CAST(ceil(thinking_turns / 10.0) AS INTEGER)))), 0))
            AS BIGINT
        ) AS tail_tokens,
        TRY_CAST(round(coalesce(list_max(weights), 0)) AS BIGINT) AS peak_tokens
    FROM turns
),

spent AS (
    SELECT agent, model, CAST(sum(cost_usd) AS DECIMAL(38, 15)) AS cost_usd
    FROM costs
    WHERE is_api_call
    GROUP BY agent, model
)

SELECT
    weighed.agent,
    weighed.model,
    weighed.assistant_turns,
    weighed.thinking_turns,
    weighed.thinking_turns / weighed.assistant_turns AS coverage,
    weighed.reported_turns,
    weighed.thinking_bytes,
    weighed.thinking_plain_bytes,
    weighed.thinking_signature_bytes,
    weighed.thinking_redacted_bytes,
    weighed.thinking_encrypted_bytes,
    weighed.thinking_tokens,
    weighed.tail_tokens,
    weighed.peak_tokens,
    thinking_band(weighed.tail_tokens, weighed.thinking_turns > 0) AS band,
    weighed.thinking_usd,
    spent.cost_usd,
    weighed.thinking_usd / nullif(spent.cost_usd, 0) AS share_of_cost
FROM weighed
LEFT JOIN spent ON spent.agent = weighed.agent AND spent.model IS NOT DISTINCT FROM weighed.model
