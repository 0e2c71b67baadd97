"""What the result of one tool call says about background tasks, by its evidence or else by its text.

The text of the result counts only where `toolUseResult` is absent, as in the files of nested sub-agents.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import msgspec

from tracelake.decode.lenient import members
from tracelake.fold.answers import TASK_KINDS, Answer, Found, agent_launch, evidence_signals, stopped
from tracelake.fold.notices import TERMINAL

FOREIGN = "mcp__"
"""Start of the names of tools that are not the program's own: what they return is arbitrary data."""


def signals_of(answer: Answer) -> Iterator[Found]:
    """Yield the signals that one result carries."""
    name = answer.tool_name or ""
    if name.startswith(FOREIGN):
        yield from _moved(answer)
    elif answer.is_error:
        yield from _already_over(answer)
    elif answer.evidence:
        yield from evidence_signals(answer)
    elif name in _TEXTS:
        yield from _TEXTS[name](answer)


_OVER = re.compile(r"(?:<tool_use_error>)?(Shell|Task) (\S+) is not running, so cannot be \w+ \(status: ([a-z_]+)\)")


def _already_over(answer: Answer) -> Iterator[Found]:
    match = _OVER.match(answer.text)
    if match is not None and match[3] in TERMINAL:
        yield Found("ended", "shell" if match[1] == "Shell" else None, match[2], match[3], "stop_result")


_AGENT = re.compile(r"Async agent launched[^\n]*\n(?:.*\n)*?agentId:\s*([A-Za-z0-9_-]+)")
_SHELL = re.compile(r"Command [^\n]{0,200}?(?:background|backgrounded by user) with ID: ([A-Za-z0-9_-]+)")
_WORKFLOW = re.compile(r"Workflow launched in background\. Task ID: (\S+)")
_MONITOR = re.compile(r"Monitor started \(task ([^\s,)]+)")
_MOVED = re.compile(r"moved to the background as task [\"'`]?([A-Za-z0-9_-]+)")
_RESUMED = re.compile(r'"resumedAgentId"\s*:\s*"([^"\\]+)"')
_TAG = r"<{0}>\s*([^<]*?)\s*</{0}>"
_TASK_ID, _TASK_TYPE, _STATUS = (re.compile(_TAG.format(name)) for name in ("task_id", "task_type", "status"))


def _agent_text(answer: Answer) -> Iterator[Found]:
    if match := _AGENT.match(answer.text):
        yield from agent_launch(answer, match[1])


def _launch_text(pattern: re.Pattern[str], kind: str) -> Callable[[Answer], Iterator[Found]]:
    def read(answer: Answer) -> Iterator[Found]:
        if match := pattern.match(answer.text):
            yield Found("launched", kind, match[1])

    return read


def _stop_text(answer: Answer) -> Iterator[Found]:
    try:
        evidence = members(answer.text.strip().encode())
    except (msgspec.MsgspecError, RecursionError):
        return
    yield from stopped(answer._replace(evidence=evidence))


def _message_text(answer: Answer) -> Iterator[Found]:
    if match := _RESUMED.search(answer.text):
        yield Found("resumed", "agent", match[1], carrier="message_result")


def _output_text(answer: Answer) -> Iterator[Found]:
    """The head of the text is tags; what the task printed follows and is not looked at."""
    head = re.split(r"<(?:output|stdout|stderr)>", answer.text, maxsplit=1)[0]
    status, task, kind = (pattern.search(head) for pattern in (_STATUS, _TASK_ID, _TASK_TYPE))
    agent_id = task[1] if task else answer.asks("task_id", "bash_id", "agentId")
    if status is not None and status[1] in TERMINAL and agent_id:
        target = TASK_KINDS.get(kind[1]) if kind else "shell" if "bash_id" in answer.asked else None
        yield Found("ended", target, agent_id, status[1], "output_result")


def _moved(answer: Answer) -> Iterator[Found]:
    match = None if answer.is_error else _MOVED.search(answer.text)
    if match is not None:
        yield Found("launched", None, match[1])


_TEXTS: dict[str, Callable[[Answer], Iterator[Found]]] = {
    "Agent": _agent_text,
    "Task": _agent_text,
    "Bash": _launch_text(_SHELL, "shell"),
    "Workflow": _launch_text(_WORKFLOW, "workflow"),
    "Monitor": _launch_text(_MONITOR, "monitor"),
    "TaskStop": _stop_text,
    "KillShell": _stop_text,
    "KillBash": _stop_text,
    "TaskOutput": _output_text,
    "AgentOutputTool": _output_text,
    "BashOutput": _output_text,
    "SendMessage": _message_text,
}

TOOLS = frozenset(_TEXTS)
"""The tools whose results are looked at."""
