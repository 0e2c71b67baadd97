-- sessions: one row per session (stray files that belong to none are left out).
-- session_id: The session.
-- agent: Program that wrote it.
-- project: Project of its main file.
-- title: Last custom title, else last title the agent made, else last summary, else the first prompt, shortened.
-- started_at [UTC]: First time in any of its files.
-- ended_at [UTC]: Last time in any of its files.
-- messages [turns]: User and assistant turns of all its files, sub-agents and repeated turns included.
-- tool_calls [calls]: Tool calls of all its files, likewise.
-- subagents [files]: Sub-agent transcripts below it, at any depth; Codex writes them as sessions of their own.
-- models: Models of the API calls it owns, sorted.
-- calls [calls]: API calls it owns: those that no earlier session made.
-- unpriced_calls [calls]: Calls and advisor iterations without a price; they are not in cost_usd.
-- input_tokens [tokens]: Uncached prompt tokens of its calls.
-- output_tokens [tokens]: Output tokens of its calls.
-- cache_read_tokens [tokens]: Prompt tokens read from the cache.
-- cache_write_tokens [tokens]: Prompt tokens written to the cache.
-- cost_usd [USD]: Cost of its priced calls; NULL when none is priced.
-- first_prompt: Text of the first prompt.
-- cwd: Working directory it began in.
-- git_branch: Last git branch of a main file.
-- version: Last client version of a main file.
-- files [files]: Its transcripts.
-- bytes [bytes]: Size of its transcripts.
WITH
transcripts AS (
    SELECT
        session_id,
        min(agent) AS agent,
        arg_min(project, ROW(kind <> 'main', coalesce(start_time, 'infinity'), path)) AS project,
        min(start_time) AS started_at,
        max(end_time) AS ended_at,
        count(*) FILTER (WHERE kind <> 'main' AND parent_session_id IS NULL) AS subagents,
        arg_min(start_cwd, ROW(kind <> 'main', coalesce(start_time, 'infinity'), path)) AS cwd,
        arg_max(git_branch, ROW(kind = 'main', coalesce(end_time, '-infinity'), path)) AS git_branch,
        arg_max(version, ROW(kind = 'main', coalesce(end_time, '-infinity'), path)) AS version,
        count(*) AS files,
        TRY_CAST(sum(bytes) AS BIGINT) AS bytes
    FROM files
    WHERE kind IN ('main', 'subagent', 'workflow_subagent', 'legacy_subagent') AND session_id <> 'unassigned'
    GROUP BY session_id
),

spawned AS (
    SELECT ancestor_session_id AS session_id, count(*) AS subagents
    FROM spawned_sessions
    GROUP BY ancestor_session_id
),

turns AS (
    SELECT session_id, count(*) AS messages
    FROM messages
    WHERE role IN ('user', 'assistant')
    GROUP BY session_id
),

tools AS (
    SELECT session_id, count(*) AS tool_calls
    FROM tool_calls
    GROUP BY session_id
),

spent AS (
    SELECT
        session_id,
        list_sort(list(DISTINCT model) FILTER (WHERE part_of IS NULL)) AS models,
        count(*) FILTER (WHERE part_of IS NULL) AS calls,
        count(*) FILTER (WHERE NOT priced) AS unpriced_calls,
        TRY_CAST(sum(input_tokens) AS BIGINT) AS input_tokens,
        TRY_CAST(sum(output_tokens) AS BIGINT) AS output_tokens,
        TRY_CAST(sum(cache_read_tokens) AS BIGINT) AS cache_read_tokens,
        TRY_CAST(sum(cache_write_5m_tokens) + sum(cache_write_1h_tokens) AS BIGINT) AS cache_write_tokens,
        CAST(sum(cost_usd) AS DECIMAL(38, 15)) AS cost_usd
    FROM costs
    WHERE is_api_call
    GROUP BY session_id
)

SELECT
    transcripts.session_id,
    transcripts.agent,
    transcripts.project,
    names.title,
    transcripts.started_at,
    transcripts.ended_at,
    coalesce(turns.messages, 0) AS messages,
    coalesce(tools.tool_calls, 0) AS tool_calls,
    transcripts.subagents + coalesce(spawned.subagents, 0) AS subagents,
    coalesce(spent.models, []) AS models,
    coalesce(spent.calls, 0) AS calls,
    coalesce(spent.unpriced_calls, 0) AS unpriced_calls,
    coalesce(spent.input_tokens, 0) AS input_tokens,
    coalesce(spent.output_tokens, 0) AS output_tokens,
    coalesce(spent.cache_read_tokens, 0) AS cache_read_tokens,
    coalesce(spent.cache_write_tokens, 0) AS cache_write_tokens,
    spent.cost_usd,
    names.first_prompt,
    transcripts.cwd,
    transcripts.git_branch,
    transcripts.version,
    transcripts.files,
    transcripts.bytes
FROM transcripts
LEFT JOIN session_names AS names ON names.session_id = transcripts.session_id
LEFT JOIN spawned ON spawned.session_id = transcripts.session_id
LEFT JOIN turns ON turns.session_id = transcripts.session_id
LEFT JOIN tools ON tools.session_id = transcripts.session_id
LEFT JOIN spent ON spent.session_id = transcripts.session_id
