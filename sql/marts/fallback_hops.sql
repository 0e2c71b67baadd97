-- fallback_hops: one row per hop of a model fallback of a file: one attempt that was declined.
-- source: parser.md 5.6
-- session_id: Session of the file.
-- agent: Program that wrote the file.
-- project: Project of the file.
-- path: File.
-- line_no [1-based]: First line that shows the hop.
-- fallback_id: The fallback, as in model_fallbacks.
-- hop_index [0-based]: Position of the hop in the chain.
-- is_last_hop: The next attempt is the one that answered.
-- message_ordinal [0-based]: Message that was answered in the end.
-- from_model: Model that declined: its block before its iteration before the system line.
-- to_model: Model that was tried next; likewise.
-- declined_model: Model whose prices the declined attempt has: its iteration's own, else from_model.
-- trigger: What caused the hop; the system line before the block.
-- refusal_category: Category of the refusal; likewise.
-- refusal_explanation: Explanation of the refusal.
-- declined_input_tokens [tokens]: Uncached prompt tokens of the declined attempt; NULL where not observed.
-- declined_output_tokens [tokens]: Its output tokens.
-- declined_cache_write_tokens [tokens]: Prompt tokens it wrote to the cache.
-- declined_cache_write_5m_tokens [tokens]: Part written for five minutes.
-- declined_cache_write_1h_tokens [tokens]: Part written for one hour; NULL where not reported.
-- declined_cache_read_tokens [tokens]: Prompt tokens it read from the cache.
-- declined_observed: The declined counts are measured.
-- speed: standard or fast as written.
-- occurred_at [UTC]: Time of the first line folded into a message that shows the hop, else the first time known.
-- is_copy: An earlier file shows the same fallback.
WITH
shown AS (
    SELECT * FROM fallback_attempts
),

told AS (
    SELECT
        session_id,
        agent,
        path,
        fallback_id,
        from_model,
        bool_or(is_copy) AS is_copy,
        min(line_no) AS line_no,
        arg_max(to_model, position) AS to_model,
        arg_max(trigger, position) AS trigger,
        arg_max(refusal_category, position) AS refusal_category,
        arg_max(refusal_explanation, position) AS refusal_explanation,
        arg_min(occurred_at, position) AS occurred_at
    FROM fallback_markers
    WHERE side = 'system'
    GROUP BY session_id, agent, path, fallback_id, from_model
),

-- A system line belongs to the hop away from its model, else to the first hop; alone it is a hop itself.
placed AS (
    SELECT
        told.session_id,
        told.path,
        told.fallback_id,
        coalesce(
            min(shown.hop_index) FILTER (WHERE shown.from_model = told.from_model), min(shown.hop_index), 0
        ) AS hop_index,
        any_value(told) AS said
    FROM told
    LEFT JOIN shown
        ON shown.session_id = told.session_id
        AND shown.path = told.path
        AND shown.fallback_id = told.fallback_id
    GROUP BY told.session_id, told.path, told.fallback_id, told.from_model
),

reasons AS (
    SELECT
        session_id,
        path,
        fallback_id,
        hop_index,
        arg_min(said, said.line_no) AS said
    FROM placed
    GROUP BY session_id, path, fallback_id, hop_index
),

hops AS (
    SELECT
        coalesce(shown.session_id, reasons.session_id) AS session_id,
        coalesce(shown.agent, reasons.said.agent) AS agent,
        coalesce(shown.path, reasons.path) AS path,
        least(shown.line_no, reasons.said.line_no) AS line_no,
        coalesce(shown.fallback_id, reasons.fallback_id) AS fallback_id,
        CAST(coalesce(shown.hop_index, reasons.hop_index) AS INTEGER) AS hop_index,
        shown.message_ordinal,
        coalesce(shown.from_model, reasons.said.from_model) AS from_model,
        coalesce(shown.to_model, reasons.said.to_model) AS to_model,
        coalesce(shown.declined_model, reasons.said.from_model) AS declined_model,
        coalesce(reasons.said.trigger, shown.trigger) AS trigger,
        coalesce(reasons.said.refusal_category, shown.refusal_category) AS refusal_category,
        reasons.said.refusal_explanation AS refusal_explanation,
        shown.declined,
        shown.speed,
        coalesce(shown.occurred_at, reasons.said.occurred_at) AS occurred_at,
        coalesce(shown.is_copy, reasons.said.is_copy) AS is_copy
    FROM shown
    FULL JOIN reasons
        ON reasons.session_id = shown.session_id
        AND reasons.path = shown.path
        AND reasons.fallback_id = shown.fallback_id
        AND reasons.hop_index = shown.hop_index
)

SELECT
    hops.session_id,
    hops.agent,
    files.project,
    hops.path,
    hops.line_no,
    hops.fallback_id,
    hops.hop_index,
    hops.hop_index = max(hops.hop_index) OVER (PARTITION BY hops.session_id, hops.path, hops.fallback_id) AS is_last_hop,
    hops.message_ordinal,
    hops.from_model,
    hops.to_model,
    hops.declined_model,
    hops.trigger,
    hops.refusal_category,
    hops.refusal_explanation,
    hops.declined.input_tokens AS declined_input_tokens,
    hops.declined.output_tokens AS declined_output_tokens,
    hops.declined.cache_write_tokens AS declined_cache_write_tokens,
    hops.declined.cache_write_5m_tokens AS declined_cache_write_5m_tokens,
    hops.declined.cache_write_1h_tokens AS declined_cache_write_1h_tokens,
    hops.declined.cache_read_tokens AS declined_cache_read_tokens,
    hops.declined IS NOT NULL AS declined_observed,
    hops.speed,
    hops.occurred_at,
    hops.is_copy
FROM hops
LEFT JOIN files ON files.session_id = hops.session_id AND files.path = hops.path
