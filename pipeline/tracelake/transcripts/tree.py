"""Tree: one session, its main transcript and those of its sub-agents (parser.md 8.7)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tracelake.errors import TracelakeError
from tracelake.provenance import descendant_subagent_paths
from tracelake.sources.layout import described_by
from tracelake.sources.paths import reason_of
from tracelake.sources.sidecars import read_meta
from tracelake.transcripts.checks import Issue, file_issues, issue, tree_issues
from tracelake.transcripts.file import File, Label
from tracelake.transcripts.read import read_transcript

Reader = Callable[[str, str | None], File]
"""Reads the transcript at a path, of the sub-agent with the id, or of the main thread for None."""

PathLike = str | os.PathLike[str]


@dataclass
class Tree:
    """One session: its main file, its sub-agents, and what is wrong with them.

    `others` are further main files where an explicit list named several, `stray_metas` the sidecars without a
    transcript, `unreadable` the folders that could not be listed, each with the reason.
    """

    main: File | None
    subagents: list[File] = field(default_factory=list)
    others: list[File] = field(default_factory=list)
    stray_metas: list[str] = field(default_factory=list)
    unreadable: list[tuple[str, str]] = field(default_factory=list)

    @property
    def files(self) -> list[File]:
        """All files: the main one, further ones, sub-agents."""
        return [*([] if self.main is None else [self.main]), *self.others, *self.subagents]

    @property
    def session_id(self) -> str:
        """The session of the main file; without one, that of the first sub-agent."""
        files = self.files
        return files[0].session_id if files else ""

    def subagent_for_tool_use(self, tool_use_id: str) -> File | None:
        """Return the transcript of the sub-agent that a call started, by its sidecar; None where there is none."""
        if not tool_use_id:
            return None
        claims = (file for file in self.subagents if file.meta is not None and file.meta.tool_use_id == tool_use_id)
        return next(claims, None)

    def add_subagent(self, file: File) -> list[Issue]:
        """Add a decoded sub-agent and return the issues that name it, the same as if it had been listed."""
        self.subagents.append(file)
        return [one for one in self.issues if one.path == file.path]

    @property
    def issues(self) -> list[Issue]:
        """Everything that the checks find now, over all lines of all files."""
        found = [one for file in self.files for one in file_issues(file, self.session_id)]
        found += tree_issues([file for file in self.files if file.agent_id is None], self.subagents)
        found += [
            issue("meta_without_transcript", path, None, "there is no transcript beside it")
            for path in self.stray_metas
        ]
        return found + [issue("read_error", path, None, reason) for path, reason in self.unreadable]


def single_file_tree(file: File) -> Tree:
    """Return the tree of one decoded main transcript; `add_subagent` adds to it."""
    return Tree(file)


def read_tree(source: PathLike | Iterable[PathLike], reader: Reader = read_transcript) -> Tree:
    """Return a session's tree: of a main transcript and all that lies in its `subagents` folder, or of listed files.

    In a list, `agent-<id>.jsonl` are sub-agents, `.meta.json` sidecars, all others main files. Each transcript is read
    by `reader`; where it gives no sidecar, the one beside a sub-agent's file is read. Never raises for what is on
    disk: a file that cannot be read has no lines and a `read_error`.
    """
    tree = Tree(None)
    if isinstance(source, (str, os.PathLike)):
        paths = _beside(os.fspath(source), tree)
    else:
        paths = [os.fspath(path) for path in source]
    listed = list(dict.fromkeys(paths))
    for path in listed:
        described = described_by(path)
        if described is not None:
            tree.stray_metas += [path] if described not in listed else []
        else:
            _add(tree, _read(path, reader))
    return tree


def _beside(main: str, tree: Tree) -> list[str]:
    """Return a main transcript and what lies in its `subagents` folder, sidecars included."""
    try:
        agents = descendant_subagent_paths(main)
    except OSError as error:
        tree.unreadable.append((main.removesuffix(".jsonl") + "/subagents", reason_of(error)))
        agents = []
    metas = [
        f"{folder}/{name}"
        for folder, _, names in os.walk(main.removesuffix(".jsonl") + "/subagents")
        for name in names
        if described_by(name) is not None
    ]
    return [main, *agents, *sorted(metas)]


def _read(path: str, reader: Reader) -> File:
    label = Label.of(path)
    try:
        file = reader(path, label.agent_id)
    except TracelakeError as error:
        file = File(label, read_error=str(error).removeprefix(f"{path}: "))
    except OSError as error:
        file = File(label, read_error=reason_of(error))
    if file.agent_id is not None and file.meta is None:
        file.meta = read_meta(path)
    return file


def _add(tree: Tree, file: File) -> None:
    if file.agent_id is not None:
        tree.subagents.append(file)
    elif tree.main is None:
        tree.main = file
    else:
        tree.others.append(file)
