"""Facts: what a file's lines say about the file as a whole, for its row in `files`."""

from __future__ import annotations

import os

from pipeline.decode.claude import Record


class Facts:
    """Gathers facts line by line; strict ones come from lines with status ok only (E-3)."""

    def __init__(self) -> None:
        """Start with nothing known."""
        self.start_time: int | None = None
        self.end_time: int | None = None
        self.start_cwd: str | None = None
        self.cwds: dict[str, None] = {}
        self.session_ids: dict[str, None] = {}
        self.git_branch: str | None = None
        self.version: str | None = None
        self.root: tuple[str, str | None, str | None] | None = None
        self.first_is_sidechain: bool | None = None
        self.first_oversize_line: int | None = None
        self.strict_error: str | None = None
        self.torn_tail = False
        self.lines = 0
        self.models: dict[str, None] = {}

    def status(self, line_no: int, status: str, error: str | None) -> None:
        """Note what a line's status means for the whole file (E-2, E-4)."""
        self.lines = line_no
        if status == "oversize" and self.first_oversize_line is None:
            self.first_oversize_line = line_no
        self.torn_tail = status == "torn"
        if self.strict_error is None and status not in ("ok", "blank", "bad_utf8"):
            self.strict_error = f"line {line_no}: {error or status}"

    def strict(self, record: Record, timestamp: int | None) -> None:
        """Take a record of a line with status ok (I-1, I-7, I-8, I-9, S-2)."""
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

    def lenient(self, record: Record, timestamp: int | None) -> None:
        """Take any record that was decoded."""
        if timestamp is not None and (self.end_time is None or timestamp > self.end_time):
            self.end_time = timestamp
        cwd, session_id = record.cwd, record.session_id or record.stream_session_id
        if cwd and cwd not in self.cwds:
            self.cwds[cwd] = None
        if session_id and session_id not in self.session_ids:
            self.session_ids[session_id] = None
        self.git_branch = record.git_branch or self.git_branch
        self.version = record.version or self.version


def resolve_work_dir(path: str) -> str:
    """Return `path` with the symlinks of its longest existing ancestor resolved (I-11)."""
    if not path.startswith("/") or "\0" in path:
        return path
    return os.path.realpath(path)
