-- session_quality: one row per transcript file with messages: a session's main file, and each sub-agent by itself.
-- source: parser.md 7.1 to 7.3, 7.7
-- session_id: Session of the file.
-- agent: Program that wrote it.
-- project: Project of the file.
-- path: File; `kind = 'main'` picks the sessions.
-- kind: main, subagent, workflow_subagent or legacy_subagent.
-- started_at [UTC]: First time in the file.
-- ended_at [UTC]: Last time in the file.
-- minutes [minutes]: Time between the two.
-- settled: The file holds the program's closing line (type result), or its last time is more than 30 minutes before now,
--    the moment of the query; also where it has no time at all.
-- archetype: automation (nobody typed), marathon (from 120 minutes or 200 messages), deep (30, 60), standard (5, 15) or quick.
-- messages [turns]: User and assistant turns.
-- user_messages [turns]: User turns.
-- tool_calls [calls]: Tool calls, repeated turns left out.
-- failures [calls]: Calls whose result is an error.
-- retries [calls]: Calls that repeat tool and input of the call just before.
-- edit_churn [calls]: Edits beyond the first of each file.
-- longest_failure_streak [calls]: Longest run of errors.
-- trailing_failures [calls]: Errors after the last call that is no error.
-- pending [calls]: Calls without a result.
-- outcome: completed, abandoned, errored or unknown.
-- confidence: high, medium or low: how sure the outcome is.
-- score [0 to 100]: 100 less what went wrong; NULL while not settled, or where nothing is known.
-- grade: A from 90, B from 75, C from 60, D from 40, else F.
-- grade_points [0 to 4]: A 4, B 3, C 2, D 1, F 0, to average.
WITH
turns AS (
    SELECT
        session_id,
        path,
        min(agent) AS agent,
        count(*) FILTER (WHERE role IN ('user', 'assistant')) AS messages,
        count(*) FILTER (WHERE role = 'user') AS user_messages,
        max(ordinal) FILTER (WHERE role = 'user' AND content <> '') AS last_user_text,
        max(ordinal) FILTER (WHERE role = 'assistant' AND content <> '') AS last_assistant_text
    FROM messages
    GROUP BY session_id, path
),

closed AS (
    SELECT DISTINCT session_id, path
    FROM entries
    WHERE type = 'result'
),

known AS (
    SELECT
        turns.*,
        files.project,
        files.kind,
        files.start_time AS started_at,
        files.end_time AS ended_at,
        greatest(0, coalesce(epoch(files.end_time) - epoch(files.start_time), 0)) / 60 AS minutes,
        closed.path IS NOT NULL OR coalesce(files.end_time < now() - INTERVAL 30 MINUTE, true) AS settled,
        coalesce(signals.tool_calls, 0) AS tool_calls,
        coalesce(signals.failures, 0) AS failures,
        coalesce(signals.retries, 0) AS retries,
        coalesce(signals.edit_churn, 0) AS edit_churn,
        coalesce(signals.longest_failure_streak, 0) AS longest_failure_streak,
        coalesce(signals.trailing_failures, 0) AS trailing_failures,
        coalesce(signals.pending, 0) AS pending
    FROM turns
    LEFT JOIN files ON files.session_id = turns.session_id AND files.path = turns.path
    LEFT JOIN closed ON closed.session_id = turns.session_id AND closed.path = turns.path
    LEFT JOIN tool_signals AS signals ON signals.session_id = turns.session_id AND signals.path = turns.path
),

judged AS (
    SELECT
        *,
        CASE
            WHEN trailing_failures >= 3 THEN ['errored', 'high']
            WHEN pending > 0 AND NOT settled THEN ['unknown', 'low']
            WHEN pending > 0 AND user_messages = 0 THEN ['errored', 'medium']
            WHEN pending > 0 THEN ['abandoned', 'medium']
            WHEN user_messages = 0 AND settled AND last_assistant_text IS NOT NULL THEN ['completed', 'medium']
            WHEN user_messages = 0 THEN ['unknown', 'low']
            WHEN last_user_text IS NULL AND last_assistant_text IS NULL THEN ['unknown', 'low']
            WHEN last_assistant_text > coalesce(last_user_text, -1) THEN ['completed', 'high']
            WHEN settled THEN ['abandoned', 'medium']
            ELSE ['unknown', 'low']
        END AS verdict
    FROM known
),

scored AS (
    SELECT
        *,
        CASE
            WHEN NOT settled OR (started_at IS NULL AND ended_at IS NULL) THEN NULL
            WHEN verdict[1] = 'unknown' AND failures + retries + edit_churn + longest_failure_streak = 0 THEN NULL
            ELSE greatest(
                0,
                100
                - CASE verdict[1] WHEN 'errored' THEN 30 WHEN 'abandoned' THEN 15 ELSE 0 END
                - least(3 * failures, 30)
                - least(5 * retries, 25)
                - least(4 * edit_churn, 20)
                - CASE WHEN longest_failure_streak >= 3 THEN 10 ELSE 0 END
            )
        END AS score
    FROM judged
)

SELECT
    session_id,
    agent,
    project,
    path,
    kind,
    started_at,
    ended_at,
    minutes,
    settled,
    CASE
        WHEN user_messages = 0 THEN 'automation'
        WHEN minutes >= 120 OR messages >= 200 THEN 'marathon'
        WHEN minutes >= 30 OR messages >= 60 THEN 'deep'
        WHEN minutes >= 5 OR messages >= 15 THEN 'standard'
        ELSE 'quick'
    END AS archetype,
    messages,
    user_messages,
    tool_calls,
    failures,
    retries,
    edit_churn,
    longest_failure_streak,
    trailing_failures,
    pending,
    verdict[1] AS outcome,
    verdict[2] AS confidence,
    CAST(score AS INTEGER) AS score,
    CASE
        WHEN score >= 90 THEN 'A'
        WHEN score >= 75 THEN 'B'
        WHEN score >= 60 THEN 'C'
        WHEN score >= 40 THEN 'D'
        WHEN score >= 0 THEN 'F'
    END AS grade,
    CASE
        WHEN score >= 90 THEN 4
        WHEN score >= 75 THEN 3
        WHEN score >= 60 THEN 2
        WHEN score >= 40 THEN 1
        WHEN score >= 0 THEN 0
    END AS grade_points
FROM scored
