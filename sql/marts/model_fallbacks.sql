-- model_fallbacks: one row per model fallback of a file: what its lines say, merged.
-- source: parser.md 5.4
-- session_id: Session of the file.
-- agent: Program that wrote the file.
-- project: Project of the file.
-- path: File; fallbacks never merge across files.
-- line_no [1-based]: First line that shows the fallback.
-- fallback_id: The dedup key; where the lines have none, the place of the one line.
-- dedup_key: Request id, else message id; NULL where the line names neither, and then nothing was merged.
-- message_ordinal [0-based]: Message that was answered in the end; NULL while only a system line tells of it.
-- from_model: Model that declined first, as its first block says, else the last declined attempt; the assistant side
--    before the system side, whichever was written first.
-- to_model: Model it fell back to, as its first block says, else the one that answered.
-- serving_model: Model that answered.
-- trigger: What caused it; the system side before the block.
-- refusal_category: Category of the refusal; likewise.
-- refusal_explanation: Explanation of the refusal.
-- declined_input_tokens [tokens]: Uncached prompt tokens of all declined attempts; NULL where not observed.
-- declined_output_tokens [tokens]: Their output tokens.
-- declined_cache_write_tokens [tokens]: Prompt tokens they wrote to the cache.
-- declined_cache_read_tokens [tokens]: Prompt tokens they read from the cache.
-- declined_observed: Some line lists the attempts; zeros are then measured zeros.
-- occurred_at [UTC]: Time of the first line that was folded into a message, else the first time known.
-- is_copy: An earlier file shows the same fallback.
WITH
-- What one line says as a whole.
lines AS (
    SELECT
        session_id,
        agent,
        path,
        fallback_id,
        line_no,
        side,
        position,
        any_value(dedup_key) AS dedup_key,
        any_value(is_copy) AS is_copy,
        any_value(message_ordinal) AS message_ordinal,
        any_value(occurred_at) AS occurred_at,
        coalesce(arg_min(from_model, hop_index) FILTER (WHERE has_block), arg_max(from_model, hop_index)) AS from_model,
        coalesce(
            arg_min(to_model, hop_index) FILTER (WHERE has_block),
            any_value(serving_model),
            arg_max(to_model, hop_index)
        ) AS to_model,
        any_value(serving_model) AS serving_model,
        arg_min(trigger, hop_index) AS trigger,
        arg_min(refusal_category, hop_index) AS refusal_category,
        arg_min(refusal_explanation, hop_index) AS refusal_explanation,
        CASE
            WHEN bool_or(declined_observed)
                THEN {
                    'input_tokens': sum(declined_input_tokens),
                    'output_tokens': sum(declined_output_tokens),
                    'cache_write_tokens': sum(declined_cache_write_tokens),
                    'cache_read_tokens': sum(declined_cache_read_tokens)
                }
        END AS declined
    FROM fallback_markers
    GROUP BY session_id, agent, path, fallback_id, line_no, side, position
),

-- Later lines overwrite earlier ones, but neither side depends on whether the other came first.
merged AS (
    SELECT
        session_id,
        agent,
        path,
        fallback_id,
        min(line_no) AS line_no,
        any_value(dedup_key) AS dedup_key,
        bool_or(is_copy) AS is_copy,
        arg_min(message_ordinal, position) AS message_ordinal,
        coalesce(
            arg_max(from_model, position) FILTER (WHERE side = 'assistant'), arg_max(from_model, position)
        ) AS from_model,
        coalesce(
            arg_max(to_model, position) FILTER (WHERE side = 'assistant'), arg_max(to_model, position)
        ) AS to_model,
        arg_max(serving_model, position) AS serving_model,
        coalesce(arg_max(trigger, position) FILTER (WHERE side = 'system'), arg_max(trigger, position)) AS trigger,
        coalesce(
            arg_max(refusal_category, position) FILTER (WHERE side = 'system'), arg_max(refusal_category, position)
        ) AS refusal_category,
        arg_max(refusal_explanation, position) AS refusal_explanation,
        arg_max(declined, position) AS declined,
        coalesce(
            arg_min(occurred_at, position) FILTER (WHERE message_ordinal IS NOT NULL), arg_min(occurred_at, position)
        ) AS occurred_at
    FROM lines
    GROUP BY session_id, agent, path, fallback_id
)

SELECT
    merged.session_id,
    merged.agent,
    files.project,
    merged.path,
    merged.line_no,
    merged.fallback_id,
    merged.dedup_key,
    merged.message_ordinal,
    merged.from_model,
    merged.to_model,
    merged.serving_model,
    merged.trigger,
    merged.refusal_category,
    merged.refusal_explanation,
    TRY_CAST(merged.declined.input_tokens AS BIGINT) AS declined_input_tokens,
    TRY_CAST(merged.declined.output_tokens AS BIGINT) AS declined_output_tokens,
    TRY_CAST(merged.declined.cache_write_tokens AS BIGINT) AS declined_cache_write_tokens,
    TRY_CAST(merged.declined.cache_read_tokens AS BIGINT) AS declined_cache_read_tokens,
    merged.declined IS NOT NULL AS declined_observed,
    merged.occurred_at,
    merged.is_copy
FROM merged
LEFT JOIN files ON files.session_id = merged.session_id AND files.path = merged.path
