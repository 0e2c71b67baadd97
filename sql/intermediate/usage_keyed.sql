-- usage_keyed: one row per usage record, with the API call it belongs to.
-- source: accounting.md 1
-- record_id: Number of the record within one query.
-- call_id: The call: message id and request id joined by a colon; message id, @ and its answer where no record of it
--    has a request id; a colon and the request id without a message id; for Codex and pi the key of usage_keys.
-- rule: What tells the call: request (message and request id), answer (lines that continue each other, without a
--    request id), uuid, time or message (a copy, known by the entry's id, by session, message id and time, or as the
--    only call of that message id in its session), count or response (Codex), entry (pi), replay, unnamed_replay or
--    absent_parent (Codex: counts of another thread that the file begins with), line (nothing but its own place).
-- is_copy_line: The line says that it was copied, or its counts are a replay.
-- replay_of: Threads whose counts the file may begin with, nearest first (Codex).
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
keys AS MATERIALIZED (
    SELECT * FROM usage_keys
),

copies AS (
    SELECT own_key, call_id, rule FROM answer_copies('keys')
    UNION ALL
    SELECT own_key, call_id, rule FROM replayed_counts('keys')
)

SELECT
    row_number() OVER () AS record_id,
    coalesce(copies.call_id, keys.own_key) AS call_id,
    CASE
        WHEN copies.rule IS NOT NULL THEN copies.rule
        WHEN keys.agent = 'claude' AND keys.request_id IS NOT NULL THEN 'request'
        WHEN keys.message_id IS NOT NULL AND keys.agent = 'claude' THEN 'answer'
        WHEN starts_with(keys.own_key, 'codex:response:') THEN 'response'
        WHEN starts_with(keys.own_key, 'codex:') THEN 'count'
        WHEN starts_with(keys.own_key, 'pi:') THEN 'entry'
        ELSE 'line'
    END AS rule,
    keys.forked_from_session_id IS NOT NULL
    OR coalesce(copies.rule IN ('replay', 'unnamed_replay', 'absent_parent'), false) AS is_copy_line,
    keys.replay_of,
    keys.place_no,
    keys.session_id,
    keys.agent,
    keys.path,
    keys.line_no,
    keys.record_no,
    keys.source_index,
    keys.is_superseded,
    keys.message_id,
    keys.request_id,
    keys.uuid,
    keys.forked_from_session_id,
    keys.is_progress,
    keys.is_usage_record,
    keys.model,
    keys.occurred_at,
    keys.is_sidechain,
    keys.prompt_id,
    keys.cwd,
    keys.git_branch,
    keys.usage_final,
    keys.input_tokens,
    keys.output_tokens,
    keys.cache_read_tokens,
    keys.cache_write_tokens,
    keys.cache_write_5m_tokens,
    keys.cache_write_1h_tokens,
    keys.thinking_tokens,
    keys.speed,
    keys.service_tier,
    keys.inference_geo,
    keys.web_search_requests,
    keys.web_fetch_requests,
    keys.iterations,
    keys.reported_cost_usd
FROM keys
LEFT JOIN copies ON copies.own_key = keys.own_key
