-- call_items: one row per thing that `costs` has a price for: an API call, or an advisor or compaction iteration beside its call.
-- source: accounting.md 3
-- call_id: The call as in usage; an iteration adds #advisor or #compaction and its position.
-- part_of: The call that an iteration belongs to; NULL for calls.
-- part: advisor or compaction; NULL for calls.
-- session_id: Session it belongs to.
-- agent: Program that made it.
-- path: File it is taken from.
-- line_no [1-based]: Line of its owner; NULL where the file was rewritten without it.
-- record_no [0-based]: Which JSON object of a glued line.
-- day [UTC date]: Day whose prices apply.
-- occurred_at [UTC]: Time of the call.
-- is_sidechain: The call lies in a sub-agent's own conversation.
-- prompt_id: Prompt that the call answers.
-- cwd: Working directory of the call.
-- git_branch: Git branch of the call.
-- model: Model whose prices apply, as written.
-- speed: standard or fast.
-- service_tier: Service tier as written.
-- inference_geo: Inference region as written.
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
    SELECT * FROM usage_winners
),

-- The advisor's answers and compactions are billed beside the top level, which leaves them out.
parts AS (
    SELECT
        *,
        CASE iteration.type WHEN 'advisor_message' THEN 'advisor' WHEN 'compaction' THEN 'compaction' END AS part
    FROM (
        SELECT
            * EXCLUDE (iterations),
            unnest(iterations) AS iteration,
            generate_subscripts(iterations, 1) AS position
        FROM calls
        WHERE iterations IS NOT NULL
    )
)

SELECT
    call_id,
    CAST(NULL AS VARCHAR) AS part_of,
    CAST(NULL AS VARCHAR) AS part,
    session_id,
    agent,
    path,
    line_no,
    record_no,
    day,
    occurred_at,
    is_sidechain,
    prompt_id,
    cwd,
    git_branch,
    model,
    speed,
    service_tier,
    inference_geo,
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
    concat(call_id, '#', part, position),
    call_id,
    part,
    session_id,
    agent,
    path,
    line_no,
    record_no,
    day,
    occurred_at,
    is_sidechain,
    prompt_id,
    cwd,
    git_branch,
    CASE part WHEN 'compaction' THEN model ELSE iteration.model END,
    CASE part WHEN 'compaction' THEN speed END,
    CASE part WHEN 'compaction' THEN service_tier END,
    inference_geo,
    true,
    usage_final,
    iteration.input_tokens,
    iteration.output_tokens,
    iteration.cache_read_tokens,
    iteration.cache_write_tokens,
    iteration.cache_write_5m_tokens,
    iteration.cache_write_1h_tokens,
    CAST(NULL AS BIGINT)
FROM parts
WHERE part IS NOT NULL
