"""From something found to its SourceFile, reading as little of it as possible."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import msgspec

from tracelake.sources import layout
from tracelake.sources.compressed import plain_name
from tracelake.sources.fingerprint import fingerprint
from tracelake.sources.layout import Place
from tracelake.sources.model import TRANSCRIPT_KINDS, Cause, SourceFile
from tracelake.sources.paths import UNASSIGNED, hashed_id, one_line, reason_of, text_of, usable_id
from tracelake.sources.session_ids import RootIds, is_folder, is_regular, main_session_id
from tracelake.sources.sniff import READABLE_AGENTS, Sniff, sniff
from tracelake.sources.walk import Found

UNRECOGNISED = "unrecognised"
_FOLLOWERS = frozenset({"subagent", "workflow_subagent", "journal", "sidecar"})
"""Kinds that carry the session id of the main file they belong to."""


class Classifier:
    """Classifies the findings of one search, each once; `problems` collects what could not be read."""

    def __init__(self, found: Mapping[str, Found], known: Mapping[str, SourceFile]) -> None:
        """Take what was found and the records of earlier runs, both by path."""
        self.problems: list[str] = []
        self._found = found
        self._known = known
        self._done: dict[str, SourceFile | None] = {}
        self._roots = RootIds(self._id_at)
        self._is_session_dir = cache(self._belongs_to_claude)

    def record(self, path: str) -> SourceFile | None:
        """Return the record of one finding; None when the file is gone by now. Raises nothing."""
        if path not in self._done:
            made = self._done[path] = self._record(self._found[path])
            if made is not None and made.cause is Cause.NOT_READ_YET:
                self.problems.append(f"{one_line(path)}: not read: {made.reason}")
        return self._done[path]

    def _record(self, found: Found) -> SourceFile | None:
        if found.special is not None:
            return self._unrecognised(found, found.special)
        earlier = self._known.get(found.path)
        try:
            if earlier is not None and (same := _reused(earlier, found)):
                return self._following(same)
            return self._fresh(found)
        except FileNotFoundError as error:
            self._problem(found, error)
            return None
        except OSError as error:
            self._problem(found, error)
            # Rows that were read before must outlast a file that cannot be read for now.
            if earlier is not None and earlier.fingerprint:
                return earlier
            return self._unrecognised(found, reason_of(error), cause=Cause.UNREADABLE)

    def _fresh(self, found: Found) -> SourceFile:
        """Classify by place and, where the place is not enough, by content (S-1). Raises OSError."""
        mark = fingerprint(found.os_path, found.size)
        place = layout.place_of(found.os_path, is_regular, self._is_session_dir)
        if place.kind in ("sidecar", "journal"):
            other = self._other_agents(found, place, mark)
            return other or self._beside(found, place, mark)
        verdict = sniff(found.os_path)
        if verdict.kind_hint == "journal":
            return self._beside(found, place._replace(kind="journal", reason=verdict.reason), mark)
        trusted = not verdict.agent and layout.trusts_location(found.path, found.size == 0)
        if verdict.agent in READABLE_AGENTS or trusted:
            return self._transcript(found, place, verdict, mark)
        reason, cause = verdict.reason, verdict.cause
        if verdict.agent:
            reason, cause = f"{verdict.agent} transcript, not read by this version", Cause.NOT_READ_YET
        return self._unrecognised(found, reason, verdict.agent, mark, cause)

    def _other_agents(self, found: Found, place: Place, mark: str) -> SourceFile | None:
        """Return the record of another agent's session that lies in a folder like a Claude session's.

        Raises OSError. Results that Claude Code stored are no transcripts, whatever they quote.
        """
        if not plain_name(found.path).endswith(".jsonl") or layout.is_stored_result(found.path, place):
            return None
        verdict = sniff(found.os_path)
        is_other = verdict.agent in READABLE_AGENTS and verdict.agent != "claude" and verdict.session_id is not None
        return self._by_header(found, verdict, mark) if is_other else None

    def _belongs_to_claude(self, folder: str) -> bool:
        """Return whether a folder is a session's companion; never beside the session of another agent."""
        if not layout.is_session_dir(folder, is_regular, is_folder):
            return False
        main = text_of(folder + ".jsonl")
        beside = self.record(main) if main in self._found else None
        return beside is None or beside.agent in ("", "claude")

    def _transcript(self, found: Found, place: Place, verdict: Sniff, mark: str) -> SourceFile:
        if verdict.agent not in ("", "claude"):
            return self._by_header(found, verdict, mark)
        kind = "main" if place.kind == "other" else place.kind
        top = place.session_dir
        if kind in ("main", "legacy_subagent") or top is None:
            session_id = main_session_id(found.path, verdict.session_id)
        else:
            session_id = self._roots.of_folder(top) or usable_id(verdict.session_id, text_of(top))
        return _source_file(found, kind, verdict.agent or "claude", session_id, None, top, mark)

    def _by_header(self, found: Found, verdict: Sniff, mark: str) -> SourceFile:
        """A session of its own, whatever its place: its header says all there is to know (parser.md 7.8)."""
        kind = "subagent" if verdict.is_subagent else "main"
        session_id = usable_id(verdict.session_id, found.path)
        made = _source_file(found, kind, verdict.agent, session_id, None, None, mark)
        project = layout.project_of_cwd(verdict.cwd) if verdict.cwd else made.project
        return msgspec.structs.replace(made, project=project, agent_id=None)

    def _beside(self, found: Found, place: Place, mark: str) -> SourceFile:
        """A file that accompanies a session: it carries the session's id, as far as that can be told."""
        top = place.session_dir
        session_id = self._described_id(found.path)
        if session_id is None and top is not None:
            session_id = self._roots.of_folder(top) or hashed_id(text_of(top))
        session_id = session_id or UNASSIGNED
        return _source_file(found, place.kind, "claude", session_id, place.reason, top, mark)

    def _unrecognised(
        self, found: Found, reason: str | None, agent: str = "", mark: str = "", cause: Cause | None = None
    ) -> SourceFile:
        made = _source_file(found, UNRECOGNISED, agent, UNASSIGNED, reason, None, mark)
        return msgspec.structs.replace(made, cause=cause) if cause else made

    def _id_at(self, path: str) -> str | None:
        """Return the session id of a transcript that is part of this search; None for anything else."""
        record = self.record(path) if path in self._found else None
        return record.session_id if record and record.is_transcript else None

    def _described_id(self, path: str) -> str | None:
        """Return the session id of the transcript that a meta sidecar describes."""
        described = layout.described_by(path)
        return None if described is None else self._id_at(described)

    def _following(self, record: SourceFile) -> SourceFile:
        """Follow the main file, should its id have changed since; the record's own file is not opened."""
        if record.kind not in _FOLLOWERS or f"/{record.session_id}/" in record.path:
            return record
        top = layout.top_session_dir(record.os_path)
        leader = self._described_id(record.path) or (top and self._id_at(text_of(top + ".jsonl")))
        return msgspec.structs.replace(record, session_id=leader) if leader else record

    def _problem(self, found: Found, error: OSError) -> None:
        self.problems.append(f"{one_line(found.path)}: cannot be read: {reason_of(error)}")


