-- agent_signals_once: one row per signal in agent_signals, copies of a record and further carriers of a notice left out.
-- source: B-5
-- session_id: Session of the signal.
-- agent_id: Agent or task the signal is about.
-- step: Place of the signal among those of the agent in the session, counted from 1.
-- round: Resumes up to and with this signal.
-- signal: launched, ended or resumed.
-- target_kind: agent, shell, workflow, teammate or monitor; NULL where the file does not say.
-- status: Status of an end.
-- path: File of the signal.
-- line_no: Line of the signal.
-- tool_use_id: The call a result belongs to; of a notice the launching call that it names.
-- carrier: Where the signal was found.
-- run_id: Run of a workflow.
-- description: What the launching call or the notice says the task is.
-- strict: The exact rule of one file counts the signal.
-- occurred_at [UTC]: Time of the signal.
WITH
placed AS (
    -- Within a file the order of lines counts, between files the time; a line without one takes the last one seen.
    SELECT
        *,
        coalesce(
            max(occurred_at) OVER (PARTITION BY session_id, path ORDER BY seq ROWS UNBOUNDED PRECEDING),
            '-infinity'
        ) AS known_at
    FROM agent_signals
),

once AS (
    SELECT *
    FROM placed
    QUALIFY row_number() OVER (
        PARTITION BY session_id, agent_id, signal, coalesce(notice_key, key)
        ORDER BY known_at, path, seq
    ) = 1
)

SELECT
    session_id,
    agent_id,
    row_number() OVER signals AS step,
    count(*) FILTER (WHERE signal = 'resumed') OVER (signals ROWS UNBOUNDED PRECEDING) AS round,
    signal,
    target_kind,
    status,
    path,
    line_no,
    tool_use_id,
    carrier,
    run_id,
    description,
    strict,
    occurred_at
FROM once
WINDOW signals AS (PARTITION BY session_id, agent_id ORDER BY known_at, path, seq)
