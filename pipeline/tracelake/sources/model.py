"""SourceFile: what discovery knows of one file before it is read."""

from __future__ import annotations

import msgspec


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

    @property
    def is_transcript(self) -> bool:
        """Whether the file is read as a transcript (the others are only listed)."""
        return self.kind in TRANSCRIPT_KINDS

    @property
    def unreadable(self) -> str | None:
        """Why the file could not even be looked into; None where it could."""
        found = (self.reason or "").startswith(UNREADABLE)
        return (self.reason or "").removeprefix(UNREADABLE) if found else None


UNREADABLE = "cannot be read: "
"""How the reason of a file begins that could not be looked into."""
TRANSCRIPT_KINDS = frozenset({"main", "subagent", "workflow_subagent", "legacy_subagent"})
"""Kinds whose lines become rows; journal, sidecar and unrecognised files are only listed."""
