"""File: one transcript, the main thread or one sub-agent (parser.md 8.7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from posixpath import basename

from tracelake.sources.layout import agent_id_of, location_says_subagent, top_session_dir
from tracelake.sources.paths import is_uuid
from tracelake.sources.session_ids import main_session_id
from tracelake.sources.sidecars import Meta
from tracelake.transcripts.model import Line


@dataclass(frozen=True, slots=True)
class Label:
    """What a transcript is called: its path or another name, and the sub-agent it is of (None: the main thread).

    `kind` is main, subagent, or legacy_subagent for an agent's file that lies in no session folder.
    """

    path: str
    agent_id: str | None = None
    kind: str = "main"

    @classmethod
    def of(cls, path: str, agent_id: str | None = None) -> Label:
        """Return the label of a file as its path says; `agent_id` overrides the name's."""
        agent_id = agent_id or (agent_id_of(path) if path.endswith(".jsonl") else None)
        if agent_id is None:
            return cls(path)
        return cls(path, agent_id, "subagent" if location_says_subagent(path) else "legacy_subagent")


@dataclass
class File:
    """One transcript: its label, its lines, and whether its last line was still being written.

    `meta` is the sidecar's content, None without one. `read_error` says why reading stopped early.
    """

    label: Label
    lines: list[Line] = field(default_factory=list)
    torn_final_line: bool = False
    read_error: str | None = None
    meta: Meta | None = None

    @property
    def path(self) -> str:
        """The path or name that the file was read by."""
        return self.label.path

    @property
    def agent_id(self) -> str | None:
        """The sub-agent's id; None for the main thread."""
        return self.label.agent_id

    @property
    def records(self) -> Iterator[Line]:
        """Every object of the file that was decoded, those glued onto the line of another too."""
        for line in self.lines:
            if line.class_ is not None:
                yield line
                yield from line.glued

    @cached_property
    def session_ids(self) -> list[str]:
        """The distinct session ids that the lines name, in order."""
        return list(dict.fromkeys(line.session_id for line in self.records if line.session_id))

    @cached_property
    def session_id(self) -> str:
        """The session the file belongs to: of its name or folder, else the first that its lines name (I-7)."""
        first = self.session_ids[0] if self.session_ids else None
        if self.label.kind != "subagent":
            return main_session_id(self.path, first)
        folder = basename(top_session_dir(self.path) or "")
        return folder if is_uuid(folder) else first or ""
