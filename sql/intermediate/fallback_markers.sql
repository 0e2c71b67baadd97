-- fallback_markers: one row per marker and hop on a line, with the fallback it belongs to.
-- source: parser.md 5.4
-- fallback_id: The fallback: the dedup key; where the line has none, its own place, so that it merges with nothing.
-- is_copy: Another file owns the same fallback (fork, resume, copy of a sub-agent), which costs nothing again: the one that owns
--    the answering call, else the earliest.
-- position: Line and record number: the order within the file.
-- session_id: Session of the marker.
-- agent: Program that wrote the file.
-- path: File of the marker.
-- line_no [1-based]: Line of the marker.
-- record_no [0-based]: Which JSON object of a glued line.
-- side: assistant or system.
-- hop_index [0-based]: Position of the hop in the chain of its message.
-- message_ordinal [0-based]: Message that was answered in the end; NULL on system lines.
-- has_block: The line carries a fallback block for this hop.
-- from_model: Model that declined.
-- to_model: Model that was tried next.
-- declined_model: Model whose prices the declined attempt has.
-- serving_model: Model that answered.
-- trigger: What caused it.
-- refusal_category: Category of the refusal.
-- refusal_explanation: Explanation of the refusal.
-- declined_input_tokens [tokens]: Uncached prompt tokens of the declined attempt; NULL where not observed.
-- declined_output_tokens [tokens]: Its output tokens.
-- declined_cache_write_tokens [tokens]: Prompt tokens it wrote to the cache.
-- declined_cache_write_5m_tokens [tokens]: Part written for five minutes.
-- declined_cache_write_1h_tokens [tokens]: Part written for one hour; NULL where not reported.
-- declined_cache_read_tokens [tokens]: Prompt tokens it read from the cache.
-- declined_observed: The declined counts are measured.
-- speed: standard or fast as written.
-- dedup_key: Request id, else message id; NULL where the line names neither.
-- occurred_at [UTC]: Time of the line.
-- is_sidechain: The line belongs to a sub-agent's own conversation.
WITH
keyed AS (
    SELECT
        coalesce(dedup_key, concat_ws(':', path, line_no, record_no, 'gone at ' || superseded_line_no)) AS fallback_id,
        {'line_no': coalesce(line_no, superseded_line_no), 'record_no': record_no} AS position,
        *
    FROM fallbacks
),

-- The file that owns the answering call owns the fallback.
answered AS (
    SELECT id, any_value(path) AS path
    FROM (
        SELECT unnest([request_id, message_id]) AS id, path
        FROM usage_winners
    )
    WHERE id IN (SELECT fallback_id FROM keyed)
    GROUP BY id
),

owned AS (
    SELECT
        keyed.*,
        first_value(keyed.path) OVER (
            PARTITION BY keyed.fallback_id
            ORDER BY
                keyed.path IS DISTINCT FROM answered.path,
                keyed.occurred_at NULLS LAST,
                keyed.path,
                keyed.position
        ) AS owner_path
    FROM keyed
    LEFT JOIN answered ON answered.id = keyed.fallback_id
)

SELECT
    fallback_id,
    path <> owner_path AS is_copy,
    position,
    session_id,
    agent,
    path,
    line_no,
    record_no,
    side,
    hop_index,
    message_ordinal,
    has_block,
    from_model,
    to_model,
    declined_model,
    serving_model,
    trigger,
    refusal_category,
    refusal_explanation,
    declined_input_tokens,
    declined_output_tokens,
    declined_cache_write_tokens,
    declined_cache_write_5m_tokens,
    declined_cache_write_1h_tokens,
    declined_cache_read_tokens,
    declined_observed,
    speed,
    dedup_key,
    occurred_at,
    is_sidechain
FROM owned
