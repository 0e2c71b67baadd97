-- projects: one row per project.
-- project: Name of the project's folder.
-- sessions [sessions]: Sessions whose main file lies in it.
-- subagents [files]: Their sub-agent transcripts.
-- started_at [UTC]: First time in any of their files.
-- ended_at [UTC]: Last time in any of their files.
-- messages [turns]: User and assistant turns, as in sessions.
-- tool_calls [calls]: Tool calls, as in sessions.
-- calls [calls]: API calls the sessions own.
-- unpriced_calls [calls]: Calls and advisor iterations without a price; they are not in cost_usd.
-- tokens [tokens]: Tokens of all kinds of those calls.
-- cost_usd [USD]: Cost of the priced calls; NULL when none is priced.
-- cwds: Working directories the sessions began in, sorted.
SELECT
    project,
    count(*) AS sessions,
    TRY_CAST(sum(subagents) AS BIGINT) AS subagents,
    min(started_at) AS started_at,
    max(ended_at) AS ended_at,
    TRY_CAST(sum(messages) AS BIGINT) AS messages,
    TRY_CAST(sum(tool_calls) AS BIGINT) AS tool_calls,
    TRY_CAST(sum(calls) AS BIGINT) AS calls,
    TRY_CAST(sum(unpriced_calls) AS BIGINT) AS unpriced_calls,
    TRY_CAST(
        sum(input_tokens) + sum(output_tokens) + sum(cache_read_tokens) + sum(cache_write_tokens) AS BIGINT
    ) AS tokens,
    CAST(sum(cost_usd) AS DECIMAL(38, 15)) AS cost_usd,
    list_sort(list(DISTINCT cwd) FILTER (WHERE cwd IS NOT NULL)) AS cwds
FROM sessions
GROUP BY project
