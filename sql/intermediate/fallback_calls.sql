-- fallback_calls: one row per model fallback (copies left out), with the API call that answered.
-- source: accounting.md 4
-- fallback_id: The fallback, as in model_fallbacks.
-- session_id: Session of the fallback.
-- agent: Program that made the call.
-- project: Project of the session.
-- path: File of the fallback.
-- line_no [1-based]: First line of the fallback.
-- occurred_at [UTC]: Time of the fallback.
-- first_model: Model that was asked first.
-- call_id: The call that answered, as in usage; NULL where none of its usage is known.
WITH
chains AS (
    SELECT
        fallback_id,
        arg_min(session_id, hop_index) AS session_id,
        arg_min(agent, hop_index) AS agent,
        arg_min(project, hop_index) AS project,
        arg_min(path, hop_index) AS path,
        min(line_no) AS line_no,
        min(occurred_at) AS occurred_at,
        arg_min(declined_model, hop_index) AS first_model
    FROM fallback_hops
    WHERE NOT is_copy
    GROUP BY fallback_id
),

-- The markers name a call by its request id, else by its message id, else they stand on its line.
keyed AS (
    SELECT
        unnest([request_id, message_id, concat_ws(':', path, line_no, record_no)]) AS fallback_id,
        call_id
    FROM usage
)

SELECT
    chains.fallback_id,
    any_value(chains.session_id) AS session_id,
    any_value(chains.agent) AS agent,
    any_value(chains.project) AS project,
    any_value(chains.path) AS path,
    any_value(chains.line_no) AS line_no,
    any_value(chains.occurred_at) AS occurred_at,
    any_value(chains.first_model) AS first_model,
    min(keyed.call_id) AS call_id
FROM chains
LEFT JOIN keyed ON keyed.fallback_id = chains.fallback_id
GROUP BY chains.fallback_id
