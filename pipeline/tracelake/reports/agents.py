"""`report agents`, and the SQL behind `tracelake agents`: background agents, shells, workflows and their states."""

from __future__ import annotations

from tracelake.reports.grouped import Grouping, Measure, build
from tracelake.reports.model import Options, Query, Report

KINDS = ("agent", "shell", "workflow", "teammate", "monitor")
STATES = ("running", "completed", "failed", "killed", "stopped", "unknown")

ROWS = """(
    SELECT background_agents.*, files.agent, files.project,
        CAST(timezone('UTC', coalesce(launched_at, ended_at)) AS DATE) AS day
    FROM background_agents
    LEFT JOIN files ON files.session_id = background_agents.session_id AND files.path = background_agents.path
)"""

GROUPING = Grouping(
    rows=ROWS,
    keys={
        "state": "state",
        "target_kind": "target_kind",
        "carrier": "array_to_string(carriers, ' + ')",
        "session": "session_id",
        "project": "project",
        "day": "day",
    },
    filters={"day": "day", "project": "project", "session": "session_id", "agent": "agent"},
    measures=(
        Measure.count("agents"),
        *(Measure.count(state, f"state = '{state}'") for state in STATES),
        Measure.sum("launches"),
        Measure.sum("resumes"),
    ),
    best="agents DESC",
)


def agents(options: Options) -> Query:
    """Return how many background agents there are and in which states, by the key asked for (days in order)."""
    return build(GROUPING, options)


AGENTS = Report(
    "agents",
    "Background agents, shells, workflows, teammates and monitors by state; by carrier: where their signals stood.",
    frozenset({"by", "since", "until", "project", "session", "agent", "limit"}),
    agents,
    by=tuple(GROUPING.keys),
    has_total=True,
)


def listed(running: bool, session: str | None, kind: str | None, limit: int | None) -> Query:
    """Return the background agents themselves, the latest launch first; `session` is the beginning of an id."""
    sql = """
        SELECT launched_at, session_id, agent_id, target_kind, state, state_reason, ended_at, resumed_at, resumed_hint,
            description, tool_use_id, run_id, carriers, path, line_no, agent_path, agent_last_at
        FROM background_agents
        WHERE (state = 'running' OR NOT ?)
            AND starts_with(session_id, coalesce(?, ''))
            AND target_kind IS NOT DISTINCT FROM coalesce(?, target_kind)
        ORDER BY launched_at DESC NULLS LAST, session_id, agent_id
        LIMIT ?
    """
    return Query(sql, [running, session, kind, limit])
