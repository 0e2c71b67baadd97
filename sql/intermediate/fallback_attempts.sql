-- fallback_attempts: one row per hop of a fallback of a file, as far as assistant lines tell of it.
-- source: parser.md 5.6
-- session_id: Session of the file.
-- agent: Program that wrote the file.
-- path: File.
-- fallback_id: The fallback, as in fallback_markers.
-- hop_index [0-based]: Position of the hop in the chain.
-- is_copy: An earlier file shows the same fallback.
-- line_no [1-based]: First line that shows the hop.
-- message_ordinal [0-based]: Message that was answered in the end.
-- from_model: Model that declined: its block before its iteration.
-- to_model: Model that was tried next; likewise.
-- declined_model: Model whose prices the declined attempt has.
-- trigger: What caused the hop, as its block says.
-- refusal_category: Category of the refusal, likewise.
-- declined: The declined attempt's input_tokens, output_tokens, cache_write_tokens, cache_write_5m_tokens,
--    cache_write_1h_tokens and cache_read_tokens; NULL where not observed.
-- speed: standard or fast as written.
-- occurred_at [UTC]: Time of the first line that shows the hop.
SELECT
    session_id,
    agent,
    path,
    fallback_id,
    hop_index,
    bool_or(is_copy) AS is_copy,
    min(line_no) AS line_no,
    arg_min(message_ordinal, position) AS message_ordinal,
    coalesce(arg_min(from_model, position) FILTER (WHERE has_block), arg_min(from_model, position)) AS from_model,
    coalesce(arg_min(to_model, position) FILTER (WHERE has_block), arg_min(to_model, position)) AS to_model,
    coalesce(
        arg_max(declined_model, position) FILTER (WHERE declined_observed), arg_min(declined_model, position)
    ) AS declined_model,
    arg_min(trigger, position) AS trigger,
    arg_min(refusal_category, position) AS refusal_category,
    arg_max({
        'input_tokens': declined_input_tokens,
        'output_tokens': declined_output_tokens,
        'cache_write_tokens': declined_cache_write_tokens,
        'cache_write_5m_tokens': declined_cache_write_5m_tokens,
        'cache_write_1h_tokens': declined_cache_write_1h_tokens,
        'cache_read_tokens': declined_cache_read_tokens
    }, position) FILTER (WHERE declined_observed) AS declined,
    arg_max(speed, position) AS speed,
    arg_min(occurred_at, position) AS occurred_at
FROM fallback_markers
WHERE side = 'assistant'
GROUP BY session_id, agent, path, fallback_id, hop_index
