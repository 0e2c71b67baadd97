"""Facts: what a file's lines say about the file as a whole, for its row in `files`."""

from __future__ import annotations

import os
from typing import NamedTuple, Protocol

from tracelake.tables.entries import STRICT_STATUSES


class Said(Protocol):
    """What one record says about its file, in the words that all agents share."""

    @property
    def uuid(self) -> str | None:
        """Id of the entry."""

    @property
    def parent_uuid(self) -> str | None:
        """The entry before it."""

    @property
    def logical_parent_uuid(self) -> str | None:
        """The entry that it continues."""

    @property
    def timestamp(self) -> str | None:
        """Its time as written."""

    @property
    def is_sidechain(self) -> bool | None:
        """Whether it belongs to a sub-agent's own conversation."""

    @property
    def own_session_id(self) -> str | None:
        """The session id that it names."""

    @property
    def cwd(self) -> str | None:
        """Working directory."""

    @property
    def git_branch(self) -> str | None:
        """Git branch."""

    @property
    def version(self) -> str | None:
        """Client version."""

    @property
    def prompt_id(self) -> str | None:
        """The prompt that it belongs to."""

    @property
    def forked_from_session_id(self) -> str | None:
        """The session that it was copied from."""

    @property
    def continued_in_session_id(self) -> str | None:
        """The session that it names as the one that goes on from this one."""


class Spawn(NamedTuple):
    """What a file says of the session that started it, where it is a sub-agent's and says so itself."""

    parent_session_id: str | None
    agent_type: str | None
    description: str | None
    depth: int | None


class Facts:
    """Gathers facts line by line; strict ones come from lines that a strict reader takes (E-3)."""

    def __init__(self) -> None:
        """Start with nothing known."""
        self.start_time: int | None = None
        self.end_time: int | None = None
        self.start_cwd: str | None = None
        self.cwds: dict[str, None] = {}
        self.session_ids: dict[str, None] = {}
        self.cwd: str | None = None
        self.prompt_id: str | None = None
        self.forked_line_count = 0
        self.continued_in_session_id: str | None = None
        self.git_branch: str | None = None
        self.version: str | None = None
        self.root: tuple[str, str | None, str | None] | None = None
        self.root_line_no: int | None = None
        self.first_is_sidechain: bool | None = None
        self.first_oversize_line: int | None = None
        self.strict_error: str | None = None
        self.torn_tail = False
        self.last_unreadable_line: int | None = None
        self.lines = 0
        self.models: dict[str, None] = {}
        self.spawn: Spawn | None = None
        self.filed_as_subagent = False

    @property
    def is_subagent_record(self) -> bool:
        """Whether the file is a sub-agent's, as far as is known: by its meta or place, or its first entry (S-2)."""
        return self.filed_as_subagent or bool(self.first_is_sidechain)

    @property
    def first_cwd(self) -> str | None:
        """The first working directory that a record named."""
        return next(iter(self.cwds), None)

    def status(self, line_no: int, status: str, error: str | None) -> None:
        """Note what a line's status means for the whole file (E-2, E-4)."""
        self.lines = line_no
        if status == "oversize" and self.first_oversize_line is None:
            self.first_oversize_line = line_no
        self.torn_tail = status == "torn"
        if status in ("bad_json", "torn"):
            self.last_unreadable_line = line_no
        if self.strict_error is None and status != "blank" and status not in STRICT_STATUSES:
            self.strict_error = f"line {line_no}: {error or status}"

    def strict(self, record: Said, timestamp: int | None) -> None:
        """Take a record of a line that a strict reader takes (I-1, I-7, I-8, I-9, S-2)."""
        if self.start_time is None:
            self.start_time = timestamp
        if self.start_cwd is None and record.cwd:
            self.start_cwd = record.cwd
        uuid = record.uuid
        if not uuid:
            return
        if self.first_is_sidechain is None:
            self.first_is_sidechain = bool(record.is_sidechain)
        if self.root is None and record.parent_uuid is None:
            self.root = (uuid, record.logical_parent_uuid or None, record.timestamp)
            self.root_line_no = self.lines

    def lenient(self, record: Said, timestamp: int | None) -> None:
        """Take any record that was decoded."""
        if timestamp is not None and (self.end_time is None or timestamp > self.end_time):
            self.end_time = timestamp
        cwd, session_id = record.cwd, record.own_session_id
        if cwd:
            self.cwd = cwd
            if cwd not in self.cwds:
                self.cwds[cwd] = None
        if session_id and session_id not in self.session_ids:
            self.session_ids[session_id] = None
        self.git_branch = record.git_branch or self.git_branch
        self.version = record.version or self.version
        self.prompt_id = record.prompt_id or self.prompt_id
        if record.forked_from_session_id:
            self.forked_line_count += 1
        if record.continued_in_session_id:
            self.continued_in_session_id = record.continued_in_session_id


def resolve_work_dir(path: str) -> str:
    """Return `path` with the symlinks of its longest existing ancestor resolved (I-11)."""
    if not path.startswith("/") or "\0" in path:
        return path
    return os.path.realpath(path)
