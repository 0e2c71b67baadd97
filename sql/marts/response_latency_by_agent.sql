-- response_latency_by_agent: one row per agent, over all turns and over the first turn of each file.
-- source: parser.md 7.7
-- agent: Program that answered.
-- turns: all, or first: the first turn of each file only.
-- answered [turns]: Turns with a reply.
-- p50_ms [milliseconds]: Median time to the first reply, interpolated.
-- p90_ms [milliseconds]: Ninetieth percentile, likewise.
-- p99_ms [milliseconds]: Ninety-ninth percentile, likewise.
WITH
counted AS (
    SELECT agent, 'all' AS turns, latency_ms FROM response_latency
    UNION ALL
    SELECT agent, 'first', latency_ms FROM response_latency WHERE turn = 1
)

SELECT
    agent,
    turns,
    count(*) AS answered,
    quantile_cont(latency_ms, 0.5) AS p50_ms,
    quantile_cont(latency_ms, 0.9) AS p90_ms,
    quantile_cont(latency_ms, 0.99) AS p99_ms
FROM counted
GROUP BY agent, turns
