-- thinking_by_session: one row per session with messages.
-- source: parser.md 7.6
-- session_id: The session, its sub-agents included.
-- agent: Program that wrote it.
-- project: Project of the session.
-- assistant_turns [turns]: Assistant turns of the session; NULL, as all that follow, where it has none.
-- thinking_turns [turns]: Those that thought.
-- coverage: Thinking turns by assistant turns.
-- reported_turns [turns]: Thinking turns whose tokens are exact; the others are estimated from bytes.
-- thinking_bytes [UTF-8 bytes]: Weight of all thinking.
-- thinking_plain_bytes [UTF-8 bytes]: Part in plain text.
-- thinking_signature_bytes [UTF-8 bytes]: Part in signatures.
-- thinking_redacted_bytes [UTF-8 bytes]: Part in redacted_thinking data.
-- thinking_encrypted_bytes [UTF-8 bytes]: Part in encrypted_content.
-- thinking_tokens [tokens]: Thinking tokens of all turns, rounded.
-- tail_tokens [tokens]: Mean of the weightiest tenth of the thinking turns (at least one), rounded; 0 when none thought.
-- peak_tokens [tokens]: Weightiest turn, rounded.
-- band: Band of tail_tokens, as in thinking_band.
-- thinking_usd [USD]: Cost of the thinking in the calls that the turns own.
-- cost_usd [USD]: Cost of all calls the session owns; NULL when none is priced.
-- share_of_cost: thinking_usd by cost_usd.
WITH
turns AS (
    SELECT
        session_id,
        count(*) AS assistant_turns,
        count(*) FILTER (WHERE has_thinking) AS thinking_turns,
        count(*) FILTER (WHERE basis = 'reported') AS reported_turns,
        TRY_CAST(sum(thinking_bytes) AS BIGINT) AS thinking_bytes,
        TRY_CAST(sum(thinking_plain_bytes) AS BIGINT) AS thinking_plain_bytes,
        TRY_CAST(sum(thinking_signature_bytes) AS BIGINT) AS thinking_signature_bytes,
        TRY_CAST(sum(thinking_redacted_bytes) AS BIGINT) AS thinking_redacted_bytes,
        TRY_CAST(sum(thinking_encrypted_bytes) AS BIGINT) AS thinking_encrypted_bytes,
        TRY_CAST(round(sum(thinking_tokens)) AS BIGINT) AS thinking_tokens,
        coalesce(list(thinking_tokens ORDER BY thinking_tokens DESC) FILTER (WHERE has_thinking), []) AS weights,
        CAST(sum(thinking_usd) AS DECIMAL(38, 15)) AS thinking_usd
    FROM thinking_weight
    GROUP BY session_id
),

weighed AS (
    SELECT
        * EXCLUDE (weights),
        TRY_CAST(
            round(coalesce(list_avg(list_slice(weights, 1, greatest(1, CAST(ceil(thinking_turns / 10.0) AS INTEGER)))), 0))
            AS BIGINT
        ) AS tail_tokens,
        TRY_CAST(round(coalesce(list_max(weights), 0)) AS BIGINT) AS peak_tokens
    FROM turns
),

spent AS (
    SELECT session_id, CAST(sum(cost_usd) AS DECIMAL(38, 15)) AS cost_usd
    FROM costs
    WHERE is_api_call
    GROUP BY session_id
),

known AS (
    SELECT
        messages.session_id,
        min(messages.agent) AS agent,
        arg_min(files.project, ROW(files.kind <> 'main', messages.path)) AS project
    FROM messages
    LEFT JOIN files ON files.session_id = messages.session_id AND files.path = messages.path
    GROUP BY messages.session_id
)

SELECT
    known.session_id,
    known.agent,
    known.project,
    weighed.assistant_turns,
    weighed.thinking_turns,
    weighed.thinking_turns / weighed.assistant_turns AS coverage,
    weighed.reported_turns,
    weighed.thinking_bytes,
    weighed.thinking_plain_bytes,
    weighed.thinking_signature_bytes,
    weighed.thinking_redacted_bytes,
    weighed.thinking_encrypted_bytes,
    weighed.thinking_tokens,
    weighed.tail_tokens,
    weighed.peak_tokens,
    thinking_band(weighed.tail_tokens, weighed.thinking_turns > 0) AS band,
    weighed.thinking_usd,
    spent.cost_usd,
    weighed.thinking_usd / nullif(spent.cost_usd, 0) AS share_of_cost
FROM known
LEFT JOIN weighed ON weighed.session_id = known.session_id
LEFT JOIN spent ON spent.session_id = known.session_id
