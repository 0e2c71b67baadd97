"""The checks of one transcript and of a session tree (parser.md 8.7); none of them ever stops anything.

A check that the view `integrity_issues` makes too has the same id, severity and sentence there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from tracelake.sources.layout import location_says_subagent, root_path_of
from tracelake.tables.entries import STRICT_STATUSES
from tracelake.transcripts.file import File
from tracelake.transcripts.model import Line

CHECKS: dict[str, tuple[str, str]] = {
    "read_error": ("error", "Every file can be read to its end."),
    "strict_error": ("warning", "Every line is JSON of the expected types."),
    "bad_value": ("warning", "Every value of a line fits the column it goes to."),
    "torn_tail": ("info", "The last line is complete, unless the session is still running."),
    "main_session_id": ("warning", "Some line of a main file names the session that the file is named after."),
    "subagent_session_id": ("warning", "Lines of a sub-agent name the session of its tree."),
    "agent_id": ("warning", "Lines of a sub-agent name the agent that the file is named after."),
    "not_sidechain": ("warning", "Entries of a sub-agent are marked as sidechain."),
    "main_twice": ("warning", "A tree has one main file."),
    "agent_twice": ("warning", "An agent of a session has one file."),
    "dispatch_twice": ("warning", "A call dispatches one sub-agent."),
    "meta_error": ("warning", "Meta sidecars are JSON of the expected types."),
    "meta_without_transcript": ("warning", "A meta sidecar lies beside a transcript."),
    "transcript_without_meta": ("info", "A sub-agent has a meta sidecar; older clients wrote none."),
    "parent_agent": ("warning", "The parent agent that a meta names is in the session."),
    "orphan_subagent": ("warning", "The main file of a sub-agent is in the lake."),
    "duplicate_uuid": ("info", "A uuid occurs once in a file; replays after a resume repeat some."),
    "dangling_parent": (
        "info",
        "The parent of an entry is in its session; resumed files name entries of others.",
    ),
}
"""Severity and sentence of each check by its id; `main_twice` is the only one that the lake does not make."""

_FINE = STRICT_STATUSES | {"blank"}


class Issue(msgspec.Struct, frozen=True):
    """One problem: the check's id, severity and sentence, where it is, and what was found.

    `line` is the first of several, None where the file as a whole is meant.
    """

    id: str
    severity: str
    sentence: str
    path: str
    line: int | None
    detail: str


def issue(check_id: str, path: str, line: int | None, detail: str) -> Issue:
    """Return an issue of one of CHECKS."""
    return Issue(check_id, *CHECKS[check_id], path, line, detail)


def file_issues(file: File, session_id: str) -> Iterator[Issue]:
    """Yield what is wrong with one file of the tree of a session."""
    path = file.path
    if file.read_error is not None:
        yield issue("read_error", path, None, file.read_error)
    bad = next((line for line in file.lines if line.status not in _FINE), None)
    if bad is not None:
        yield issue("strict_error", path, bad.ordinal, bad.error or bad.status)
    for line in file.lines:
        if line.status == "bad_value":
            yield issue("bad_value", path, line.ordinal, line.error or "")
    if file.torn_final_line:
        yield issue("torn_tail", path, len(file.lines) + 1, "the last line is incomplete")
    named = file.session_ids
    if file.label.kind == "main" and named and file.session_id not in named:
        yield issue("main_session_id", path, None, f"its lines name {', '.join(named)}")
    if file.label.kind == "subagent" and any(one != session_id for one in named):
        yield issue("subagent_session_id", path, None, f"its lines name {', '.join(named)}")
    if file.agent_id is not None:
        yield from _agent_issues(file)
    yield from _repeated(file)


def _agent_issues(file: File) -> Iterator[Issue]:
    known = [line for line in file.lines if line.class_ is not None]
    foreign = [line for line in known if line.agent_id is not None and line.agent_id != file.agent_id]
    if foreign:
        yield issue("agent_id", file.path, foreign[0].ordinal, f"{len(foreign)} lines name {foreign[0].agent_id}")
    unmarked = [line for line in known if line.uuid is not None and not line.is_sidechain]
    if unmarked:
        yield issue("not_sidechain", file.path, unmarked[0].ordinal, f"{len(unmarked)} entries are not marked")
    if file.meta is not None and file.meta.error is not None:
        yield issue("meta_error", file.path, None, file.meta.error)
    if file.meta is None and file.label.kind == "subagent":
        yield issue("transcript_without_meta", file.path, None, "there is no meta sidecar beside it")


def _repeated(file: File) -> Iterator[Issue]:
    count = Counter(line.uuid for line in file.lines if line.uuid is not None)
    repeated = {uuid for uuid, times in count.items() if times > 1}
    first = next((line for line in file.lines if line.uuid in repeated), None)
    if first is not None:
        yield issue("duplicate_uuid", file.path, first.ordinal, f"{len(repeated)} uuids occur more than once")


def tree_issues(mains: Sequence[File], subagents: Sequence[File]) -> Iterator[Issue]:
    """Yield what is wrong with the files of a tree as a whole."""
    for extra in mains[1:]:
        yield issue("main_twice", extra.path, None, f"{mains[0].path} is one already")
    yield from _orphans(mains, subagents)
    yield from _twice(subagents)
    agents = {file.agent_id for file in subagents}
    for file in subagents:
        parent = file.meta.parent_agent_id if file.meta is not None else None
        if parent and parent not in agents:
            yield issue("parent_agent", file.path, None, f"parent agent {parent}")
    yield from _dangling([*mains, *subagents])


def _orphans(mains: Sequence[File], subagents: Sequence[File]) -> Iterator[Issue]:
    """Yield sub-agents whose place names another main file; one that has no place belongs to any (S-4)."""
    agents = {file.path for file in subagents if location_says_subagent(file.path)}
    known = agents.union(file.path for file in mains if file.read_error is None or file.lines)
    for file in subagents:
        if file.path in agents:
            found = root_path_of(file.path, known.__contains__, agents.__contains__) is not None
        else:
            found = bool(mains) or file.label.kind != "subagent"
        if not found:
            yield issue("orphan_subagent", file.path, None, "no main file was found for it")


def _twice(subagents: Sequence[File]) -> Iterator[Issue]:
    """Yield sub-agents with the id of another, and those that claim its dispatching call."""
    by_agent: dict[str, list[File]] = defaultdict(list)
    by_call: dict[str, list[File]] = defaultdict(list)
    for file in subagents:
        if file.label.kind == "subagent":
            by_agent[file.agent_id or ""].append(file)
        if file.meta is not None and file.meta.tool_use_id:
            by_call[file.meta.tool_use_id].append(file)
    for agent_id, files in by_agent.items():
        first, *others = sorted(files, key=lambda file: file.path)
        for file in others:
            yield issue("agent_twice", file.path, None, f"agent {agent_id} is also in {first.path}")
    for call, files in by_call.items():
        first = min(files, key=lambda file: file.agent_id or "")
        for file in files:
            if file.agent_id != first.agent_id:
                yield issue("dispatch_twice", file.path, None, f"call {call} also dispatched {first.path}")


def _dangling(files: Iterable[File]) -> Iterator[Issue]:
    uuids = {line.uuid for file in files for line in file.lines}
    for file in files:
        missing = [line for line in file.lines if _names_parent(line) and line.parent_uuid not in uuids]
        if missing:
            yield issue(
                "dangling_parent", file.path, missing[0].ordinal, f"{len(missing)} parents are not in the session"
            )


def _names_parent(line: Line) -> bool:
    return bool(line.parent_uuid)
