-- background_agents: one row per background agent, shell, workflow, teammate or monitor of a session that was launched, resumed or ended.
-- source: B-5
-- session_id: Session whose files show the agent.
-- agent_id: Id of the agent or task.
-- target_kind: agent, shell, workflow, teammate or monitor; NULL where nothing says.
-- state: running, completed, failed, killed, stopped or unknown; the first end stands until a resume.
-- state_reason: What the state rests on.
-- launched_at [UTC]: Time of the launch; NULL when none is recorded.
-- resumed_at [UTC]: Time of the last resume; NULL when never.
-- ended_at [UTC]: Time of the end that counts; NULL while running.
-- launches: Launches on record, copies left out.
-- resumes: Resumes on record, copies left out.
-- description: What the launching call or a notice says the task is.
-- tool_use_id: The launching call, where the launch or a notice names it.
-- run_id: Run of a workflow.
-- carriers: Where its signals were found.
-- path: File of the launch, else of the first signal.
-- line_no: Line of the launch, else of the first signal.
-- agent_path: The agent's own transcript; NULL when there is none.
-- agent_last_at [UTC]: Latest time in that file.
-- resumed_hint: The agent's own file goes on after the end that counts; NULL when either is not known.
WITH
named AS (
    SELECT
        session_id,
        agent_id,
        arg_min(target_kind, step) AS target_kind,
        min(occurred_at) FILTER (WHERE signal = 'launched') AS launched_at,
        max(occurred_at) FILTER (WHERE signal = 'resumed') AS resumed_at,
        count(*) FILTER (WHERE signal = 'launched') AS launches,
        count(*) FILTER (WHERE signal = 'resumed') AS resumes,
        coalesce(
            arg_min(description, step) FILTER (WHERE signal = 'launched'), arg_min(description, step)
        ) AS description,
        coalesce(
            arg_min(tool_use_id, step) FILTER (WHERE signal = 'launched'),
            arg_min(tool_use_id, step) FILTER (
                WHERE carrier IN ('user_text', 'user_block', 'queued_command', 'queue_operation')
            )
        ) AS tool_use_id,
        arg_min(run_id, step) AS run_id,
        coalesce(arg_min(path, step) FILTER (WHERE signal = 'launched'), arg_min(path, step)) AS path,
        coalesce(arg_min(line_no, step) FILTER (WHERE signal = 'launched'), arg_min(line_no, step)) AS line_no,
        max(round) AS last_round
    FROM agent_signals_once
    GROUP BY session_id, agent_id
),

found_in AS (
    SELECT session_id, agent_id, list_sort(list(DISTINCT carrier)) AS carriers
    FROM agent_signals
    GROUP BY session_id, agent_id
),

verdicts AS (
    SELECT
        session_id,
        agent_id,
        round,
        arg_min(status, step) AS status,
        arg_min(carrier, step) AS carrier,
        arg_min({'at': occurred_at}, step) AS ended
    FROM agent_signals_once
    WHERE signal = 'ended'
    GROUP BY session_id, agent_id, round
),

own_files AS (
    SELECT session_id, agent_id, min(path) AS agent_path, max(end_time) AS agent_last_at
    FROM files
    WHERE agent_id IS NOT NULL AND kind IN ('subagent', 'workflow_subagent', 'legacy_subagent')
    GROUP BY session_id, agent_id
),

judged AS (
    SELECT
        named.*,
        found_in.carriers,
        verdicts.status AS verdict,
        verdicts.carrier AS verdict_carrier,
        verdicts.ended.at AS ended_at,
        own_files.agent_path,
        own_files.agent_last_at,
        CASE
            WHEN verdicts.status IS NOT NULL THEN NULL
            WHEN files.read_error IS NOT NULL THEN 'the file could not be read to its end: ' || files.read_error
            WHEN files.last_unreadable_line > named.line_no
                THEN concat('a later line that cannot be read may hold it (the last such is ', files.last_unreadable_line, ')')
        END AS doubt
    FROM named
    INNER JOIN found_in USING (session_id, agent_id)
    LEFT JOIN verdicts
        ON verdicts.session_id = named.session_id
        AND verdicts.agent_id = named.agent_id
        AND verdicts.round = named.last_round
    LEFT JOIN own_files ON own_files.session_id = named.session_id AND own_files.agent_id = named.agent_id
    LEFT JOIN files ON files.session_id = named.session_id AND files.path = named.path
)

SELECT
    session_id,
    agent_id,
    target_kind,
    CASE
        WHEN verdict IN ('completed', 'failed', 'killed', 'stopped') THEN verdict
        WHEN doubt IS NULL THEN 'running'
        ELSE 'unknown'
    END AS state,
    CASE
        WHEN verdict IS NULL THEN
            concat(
                CASE WHEN resumes > 0 THEN 'resumed' ELSE 'launched' END,
                ', no end on record',
                '; ' || doubt
            )
        WHEN verdict_carrier IN ('user_text', 'user_block') THEN 'a notice in a user line'
        WHEN verdict_carrier = 'queued_command' THEN 'a notice in a queued command'
        WHEN verdict_carrier = 'queue_operation' THEN 'a notice in the queue'
        WHEN verdict_carrier = 'output_result' THEN 'its output was fetched and says so'
        WHEN verdict_carrier = 'stop_result' THEN 'the answer to stopping it'
        WHEN verdict_carrier = 'task_status' THEN 'a task status attachment'
        WHEN verdict_carrier = 'teammate_message' THEN 'a message of the team'
        WHEN verdict_carrier = 'journal' THEN 'the workflow journal has its result'
        ELSE 'the result of the call'
    END AS state_reason,
    launched_at,
    resumed_at,
    ended_at,
    launches,
    resumes,
    description,
    tool_use_id,
    run_id,
    carriers,
    path,
    line_no,
    agent_path,
    agent_last_at,
    agent_last_at > ended_at AS resumed_hint
FROM judged
