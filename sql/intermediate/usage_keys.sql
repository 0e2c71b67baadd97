-- usage_keys: one row per usage record, with the key that it bears by itself.
-- source: accounting.md 1
-- own_key: What the record says of its call by itself; usage_keyed tells which of them turn out to be copies.
-- answer: The answer that a record without a request id belongs to; NULL where its ids say all.
-- replay_of: Threads whose counts the file may begin with, nearest first (Codex).
-- counts_key: Running total and last usage of a token count (Codex).
-- place_no [1-based]: Line of the record, of a superseded one the line it stood on.
-- session_id: Session the record lies in.
-- agent: Program that wrote the file.
-- path: File of the record.
-- line_no [1-based]: Line of the record; NULL where the file was rewritten without it.
-- record_no [0-based]: Which JSON object of a glued line.
-- source_index [0-based]: Position among several usage records of one line.
-- is_superseded: The file was rewritten without the record; its tokens were spent all the same.
-- message_id: API message id; NULL also where it is empty.
-- request_id: API request id; NULL also where it is empty.
-- uuid: Id of the entry.
-- forked_from_session_id: Session that the line says it was copied from.
-- is_progress: The record is a copy on a progress line, which counts only where no other record of the call exists.
-- is_usage_record: The record stands for one request, and its numbers win (Codex).
-- model: Model of the line as written.
-- occurred_at [UTC]: Time of the line.
-- is_sidechain: The line belongs to a sub-agent's own conversation; false where the line does not say.
-- prompt_id: Prompt that the call answers.
-- cwd: Working directory.
-- git_branch: Git branch.
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
WITH
records AS (
    SELECT
        * REPLACE (
            nullif(message_id, '') AS message_id,
            nullif(request_id, '') AS request_id,
            coalesce(is_sidechain, false) AS is_sidechain,
            coalesce(record_no, 0) AS record_no,
            coalesce(source_index, 0) AS source_index
        ),
        coalesce(line_no, superseded_line_no) AS place_no,
        superseded_at IS NOT NULL AS is_superseded,
        coalesce(carrier = 'progress', false) AS is_progress,
        coalesce(carrier = 'usage_record', false) AS is_usage_record
    FROM token_usage
),

-- An answer is named by the uuid of its first line; where there is none, by the file and the line's number.
answered AS (
    SELECT
        *,
        CASE
            WHEN message_id IS NULL THEN NULL
            WHEN answer_key IS NULL THEN CASE WHEN request_id IS NULL THEN path END
            WHEN regexp_matches(answer_key, '^[0-9]+(@|$)') THEN concat_ws(':', path, answer_key)
            ELSE answer_key
        END AS answer
    FROM records
)

SELECT
    CASE
        WHEN agent <> 'claude' THEN coalesce(dedup_key, concat_ws(':', path, place_no, record_no, source_index))
        WHEN message_id IS NOT NULL AND request_id IS NOT NULL THEN concat(message_id, ':', request_id)
        WHEN message_id IS NOT NULL THEN concat(message_id, '@', answer)
        WHEN request_id IS NOT NULL THEN concat(':', request_id)
        ELSE concat_ws(':', path, place_no, record_no, source_index)
    END AS own_key,
    answer,
    replay_of,
    counts_key,
    place_no,
    session_id,
    agent,
    path,
    line_no,
    record_no,
    source_index,
    is_superseded,
    message_id,
    request_id,
    uuid,
    forked_from_session_id,
    is_progress,
    is_usage_record,
    model,
    occurred_at,
    is_sidechain,
    prompt_id,
    cwd,
    git_branch,
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
    reported_cost_usd
FROM answered
