-- usage: one row per API call, counted once over the whole lake.
-- source: accounting.md 1
-- call_id: The call: message id and request id joined by a colon; see usage_keyed.
-- session_id: Session of the owner: the call's earliest record, of equal ones the original; see usage_owners.
-- agent: Program that wrote the owner.
-- project: Project of the owner's file.
-- path: File of the owner.
-- line_no [1-based]: Line of the owner; NULL where its file was rewritten without it.
-- record_no [0-based]: Which JSON object of a glued line the owner is.
-- day [UTC date]: Day of the owner; prices are those of this day. NULL where no record has a time.
-- occurred_at [UTC]: Time of the owner.
-- agent_type: main for the main conversation, else the sub-agent's type; unknown where no sidecar tells it.
-- agent_id: Sub-agent id of the owner's file; NULL for the main conversation.
-- is_sidechain: The owner lies in a sub-agent's own conversation.
-- prompt_id: Prompt that the call answers; NULL where no line says so.
-- cwd: Working directory of the call.
-- git_branch: Git branch of the call.
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
SELECT
    calls.call_id,
    calls.session_id,
    calls.agent,
    files.project,
    calls.path,
    calls.line_no,
    calls.record_no,
    calls.day,
    calls.occurred_at,
    agent_type_of(files.kind, files.meta_agent_type, calls.is_sidechain) AS agent_type,
    files.agent_id,
    calls.is_sidechain,
    calls.prompt_id,
    calls.cwd,
    calls.git_branch,
    calls.message_id,
    calls.request_id,
    calls.model,
    calls.speed,
    calls.service_tier,
    calls.inference_geo,
    calls.input_tokens,
    calls.output_tokens,
    calls.cache_read_tokens,
    calls.cache_write_tokens,
    calls.cache_write_5m_tokens,
    calls.cache_write_1h_tokens,
    calls.thinking_tokens,
    calls.web_search_requests,
    calls.web_fetch_requests,
    calls.iterations,
    calls.reported_cost_usd,
    calls.usage_final,
    calls.is_api_call,
    calls.copies,
    calls.winner_path,
    calls.winner_line_no
FROM usage_winners AS calls
LEFT JOIN owner_files AS files ON files.session_id = calls.session_id AND files.path = calls.path
