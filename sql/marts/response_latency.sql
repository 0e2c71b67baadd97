-- response_latency: one row per user turn that was answered: how long the first reply took.
-- source: parser.md 7.7
-- session_id: Session of the turn.
-- agent: Program that answered.
-- project: Project of the file.
-- path: File.
-- kind: main, subagent, workflow_subagent or legacy_subagent.
-- turn [1-based]: Number of the user turn in its file.
-- ordinal [0-based]: The user turn, as in messages.
-- model: Model of the first reply that has a time.
-- prompt_at [UTC]: Time of the user turn.
-- reply_at [UTC]: Time of that reply; replies before the prompt are left out.
-- latency_ms [milliseconds]: Time between the two.
WITH
numbered AS (
    SELECT
        session_id,
        agent,
        path,
        ordinal,
        role,
        model,
        timestamp,
        count(*) FILTER (WHERE role = 'user') OVER (
            PARTITION BY session_id, path ORDER BY ordinal ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS turn
    FROM messages
),

turns AS (
    SELECT
        session_id,
        path,
        turn,
        min(agent) AS agent,
        min(ordinal) FILTER (WHERE role = 'user') AS ordinal,
        min(timestamp) FILTER (WHERE role = 'user') AS prompt_at,
        arg_min({'at': timestamp, 'model': model}, ordinal) FILTER (WHERE role = 'assistant' AND timestamp IS NOT NULL)
            AS reply
    FROM numbered
    WHERE turn > 0
    GROUP BY session_id, path, turn
)

SELECT
    turns.session_id,
    turns.agent,
    files.project,
    turns.path,
    files.kind,
    turns.turn,
    turns.ordinal,
    turns.reply.model AS model,
    turns.prompt_at,
    turns.reply.at AS reply_at,
    epoch_ms(turns.reply.at) - epoch_ms(turns.prompt_at) AS latency_ms
FROM turns
LEFT JOIN files ON files.session_id = turns.session_id AND files.path = turns.path
WHERE turns.reply.at >= turns.prompt_at
