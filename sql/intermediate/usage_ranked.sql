-- usage_ranked: one row per usage record, with its call's owner, and its rank among the call's records.
-- source: accounting.md 1
-- call_id: The call, as in usage_keyed.
-- position [1-based]: Place of the record among all of the lake, as in usage_keyed.
-- session_id: Session the record lies in.
-- agent: Program that wrote the file.
-- path: File of the record.
-- line_no [1-based]: Line of the record.
-- record_no [0-based]: Which JSON object of a glued line.
-- source_index [0-based]: Position among several usage records of one line.
-- message_id: API message id; NULL also where it is empty.
-- request_id: API request id; NULL also where it is empty.
-- is_progress: The record is a copy on a progress line.
-- model: Model of the line as written.
-- occurred_at [UTC]: Time of the line.
-- is_sidechain: The line belongs to a sub-agent's own conversation; false where the line does not say.
-- usage_final: The line carries a stop reason.
-- input_tokens [tokens]: Uncached prompt tokens.
-- output_tokens [tokens]: Output tokens.
-- cache_read_tokens [tokens]: Prompt tokens read from the cache.
-- cache_write_tokens [tokens]: Prompt tokens written to the cache.
-- cache_write_5m_tokens [tokens]: Part written for five minutes.
-- cache_write_1h_tokens [tokens]: Part written for one hour.
-- thinking_tokens [tokens]: Thinking part of the output.
-- speed: standard or fast as written.
-- service_tier: Service tier as written.
-- inference_geo: Inference region as written.
-- web_search_requests [requests]: Web searches the server made.
-- web_fetch_requests [requests]: Web fetches the server made.
-- iterations: The attempts and side calls behind the record.
-- reported_cost_usd [USD]: Cost the client wrote on the line.
-- owner: The call's earliest record: session_id, agent, path, line_no, record_no, occurred_at and is_sidechain.
-- copies [records]: Number of records of the call.
-- call_final: Some record of the call carries a stop reason.
-- rank [1-based]: 1 for the record that counts: copies on progress lines last, outside sidechains before inside, then
--    the largest output, then in the owner's file, then the last.
-- winner: The record of rank 1: session_id, path, line_no, is_sidechain and is_progress.
WITH
calls AS (
    SELECT
        *,
        first_value({
            'session_id': session_id,
            'agent': agent,
            'path': path,
            'line_no': line_no,
            'record_no': record_no,
            'occurred_at': occurred_at,
            'is_sidechain': is_sidechain
        }) OVER (PARTITION BY call_id ORDER BY position) AS owner,
        count(*) OVER (PARTITION BY call_id) AS copies,
        bool_or(coalesce(usage_final, false)) OVER (PARTITION BY call_id) AS call_final
    FROM usage_keyed
)

SELECT
    call_id,
    position,
    session_id,
    agent,
    path,
    line_no,
    record_no,
    source_index,
    message_id,
    request_id,
    is_progress,
    model,
    occurred_at,
    is_sidechain,
    usage_final,
    input_tokens,
    output_tokens,
    cache_read_tokens,
    cache_write_tokens,
    cache_write_5m_tokens,
    cache_write_1h_tokens,
    thinking_tokens,
    speed,
    service_tier,
    inference_geo,
    web_search_requests,
    web_fetch_requests,
    iterations,
    reported_cost_usd,
    owner,
    copies,
    call_final,
    row_number() OVER best_first AS rank,
    first_value({
        'session_id': session_id,
        'path': path,
        'line_no': line_no,
        'is_sidechain': is_sidechain,
        'is_progress': is_progress
    }) OVER best_first AS winner
FROM calls
WINDOW best_first AS (
    PARTITION BY call_id
    ORDER BY is_progress, is_sidechain, output_tokens DESC NULLS LAST, path = owner.path DESC, position DESC
)
