-- running_background_agents: one row per background agent, shell, workflow, teammate or monitor without an end on record.
-- source: B-5
-- session_id: Session whose files show the agent.
-- agent_id: Id of the agent or task.
-- target_kind: agent, shell, workflow, teammate or monitor; NULL where nothing says.
-- state_reason: What the state rests on.
-- launched_at [UTC]: Time of the launch; NULL when none is recorded.
-- resumed_at [UTC]: Time of the last resume; NULL when never.
-- description: What the launching call or a notice says the task is.
-- tool_use_id: The launching call, where the launch or a notice names it.
-- run_id: Run of a workflow.
-- carriers: Where its signals were found.
-- path: File of the launch, else of the first signal.
-- line_no: Line of the launch, else of the first signal.
-- agent_path: The agent's own transcript; NULL when there is none.
-- agent_last_at [UTC]: Latest time in that file.
SELECT
    session_id,
    agent_id,
    target_kind,
    state_reason,
    launched_at,
    resumed_at,
    description,
    tool_use_id,
    run_id,
    carriers,
    path,
    line_no,
    agent_path,
    agent_last_at
FROM background_agents
WHERE state = 'running'
