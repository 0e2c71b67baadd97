-- turn_usage: one row per assistant turn with usage: what its calls say, and what those it owns cost.
-- source: parser.md 7.6, accounting.md 1
-- session_id: Session of the turn.
-- path: File of the turn.
-- message_ordinal [0-based]: The turn.
-- thinking_tokens [tokens]: Exact thinking tokens, each call by its record with the largest output; NULL where none is reported.
-- calls [calls]: Calls the turn owns: 0 for a turn that a fork or another file repeats.
-- output_tokens [tokens]: Output tokens of those calls.
-- output_rate [USD per million tokens]: Price of an output token of those calls; NULL where one of them has no price.
-- cost_usd [USD]: Cost of those calls; NULL where none has a price.
WITH
records AS (
    SELECT
        session_id,
        path,
        message_ordinal,
        line_no,
        coalesce(record_no, 0) AS record_no,
        coalesce(dedup_key, concat_ws(':', line_no, record_no, source_index)) AS call_key,
        thinking_tokens,
        ROW(coalesce(output_tokens, 0), line_no, record_no, source_index) AS largest
    FROM token_usage
    WHERE message_ordinal IS NOT NULL
),

winners AS (
    SELECT
        session_id,
        path,
        message_ordinal,
        arg_max_null(thinking_tokens, largest) AS thinking_tokens
    FROM records
    GROUP BY session_id, path, message_ordinal, call_key
),

reported AS (
    SELECT session_id, path, message_ordinal, CAST(sum(thinking_tokens) AS BIGINT) AS thinking_tokens
    FROM winners
    GROUP BY session_id, path, message_ordinal
),

owned AS (
    SELECT
        records.session_id,
        records.path,
        records.message_ordinal,
        count(*) AS calls,
        TRY_CAST(sum(priced.output_tokens) AS BIGINT) AS output_tokens,
        CASE WHEN bool_and(priced.priced) THEN max(priced.output_rate) END AS output_rate,
        CAST(sum(priced.cost_usd) AS DECIMAL(38, 15)) AS cost_usd
    FROM priced('call_items') AS priced
    INNER JOIN records
        ON records.session_id = priced.session_id
        AND records.path = priced.path
        AND records.line_no = priced.line_no
        AND records.record_no = priced.record_no
    WHERE priced.part_of IS NULL AND priced.is_api_call
    GROUP BY records.session_id, records.path, records.message_ordinal
)

SELECT
    reported.session_id,
    reported.path,
    reported.message_ordinal,
    reported.thinking_tokens,
    coalesce(owned.calls, 0) AS calls,
    owned.output_tokens,
    owned.output_rate,
    owned.cost_usd
FROM reported
LEFT JOIN owned
    ON owned.session_id = reported.session_id
    AND owned.path = reported.path
    AND owned.message_ordinal = reported.message_ordinal
