"""Answers: what `toolUseResult` of one tool call says about background tasks (parser.md 8.9)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tracelake.decode.json_rules import str_of
from tracelake.decode.lenient import members
from tracelake.fold.notices import TERMINAL

TASK_KINDS = {
    "local_agent": "agent",
    "remote_agent": "agent",
    "local_bash": "shell",
    "local_workflow": "workflow",
    "in_process_teammate": "teammate",
    "monitor": "monitor",
    "monitor_mcp": "monitor",
}
"""Target kind by the program's task type."""


class Found(NamedTuple):
    """One signal as a result shows it; with `only_known` it counts only for tasks launched before."""

    signal: str
    target_kind: str | None
    agent_id: str
    status: str = ""
    carrier: str = "call_result"
    run_id: str | None = None
    only_known: bool = False


class Answer(NamedTuple):
    """One tool result: the tool's name, its input, `toolUseResult` as members, and the flattened text."""

    tool_name: str | None
    is_error: bool
    asked: Mapping[str, bytes]
    evidence: Mapping[str, bytes]
    text: str

    def asks(self, *keys: str) -> str:
        """Return the first non-empty string among members of the input."""
        return first_string(self.asked, keys)

    def says(self, *keys: str) -> str:
        """Return the first non-empty string among members of `toolUseResult`."""
        return first_string(self.evidence, keys)


def first_string(found: Mapping[str, bytes], keys: tuple[str, ...]) -> str:
    """Return the first non-empty JSON string among some members; empty when there is none."""
    for key in keys:
        raw = found.get(key, b"")
        if raw[:1] == b'"' and (text := str_of(raw)):
            return text
    return ""


def evidence_signals(answer: Answer) -> Iterator[Found]:
    """Yield the signals that `toolUseResult` shows, whatever the tool is called."""
    yield from _launch(answer)
    yield from stopped(answer)
    yield from _output(answer)


def _launch(answer: Answer) -> Iterator[Found]:
    status, agent_id, run_id = answer.says("status"), answer.says("agentId"), answer.says("runId") or None
    if shell := answer.says("backgroundTaskId"):
        yield Found("launched", "shell", shell)
    elif status == "async_launched" and agent_id:
        yield from agent_launch(answer, agent_id)
    elif status == "async_launched" and (task := answer.says("taskId", "runId")):
        yield Found("launched", TASK_KINDS.get(answer.says("taskType"), "workflow"), task, run_id=run_id)
    elif status == "teammate_spawned" and (mate := answer.says("agent_id", "teammate_id", "name")):
        yield Found("launched", "teammate", mate)
    elif status == "completed" and agent_id:
        yield Found("ended", "agent", agent_id, "completed", only_known=True)
    elif "timeoutMs" in answer.evidence and (task := answer.says("taskId")):
        yield Found("launched", "monitor", task)
    if resumed := answer.says("resumedAgentId"):
        yield Found("resumed", "agent", resumed, carrier="message_result")


def agent_launch(answer: Answer, agent_id: str) -> Iterator[Found]:
    """Yield a launch; the same call with the id of an earlier agent to go on with is a resume as well."""
    yield Found("launched", "agent", agent_id)
    if answer.asks("resume"):
        yield Found("resumed", "agent", agent_id)


_STOPPED = re.compile(r"Successfully (stopped task|killed shell): ([^\s()]+)")


def stopped(answer: Answer) -> Iterator[Found]:
    """Yield the end that a successful TaskStop, KillShell or KillBash reports."""
    match = _STOPPED.match(answer.says("message"))
    if match is None or answer.evidence.get("success") == b"false":
        return
    kind = "shell" if match[1] == "killed shell" else TASK_KINDS.get(answer.says("task_type"))
    task = answer.says("task_id", "shell_id") or answer.asks("task_id", "shell_id") or match[2]
    yield Found("ended", kind, task, "killed" if match[1] == "killed shell" else "stopped", "stop_result")


def _output(answer: Answer) -> Iterator[Found]:
    task = members(answer.evidence.get("task", b""))
    status = first_string(task, ("status",))
    kind = TASK_KINDS.get(first_string(task, ("task_type",)))
    agent_id = first_string(task, ("task_id",))
    if not task and "shellId" in answer.evidence:
        status, kind, agent_id = answer.says("status"), "shell", answer.says("shellId")
    if status in TERMINAL and agent_id:
        yield Found("ended", kind, agent_id, status, "output_result")
