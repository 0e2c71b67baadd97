-- usage_winners: one row per API call, counted once over the whole lake, from its usage records alone.
-- source: accounting.md 1
-- call_id: The call: message id and request id joined by a colon; see usage_keyed.
-- session_id: Session of the owner: the call's earliest record, of equal ones the original; see usage_owners.
-- agent: Program that wrote the owner.
-- path: File of the owner.
-- line_no [1-based]: Line of the owner; NULL where its file was rewritten without it.
-- record_no [0-based]: Which JSON object of a glued line the owner is.
-- day [UTC date]: Day of the owner; prices are those of this day. NULL where no record has a time.
-- occurred_at [UTC]: Time of the owner.
-- is_sidechain: The owner lies in a sub-agent's own conversation.
-- prompt_id: Prompt that the owner answers; NULL where no line says so.
-- cwd: Working directory of the owner.
-- git_branch: Git branch of the owner.
-- message_id: API message id.
-- request_id: API request id of the winner.
-- model: Model of the winner as written.
-- speed: standard or fast as the winner says; NULL when absent.
-- service_tier: Service tier of the winner as written.
-- inference_geo: Inference region of the winner as written.
-- input_tokens [tokens]: Uncached prompt tokens of the winner.
-- output_tokens [tokens]: Output tokens of the winner, thinking included.
-- cache_read_tokens [tokens]: Prompt tokens read from the cache.
-- cache_write_tokens [tokens]: Prompt tokens written to the cache.
-- cache_write_5m_tokens [tokens]: Part written for five minutes; all of it where the split is absent.
-- cache_write_1h_tokens [tokens]: Part written for one hour; NULL where not reported.
-- thinking_tokens [tokens]: Thinking part of the output; NULL where not reported.
-- web_search_requests [requests]: Web searches the server made; NULL where not reported.
-- web_fetch_requests [requests]: Web fetches the server made; NULL where not reported.
-- iterations: The attempts and side calls behind the winner; NULL when absent.
-- reported_cost_usd [USD]: Cost the client wrote on the winner's line (old versions).
-- usage_final: Some record of the call carries a stop reason; without one the output may be partial.
-- is_api_call: False for <synthetic> messages, which the client makes up itself.
-- copies [records]: Number of usage records of the call; all but one are losers in usage_audit.
-- winner_path: File of the record whose tokens count.
-- winner_line_no [1-based]: Line of that record.
WITH
keyed AS MATERIALIZED (
    SELECT * FROM usage_keyed
),

calls AS (
    SELECT * FROM owned_calls('keyed')
)

SELECT
    calls.call_id,
    owner.session_id,
    owner.agent,
    owner.path,
    owner.line_no,
    owner.record_no,
    CAST(owner.occurred_at AT TIME ZONE 'UTC' AS DATE) AS day,
    owner.occurred_at,
    owner.is_sidechain,
    owner.prompt_id,
    owner.cwd,
    owner.git_branch,
    winner.message_id,
    winner.request_id,
    winner.model,
    winner.speed,
    winner.service_tier,
    winner.inference_geo,
    winner.input_tokens,
    winner.output_tokens,
    winner.cache_read_tokens,
    winner.cache_write_tokens,
    winner.cache_write_5m_tokens,
    winner.cache_write_1h_tokens,
    winner.thinking_tokens,
    winner.web_search_requests,
    winner.web_fetch_requests,
    winner.iterations,
    winner.reported_cost_usd,
    calls.is_final AS usage_final,
    winner.model IS DISTINCT FROM '<synthetic>' AS is_api_call,
    calls.copies,
    winner.path AS winner_path,
    winner.line_no AS winner_line_no
FROM calls
INNER JOIN keyed AS owner ON owner.record_id = calls.owner_id
INNER JOIN keyed AS winner ON winner.record_id = calls.winner_id
