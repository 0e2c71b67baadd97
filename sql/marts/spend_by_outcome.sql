-- spend_by_outcome: one row per outcome of a transcript, with what the transcripts that ended so cost.
-- source: parser.md 7.7
-- outcome: completed, abandoned, errored or unknown, as in session_quality; NULL for calls of files without messages.
-- transcripts [files]: Transcripts with calls that ended so.
-- calls [calls]: API calls they own.
-- unpriced_calls [calls]: Calls and advisor iterations without a price.
-- cost_usd [USD]: Cost of the priced calls; NULL when none is priced.
SELECT
    quality.outcome,
    count(DISTINCT ROW(costs.session_id, costs.path)) AS transcripts,
    count(*) FILTER (WHERE costs.part_of IS NULL) AS calls,
    count(*) FILTER (WHERE NOT costs.priced) AS unpriced_calls,
    CAST(sum(costs.cost_usd) AS DECIMAL(38, 15)) AS cost_usd
FROM costs
LEFT JOIN session_quality AS quality ON quality.session_id = costs.session_id AND quality.path = costs.path
WHERE costs.is_api_call
GROUP BY quality.outcome