def _reused(earlier: SourceFile, found: Found) -> SourceFile | None:
    """Return the earlier record when the file is the same as then; it is opened only when merely its size is.

    An earlier failure to read (no fingerprint) and an agent that has become readable are looked at again.
    """
    newly_readable = earlier.kind == UNRECOGNISED and earlier.agent in READABLE_AGENTS
    if not earlier.fingerprint or newly_readable:
        return None
    if earlier.size != found.size or earlier.os_path != found.os_path:
        return None
    if (earlier.mtime_ns, earlier.inode) == (found.mtime_ns, found.inode):
        return earlier
    if fingerprint(found.os_path, found.size) != earlier.fingerprint:
        return None
    return msgspec.structs.replace(earlier, mtime_ns=found.mtime_ns, inode=found.inode)


def _source_file(
    found: Found,
    kind: str,
    agent: str,
    session_id: str,
    reason: str | None,
    session_dir: str | None,
    mark: str,
) -> SourceFile:
    folder = text_of(session_dir) if session_dir is not None else None
    named = kind in TRANSCRIPT_KINDS or kind == "sidecar"
    return SourceFile(
        path=found.path,
        os_path=found.os_path,
        source=found.source,
        project=layout.project_of(found.path, folder),
        kind=kind,
        agent=agent,
        session_id=session_id,
        reason=reason,
        agent_id=layout.agent_id_of(found.path) if named else None,
        size=found.size,
        mtime_ns=found.mtime_ns,
        inode=found.inode,
        fingerprint=mark,
    )
