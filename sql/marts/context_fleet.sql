-- context_fleet: one row per agent: how large contexts grow over all its transcripts.
-- source: parser.md 7.5
-- agent: Program that wrote them.
-- transcripts [files]: Transcripts with usage.
-- p50_peak_tokens [tokens]: Median of the peaks, a peak that occurred.
-- p90_peak_tokens [tokens]: Ninetieth percentile, likewise.
-- max_peak_tokens [tokens]: Largest peak.
-- resets [records]: Resets of all of them.
-- transcripts_with_reset [files]: Transcripts with at least one.
-- histogram [files]: Transcripts by peak_bin.
WITH
binned AS (
    SELECT agent, peak_bin, count(*) AS transcripts
    FROM context_health
    GROUP BY agent, peak_bin
),

bins AS (
    SELECT agent, map_from_entries(list({'key': peak_bin, 'value': transcripts} ORDER BY peak_bin)) AS histogram
    FROM binned
    GROUP BY agent
)

SELECT
    health.agent,
    count(*) AS transcripts,
    quantile_disc(health.peak_tokens, 0.5) AS p50_peak_tokens,
    quantile_disc(health.peak_tokens, 0.9) AS p90_peak_tokens,
    max(health.peak_tokens) AS max_peak_tokens,
    CAST(sum(health.resets) AS BIGINT) AS resets,
    count(*) FILTER (WHERE health.resets > 0) AS transcripts_with_reset,
    any_value(bins.histogram) AS histogram
FROM context_health AS health
LEFT JOIN bins ON bins.agent = health.agent
GROUP BY health.agent
