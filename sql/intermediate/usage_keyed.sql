-- usage_keyed: one row per usage record, with the API call it belongs to.
-- source: accounting.md 1
-- call_id: The call: message id and request id joined by a colon; the message id alone where no record of it has a
--    request id; a colon and the request id without a message id; with neither, dedup_key
--    (Codex, pi), else the record's own place.
-- position [1-based]: Place of the record among all of the lake: copies on progress lines last, then by time (unknown
--    last), path and line.
-- session_id: Session the record lies in.
-- agent: Program that wrote the file.
-- path: File of the record.
-- line_no [1-based]: Line of the record.
-- record_no [0-based]: Which JSON object of a glued line.
-- source_index [0-based]: Position among several usage records of one line.
-- message_id: API message id; NULL also where it is empty.
-- request_id: API request id; NULL also where it is empty.
-- is_progress: The record is a copy on a progress line, which counts only where no other record of the call exists.
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
WITH
records AS (
    SELECT
        * EXCLUDE (message_id, request_id, is_sidechain, record_no, source_index),
        nullif(message_id, '') AS message_id,
        nullif(request_id, '') AS request_id,
        coalesce(is_sidechain, false) AS is_sidechain,
        coalesce(record_no, 0) AS record_no,
        coalesce(source_index, 0) AS source_index,
        coalesce(carrier = 'progress', false) AS is_progress,
        row_number() OVER (
            ORDER BY coalesce(carrier = 'progress', false), occurred_at NULLS LAST, path, line_no, record_no, source_index
        ) AS position
    FROM token_usage
),

-- A record without a request id, or on a sidechain line, joins the message's main request: the first one outside
-- sidechains, else the first.
main_requests AS (
    SELECT
        message_id,
        coalesce(
            arg_min(request_id, position) FILTER (WHERE NOT is_sidechain),
            arg_min(request_id, position)
        ) AS request_id
    FROM records
    WHERE message_id IS NOT NULL AND request_id IS NOT NULL
    GROUP BY message_id
)

SELECT
    CASE
        WHEN records.message_id IS NOT NULL
            THEN concat_ws(
                ':',
                records.message_id,
                CASE
                    WHEN records.is_sidechain OR records.request_id IS NULL THEN main_requests.request_id
                    ELSE records.request_id
                END
            )
        WHEN records.request_id IS NOT NULL THEN concat(':', records.request_id)
        WHEN records.dedup_key IS NOT NULL THEN records.dedup_key
        ELSE concat_ws(':', records.path, records.line_no, records.record_no, records.source_index)
    END AS call_id,
    records.position,
    records.session_id,
    records.agent,
    records.path,
    records.line_no,
    records.record_no,
    records.source_index,
    records.message_id,
    records.request_id,
    records.is_progress,
    records.model,
    records.occurred_at,
    records.is_sidechain,
    records.usage_final,
    records.input_tokens,
    records.output_tokens,
    records.cache_read_tokens,
    records.cache_write_tokens,
    records.cache_write_5m_tokens,
    records.cache_write_1h_tokens,
    records.thinking_tokens,
    records.speed,
    records.service_tier,
    records.inference_geo,
    records.web_search_requests,
    records.web_fetch_requests,
    records.iterations,
    records.reported_cost_usd
FROM records
LEFT JOIN main_requests ON main_requests.message_id = records.message_id
