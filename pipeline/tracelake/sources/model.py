"""SourceFile: what discovery knows of one file before it is read."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Cause(StrEnum):
    """Why a file is only listed, as a code; the reason beside it is for people."""

    UNREADABLE = "unreadable"
    """It could not even be looked into."""
    NOT_READ_YET = "not_read_yet"
    """It holds transcripts, in a form that this version does not read."""


class SourceFile(msgspec.Struct, frozen=True):
    """One file found below a source.

    `path` is the text stored in the lake (invalid file-name bytes shown as backslash escapes) and `os_path`
    what opens it; they differ only for names that are not UTF-8.
    """

    path: str
    os_path: str
    source: str
    project: str
    kind: str
    agent: str
    session_id: str
    reason: str | None
    agent_id: str | None
    size: int
    mtime_ns: int
    inode: int
    fingerprint: str
    cause: Cause | None = None

    @property
    def is_transcript(self) -> bool:
        """Whether the file is read as a transcript (the others are only listed)."""
        return self.kind in TRANSCRIPT_KINDS

    @property
    def unreadable(self) -> str | None:
        """Why the file could not even be looked into; None where it could."""
        return self.reason if self.cause is Cause.UNREADABLE else None


TRANSCRIPT_KINDS = frozenset({"main", "subagent", "workflow_subagent", "legacy_subagent"})
"""Kinds whose lines become rows; journal, sidecar and unrecognised files are only listed."""
