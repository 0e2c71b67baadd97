-- thinking_weight: one row per assistant turn: how much of it was thinking.
-- source: parser.md 2, 7.6
-- session_id: Session of the turn.
-- agent: Program that wrote it.
-- project: Project of the file.
-- path: File.
-- line_no [1-based]: First line of the turn.
-- ordinal [0-based]: The turn, as in messages.
-- occurred_at [UTC]: Time of its first line.
-- model: Model of the turn.
-- is_sidechain: The turn belongs to a sub-agent's own conversation.
-- has_thinking: A thinking block was present, whether or not its text was kept.
-- thinking_bytes [UTF-8 bytes]: Weight of all thinking: the sum of the next four.
-- thinking_plain_bytes [UTF-8 bytes]: Part in plain text.
-- thinking_signature_bytes [UTF-8 bytes]: Part in signatures.
-- thinking_redacted_bytes [UTF-8 bytes]: Part in redacted_thinking data.
-- thinking_encrypted_bytes [UTF-8 bytes]: Part in encrypted_content.
-- reported_tokens [tokens]: Exact thinking tokens the usage reports; NULL where it reports none.
-- thinking_tokens [tokens]: reported_tokens where above 0, else thinking_bytes by the factor of thinking_factors.
-- basis: reported, estimated, or none where the turn did not think.
-- band: off, low, medium, high or xhigh, as in thinking_band.
-- calls [calls]: API calls the turn owns; 0 where a fork or another file repeats it.
-- output_tokens [tokens]: Output tokens of those calls, thinking included.
-- cost_usd [USD]: Cost of those calls.
-- thinking_usd [USD]: Thinking tokens, as far as they fit into output_tokens, at the price of output; NULL without own or priced calls.
WITH
turns AS (
    SELECT
        messages.*,
        files.project,
        usage.calls,
        usage.output_tokens,
        usage.output_rate,
        usage.cost_usd,
        usage.thinking_tokens AS reported_tokens,
        coalesce(usage.thinking_tokens, 0) > 0 AS is_reported,
        CASE
            WHEN usage.thinking_tokens > 0 THEN CAST(usage.thinking_tokens AS DOUBLE)
            ELSE messages.thinking_bytes / coalesce(own.bytes_per_token, other.bytes_per_token)
        END AS tokens
    FROM messages
    LEFT JOIN files ON files.session_id = messages.session_id AND files.path = messages.path
    LEFT JOIN turn_usage AS usage
        ON usage.session_id = messages.session_id
        AND usage.path = messages.path
        AND usage.message_ordinal = messages.ordinal
    LEFT JOIN thinking_factors AS own ON own.agent = messages.agent
    LEFT JOIN thinking_factors AS other ON other.agent = 'other'
    WHERE messages.role = 'assistant'
)

SELECT
    session_id,
    agent,
    project,
    path,
    line_no,
    ordinal,
    timestamp AS occurred_at,
    model,
    is_sidechain,
    has_thinking,
    thinking_bytes,
    thinking_plain_bytes,
    thinking_signature_bytes,
    thinking_redacted_bytes,
    thinking_encrypted_bytes,
    reported_tokens,
    tokens AS thinking_tokens,
    CASE
        WHEN is_reported THEN 'reported'
        WHEN has_thinking THEN 'estimated'
        ELSE 'none'
    END AS basis,
    thinking_band(tokens, has_thinking OR is_reported) AS band,
    coalesce(calls, 0) AS calls,
    output_tokens,
    cost_usd,
    CAST(CAST(least(tokens, output_tokens) AS DECIMAL(18, 3)) * output_rate * 0.000001 AS DECIMAL(38, 15))
        AS thinking_usd
FROM turns
