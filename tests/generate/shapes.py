"""The shapes of trees, and how one is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

import orjson

from tests.generate.claude import ClaudeFile
from tests.generate.codex import CodexFile
from tests.generate.material import Json, Material
from tests.generate.pi import PiFile

SESSIONS_OF_A_PROJECT = 40
LARGE_TURNS = 1500
AGENT_TREE_TURNS = 40
AGENTS_OF_THE_TREE = 1120, 328
"""Sub-agents, and the sessions they are spread over: 328 sessions are 1,448 files."""

File = tuple[str, list[Json]]


class Conversation(Protocol):
    """What the files of all agents can do."""

    lines: list[Json]

    def prompt(self) -> None: ...
    def turn(self) -> None: ...
    def answer(self) -> None: ...


class Written(NamedTuple):
    """What a tree came to."""

    files: int
    bytes: int


def write_tree(shape: str, sessions: int, folder: Path, seed: int = 1) -> Written:
    """Write a tree of `sessions` sessions below `folder`; sidecars count as files. KeyError for an unknown shape."""
    material = Material(seed)
    files = size = 0
    for number in range(sessions):
        material.begin_session(number)
        for name, lines in SHAPES[shape](material, number):
            data = b"".join(orjson.dumps(line) + b"\n" for line in lines)
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            files += 1
            size += len(data)
    return Written(files, size)


def small(material: Material, number: int) -> Iterator[File]:
    """Sessions of 19 lines and about 18.6 kB."""
    yield _claude(material, number, prompts=1, turns=3)


def large(material: Material, number: int) -> Iterator[File]:
    """Sessions of about 8 MB."""
    yield _claude(material, number, prompts=LARGE_TURNS // 10, turns=10)


def agents(material: Material, number: int) -> Iterator[File]:
    """Sessions of 0.2 MB with three or four sub-agents of 0.2 MB, the fourth in a workflow; 328 of them are 300 MB."""
    session_id, project = material.uuid(), project_of(number)
    main = ClaudeFile(material, session_id, project)
    main.head()
    below = f"{claude_folder(project)}/{session_id}/subagents"
    several, spread = AGENTS_OF_THE_TREE
    count = (number + 1) * several // spread - number * several // spread
    for place in range(count):
        _talk(main, prompts=1, turns=AGENT_TREE_TURNS // 4)
        agent_id = material.token("a")[2:18]
        call = main.dispatch(agent_id)
        of_workflow = place == 3
        yield from _agent(
            material, session_id, project, agent_id, call, f"{below}/workflows/wf_1" if of_workflow else below
        )
    main.tail()
    yield f"{claude_folder(project)}/{session_id}.jsonl", main.lines


def _agent(material: Material, session_id: str, project: str, agent_id: str, call: str, folder: str) -> Iterator[File]:
    agent = ClaudeFile(material, session_id, project, agent_id)
    _talk(agent, prompts=1, turns=AGENT_TREE_TURNS)
    yield f"{folder}/agent-{agent_id}.jsonl", agent.lines
    meta = {"agentType": "Explore", "description": "look", "toolUseId": call, "spawnDepth": 1}
    yield f"{folder}/agent-{agent_id}.meta.json", [meta]


def forks(material: Material, number: int) -> Iterator[File]:
    """Conversations of four files: an original, its fork, the fork of that, and a resume that repeats everything."""
    project = project_of(number)
    first = ClaudeFile(material, material.uuid(), project)
    first.head()
    _talk(first, prompts=3, turns=4)
    lines = first.lines
    yield f"{claude_folder(project)}/{lines[0]['sessionId']}.jsonl", lines
    for kept in (len(lines) // 2, len(lines) // 3, None):
        session_id = material.uuid()
        copied = [line | ({"sessionId": session_id} if "sessionId" in line else {}) for line in lines[:kept]]
        branch = ClaudeFile(material, session_id, project)
        branch.continue_after(copied)
        _talk(branch, prompts=1, turns=3)
        lines = branch.lines
        yield f"{claude_folder(project)}/{session_id}.jsonl", lines


def codex(material: Material, number: int) -> Iterator[File]:
    """Rollouts; each fifth session has a sub-agent, which is a session of its own."""
    session_id, project = material.uuid(), project_of(number)
    for parent_id in (None, session_id) if number % 5 == 4 else (None,):
        name = material.uuid() if parent_id else session_id
        file = CodexFile(material, name, project, parent_id)
        _talk(file, prompts=2, turns=4)
        day, time = file.began_at[:10], file.began_at[:19].replace(":", "-")
        yield f"codex/sessions/{day.replace('-', '/')}/rollout-{time}-{name}.jsonl", file.lines


def pi(material: Material, number: int) -> Iterator[File]:
    """Sessions of pi."""
    session_id, project = material.uuid(), project_of(number)
    file = PiFile(material, session_id, project)
    _talk(file, prompts=2, turns=4)
    began = file.began_at.replace(":", "-").replace(".", "-")
    yield f"pi/agent/sessions/--srv-{project}--/{began}_{session_id}.jsonl", file.lines


def mixed(material: Material, number: int) -> Iterator[File]:
    """All others in turns, without the large ones."""
    yield from (small, agents, forks, codex, pi)[number % 5](material, number)


SHAPES: dict[str, Callable[[Material, int], Iterator[File]]] = {
    shape.__name__: shape for shape in (small, large, agents, forks, codex, pi, mixed)
}
"""Each makes the files of session `number`: paths below the tree, and lines."""


def project_of(number: int) -> str:
    return f"owl-{number // SESSIONS_OF_A_PROJECT}"


def claude_folder(project: str) -> str:
    return f"claude/projects/-srv-{project}"


def _claude(material: Material, number: int, prompts: int, turns: int) -> File:
    session_id, project = material.uuid(), project_of(number)
    file = ClaudeFile(material, session_id, project)
    file.head()
    _talk(file, prompts, turns)
    file.tail()
    return f"{claude_folder(project)}/{session_id}.jsonl", file.lines


def _talk(file: Conversation, prompts: int, turns: int) -> None:
    for _ in range(prompts):
        file.prompt()
        for _ in range(turns):
            file.turn()
        file.answer()
