-- cost_items: one row per thing that has a price: a call, an advisor iteration, a declined attempt, or the tokens of an
--    answered call at the prices of the model that was asked first.
-- source: accounting.md 3, 4
-- kind: call, advisor, declined or counterfactual; the first two make up costs, the others fallback_costs.
-- call_id: The call as in usage; an advisor iteration adds #advisor and its position; a declined attempt is its
--    fallback with # and the hop, a counterfactual its fallback.
-- part_of: The call that an advisor iteration belongs to; NULL for the others.
-- session_id: Session it belongs to.
-- agent: Program that made it.
-- project: Project it belongs to; NULL for declined attempts.
-- path: File it is taken from.
-- line_no [1-based]: Line of its earliest record.
-- record_no [0-based]: Which JSON object of a glued line.
-- day [UTC date]: Day whose prices apply.
-- occurred_at [UTC]: Time of the call.
-- agent_type: main or the sub-agent's type, as in usage; NULL for the last two kinds.
-- model: Model whose prices apply, as written.
-- speed: standard or fast.
-- is_api_call: False for <synthetic> messages.
-- usage_final: False when the output may be partial.
-- input_tokens [tokens]: Uncached prompt tokens.
-- output_tokens [tokens]: Output tokens.
-- cache_read_tokens [tokens]: Prompt tokens read from the cache.
-- cache_write_tokens [tokens]: Prompt tokens written to the cache.
-- cache_write_5m_tokens [tokens]: Part written for five minutes.
-- cache_write_1h_tokens [tokens]: Part written for one hour.
-- web_search_requests [requests]: Web searches.
WITH
calls AS MATERIALIZED (
    SELECT * FROM usage
),

advisors AS (
    SELECT
        * EXCLUDE (iterations),
        unnest(iterations) AS iteration,
        generate_subscripts(iterations, 1) AS position
    FROM calls
    WHERE iterations IS NOT NULL
)

SELECT
    'call' AS kind,
    call_id,
    CAST(NULL AS VARCHAR) AS part_of,
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
    speed,
    is_api_call,
    usage_final,
    input_tokens,
    output_tokens,
    cache_read_tokens,
    cache_write_tokens,
    cache_write_5m_tokens,
    cache_write_1h_tokens,
    web_search_requests
FROM calls
UNION ALL
SELECT
    'advisor',
    concat(call_id, '#advisor', position),
    call_id,
    session_id,
    agent,
    project,
    path,
    line_no,
    record_no,
    day,
    occurred_at,
    agent_type,
    iteration.model,
    CAST(NULL AS VARCHAR),
    true,
    usage_final,
    iteration.input_tokens,
    iteration.output_tokens,
    iteration.cache_read_tokens,
    iteration.cache_write_tokens,
    iteration.cache_write_5m_tokens,
    iteration.cache_write_1h_tokens,
    CAST(NULL AS BIGINT)
FROM advisors
WHERE iteration.type = 'advisor_message'
UNION ALL
SELECT
    'declined',
    concat(fallback_id, '#', hop_index),
    NULL,
    session_id,
    agent,
    NULL,
    path,
    line_no,
    0,
    CAST(occurred_at AT TIME ZONE 'UTC' AS DATE),
    occurred_at,
    NULL,
    declined_model,
    speed,
    true,
    true,
    declined.input_tokens,
    declined.output_tokens,
    declined.cache_read_tokens,
    declined.cache_write_tokens,
    declined.cache_write_5m_tokens,
    declined.cache_write_1h_tokens,
    NULL
FROM fallback_attempts
WHERE declined IS NOT NULL AND NOT is_copy
UNION ALL
SELECT
    'counterfactual',
    fallback_calls.fallback_id,
    NULL,
    calls.session_id,
    calls.agent,
    calls.project,
    calls.path,
    calls.line_no,
    calls.record_no,
    calls.day,
    calls.occurred_at,
    NULL,
    fallback_calls.first_model,
    calls.speed,
    true,
    calls.usage_final,
    calls.input_tokens,
    calls.output_tokens,
    calls.cache_read_tokens,
    calls.cache_write_tokens,
    calls.cache_write_5m_tokens,
    calls.cache_write_1h_tokens,
    calls.web_search_requests
FROM fallback_calls
INNER JOIN calls ON calls.call_id = fallback_calls.call_id
