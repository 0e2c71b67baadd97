-- costs: one row per API call, and one per advisor or compaction iteration beside its call.
-- source: accounting.md 3
-- call_id: The call as in usage; an iteration adds #advisor or #compaction and its position.
-- part_of: The call that an iteration belongs to; NULL for calls.
-- part: advisor or compaction; NULL for calls.
-- session_id: Session of the call.
-- agent: Program that made the call.
-- project: Project of the call.
-- path: File that owns the call.
-- line_no [1-based]: Line of its first record there; NULL where the file was rewritten without it.
-- day [UTC date]: Day whose prices apply; an undated call has the first known prices.
-- occurred_at [UTC]: Time of the call.
-- agent_type: main or the sub-agent's type, as in usage.
-- prompt_id: Prompt that the call answers.
-- cwd: Working directory of the call.
-- git_branch: Git branch of the call.
-- model: Model as written: the call's, or the advisor's own; a compaction is billed at the call's.
-- provider: Whose price list was used; NULL when nobody's.
-- price_model_id: Model in that price list.
-- model_id: The model's one name, however it is spelt.
-- speed: standard or fast; an advisor iteration is priced as standard (assumed).
-- service_tier: Service tier as written: priority, fast, flex and batch have tariffs of their own.
-- inference_geo: Inference region as written.
-- is_api_call: False for <synthetic> messages, which cost nothing and are counted nowhere.
-- usage_final: False when the output may be partial.
-- input_tokens [tokens]: Uncached prompt tokens.
-- output_tokens [tokens]: Output tokens.
-- cache_read_tokens [tokens]: Prompt tokens read from the cache.
-- cache_write_5m_tokens [tokens]: Prompt tokens billed as five-minute writes: all that are not one-hour writes.
-- cache_write_1h_tokens [tokens]: Prompt tokens billed as one-hour writes.
-- web_search_requests [requests]: Web searches billed.
-- cost_usd [USD]: Sum of the parts; NULL when unpriced, never 0 instead.
-- input_usd [USD]: Uncached prompt tokens.
-- output_usd [USD]: Output tokens.
-- cache_read_usd [USD]: Cache reads.
-- cache_write_5m_usd [USD]: Five-minute cache writes.
-- cache_write_1h_usd [USD]: One-hour cache writes.
-- web_search_usd [USD]: Web searches.
-- priced: Every part that occurs has a price.
-- unpriced_reason: Why there is no price; NULL when there is one.
SELECT
    items.call_id,
    items.part_of,
    items.part,
    items.session_id,
    items.agent,
    files.project,
    items.path,
    items.line_no,
    items.day,
    items.occurred_at,
    agent_type_of(files.kind, files.meta_agent_type, items.is_sidechain) AS agent_type,
    items.prompt_id,
    items.cwd,
    items.git_branch,
    items.model,
    items.provider,
    items.price_model_id,
    items.model_id,
    items.speed,
    items.service_tier,
    items.inference_geo,
    items.is_api_call,
    items.usage_final,
    items.input_tokens,
    items.output_tokens,
    items.cache_read_tokens,
    items.cache_write_5m_tokens,
    items.cache_write_1h_tokens,
    items.web_search_requests,
    items.cost_usd,
    items.input_usd,
    items.output_usd,
    items.cache_read_usd,
    items.cache_write_5m_usd,
    items.cache_write_1h_usd,
    items.web_search_usd,
    items.priced,
    items.unpriced_reason
FROM priced('call_items') AS items
LEFT JOIN owner_files AS files ON files.session_id = items.session_id AND files.path = items.path
