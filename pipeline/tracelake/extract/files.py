"""The rows of `files` of one session: what discovery, the sidecars and the lines say of each file."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tracelake.fold.facts import Facts, Spawn, resolve_work_dir
from tracelake.lake.manifest import Extent
from tracelake.sources.layout import dispatcher_of, location_says_subagent, root_path_of, session_dir_of
from tracelake.sources.lines import CountingStream
from tracelake.sources.model import SourceFile
from tracelake.sources.sidecars import Meta, read_meta
from tracelake.tables import EXTRACTOR_VERSION
from tracelake.tables.rows import FileRow


class FileRead(NamedTuple):
    """One file that was read: its facts, byte counts, and which of the wanted calls it makes."""

    file: SourceFile
    facts: Facts
    counter: CountingStream
    read_error: str | None
    found_calls: set[str]

    @property
    def extent(self) -> Extent:
        """How the file begins, and how much of it was read."""
        root_uuid = self.facts.root[0] if self.facts.root else None
        return Extent(root_uuid, self.facts.start_time, self.facts.lines, self.counter.bytes)


class FileTable:
    """Gathers what is known of a session's files, then writes their rows."""

    def __init__(self, files: Sequence[SourceFile]) -> None:
        """Read the meta sidecars of the session's transcripts."""
        self._metas: dict[str, Meta] = {}
        for file in files:
            if file.is_transcript and (meta := read_meta(file.os_path)) is not None:
                self._metas[file.path] = meta
        self.wanted_calls = frozenset(meta.tool_use_id for meta in self._metas.values() if meta.tool_use_id)
        self._reads: dict[str, FileRead] = {}
        self._in_order: list[FileRead] = []
        self._listed: list[tuple[SourceFile, str | None]] = []
        self._now_us = time.time_ns() // 1000

    def filed_as_subagent(self, path: str) -> bool:
        """Return whether a file is a sub-agent's by its meta sidecar or its place, before it is read (S-2)."""
        meta = self._metas.get(path)
        return (meta is not None and meta.error is None) or location_says_subagent(path)

    def list(self, file: SourceFile, read_error: str | None = None) -> None:
        """Take a file that was not read."""
        self._listed.append((file, read_error))

    def read(self, read: FileRead) -> None:
        """Take a file that was read."""
        self._reads[read.file.path] = read

    def rows(self) -> Iterator[tuple[SourceFile, FileRow]]:
        """Yield the row of every file that was taken, in order of path."""
        self._in_order = sorted(self._reads.values(), key=_main_first)
        made = [(file, self._base_row(file, error)) for file, error in self._listed]
        made += [(read.file, self._read_row(read)) for read in self._reads.values()]
        yield from sorted(made, key=lambda pair: pair[0].path)

    def _base_row(self, file: SourceFile, read_error: str | None) -> FileRow:
        meta = self._metas.get(file.path) or Meta()
        return FileRow(
            source=file.source,
            project=file.project,
            kind=file.kind,
            reason=file.reason,
            agent_id=file.agent_id,
            bytes=file.size,
            mtime=file.mtime_ns // 1000,
            read_error=read_error or file.unreadable,
            session_dir=session_dir_of(file.path),
            meta_agent_type=meta.agent_type,
            meta_description=meta.description,
            meta_tool_use_id=meta.tool_use_id,
            meta_spawn_depth=meta.spawn_depth,
            meta_parent_agent_id=meta.parent_agent_id,
            meta_model=meta.model,
            meta_error=meta.error,
            extracted_at=self._now_us,
            extractor_version=EXTRACTOR_VERSION,
        )

    def _read_row(self, read: FileRead) -> FileRow:
        file, facts, counter = read.file, read.facts, read.counter
        row = self._base_row(file, read.read_error)
        root = facts.root or (None, None, None)
        row.bytes = counter.bytes
        row.lines = facts.lines
        row.lf_count = counter.lf_count
        row.ends_with_lf = counter.last_byte == b"\n" if counter.bytes else None
        row.torn_tail = facts.torn_tail
        row.last_unreadable_line = facts.last_unreadable_line
        row.first_oversize_line = facts.first_oversize_line
        row.strict_error = facts.strict_error
        row.start_time, row.end_time = facts.start_time, facts.end_time
        row.start_cwd = facts.start_cwd
        row.cwds = list(facts.cwds)
        row.cwds_resolved = [resolve_work_dir(cwd) for cwd in facts.cwds]
        row.git_branch, row.version = facts.git_branch, facts.version
        row.record_session_ids = list(facts.session_ids)
        row.root_path = root_path_of(file.path, self._reads.__contains__, self._is_subagent_record)
        row.parent_path = self._parent_of(read) if self._is_subagent_record(file.path) else None
        row.is_subagent_transcript = self._is_subagent_transcript(file.path)
        row.is_subagent_record = self._is_subagent_record(file.path)
        row.root_uuid, row.root_logical_parent_uuid, row.root_timestamp = root
        row.root_line_no = facts.root_line_no
        row.forked_line_count = facts.forked_line_count
        row.continued_in_session_id = facts.continued_in_session_id
        if facts.spawn is not None:
            _fill_spawn(row, facts.spawn)
        return row

    def _is_subagent_transcript(self, path: str) -> bool:
        """Return whether a readable meta exists, or the first record with a uuid is a sidechain one (S-2)."""
        meta, read = self._metas.get(path), self._reads.get(path)
        return (meta is not None and meta.error is None) or bool(read and read.facts.first_is_sidechain)

    def _is_subagent_record(self, path: str) -> bool:
        return self._is_subagent_transcript(path) or location_says_subagent(path)

    def _parent_of(self, read: FileRead) -> str | None:
        """Return the file that holds the dispatching call, else the named parent agent's, else by location."""
        path = read.file.path
        meta = self._metas.get(path) or Meta()
        others = [other for other in self._in_order if other.file.path != path]
        if meta.tool_use_id:
            for other in others:
                if meta.tool_use_id in other.found_calls:
                    return other.file.path
        if meta.parent_agent_id:
            for other in others:
                if other.file.agent_id == meta.parent_agent_id:
                    return other.file.path
        dispatcher = dispatcher_of(path)
        return dispatcher if dispatcher in self._reads else None


def _fill_spawn(row: FileRow, spawn: Spawn) -> None:
    """Fill in what a sub-agent's own file says of its start; agents that do so write no sidecars."""
    row.parent_session_id = spawn.parent_session_id
    row.meta_agent_type = row.meta_agent_type or spawn.agent_type
    row.meta_description = row.meta_description or spawn.description
    row.meta_spawn_depth = spawn.depth if row.meta_spawn_depth is None else row.meta_spawn_depth


def _main_first(read: FileRead) -> tuple[bool, str]:
    return read.file.kind != "main", read.file.path
