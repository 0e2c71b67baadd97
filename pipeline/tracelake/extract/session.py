"""One session's files -> one staged partition: the work of one task."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

from tracelake.decode.oversize import decode_oversize
from tracelake.decode.parse import Decoded, decode_line
from tracelake.extract.files import FileRead, FileTable
from tracelake.extract.journals import journal_rows
from tracelake.extract.kept import carry_over
from tracelake.fold.agents import FOLDS, Fold
from tracelake.fold.rows import Rows
from tracelake.lake.tasks import KeptFile, SessionResult, SessionTask
from tracelake.lake.write import PartitionWriter
from tracelake.sources.compressed import open_transcript
from tracelake.sources.lines import Line, LineReader, open_counting
from tracelake.sources.model import SourceFile
from tracelake.sources.paths import reason_of
from tracelake.tables import TABLES
from tracelake.tables.rows import RawLineRow

EXTRACTOR_VERSION = 5
"""Raised whenever the rows made from the same bytes change; sessions of another version are read again."""

FLUSH_BYTES = 24 * 1024 * 1024
"""How many source bytes are turned into rows before they are written as row groups."""
BATCH_BYTES = 6 * 1024 * 1024
"""How many source bytes of one file are turned into rows before they become Arrow batches."""


Constants = tuple[str, str, str]
"""session_id, agent and path of one file."""


def extract_session(task: SessionTask) -> SessionResult:
    """Read the task's files, carry over the kept ones, write the staged partition.

    Files that cannot be read are reported in the result, never raised. Raises OSError when the staging folder
    cannot be written.
    """
    started = time.perf_counter()
    staging = Path(task.staging)
    staging.mkdir(mode=0o700, parents=True, exist_ok=True)
    with PartitionWriter(staging) as writer:
        run = _SessionRun(task, writer)
        for file in task.files:
            run.read(file)
        run.finish()
    return SessionResult(
        session_id=task.session_id,
        rows=run.writer.rows,
        statuses=dict(run.statuses),
        files=run.writer.rows.get("files", 0),
        lines=run.lines,
        bytes=run.bytes,
        models=sorted(run.models),
        read_errors=run.read_errors,
        kept_errors=list(run.files.unreadable),
        moved=run.moved,
        seconds=time.perf_counter() - started,
    )


class _SessionRun:
    """The state of one task."""

    def __init__(self, task: SessionTask, writer: PartitionWriter) -> None:
        self.task = task
        self.writer = writer
        self.files = FileTable(task)
        self.statuses: Counter[str] = Counter()
        self.models: set[str] = set()
        self.lines = self.bytes = self._unflushed = 0
        self.read_errors: list[tuple[str, str]] = []
        self._unreadable: list[KeptFile] = []
        self.moved: list[str] = []

    def read(self, file: SourceFile) -> None:
        """Turn one file into rows; of a journal only its signals are read, any other is only listed."""
        if file.kind == "journal":
            self._read_journal(file)
            return
        if not file.is_transcript:
            self.files.list(file)
            return
        try:
            stream = open_transcript(file.os_path)
        except OSError as error:
            self._cannot_read(file, reason_of(error))
            return
        with stream:
            self._read_stream(file, stream)

    def _read_journal(self, file: SourceFile) -> None:
        try:
            rows, problem = journal_rows(file)
        except OSError as error:
            self._cannot_read(file, reason_of(error))
            return
        self.writer.add(TABLES["agent_signals"], rows, (file.session_id, file.agent, file.path))
        self.files.list(file, read_error=problem)

    def _cannot_read(self, file: SourceFile, reason: str) -> None:
        self.read_errors.append((file.path, reason))
        if file.path in self.task.read_before:
            self._unreadable.append(KeptFile(file.path, None))
            self.files.unreadable[file.path] = reason
        else:
            self.files.list(file, read_error=reason)

    def _read_stream(self, file: SourceFile, stream: BinaryIO) -> None:
        counter, buffered = open_counting(stream)
        fold = FOLDS[file.agent](Rows(), file.agent_id is not None, self.files.wanted_calls)
        fold.facts.filed_as_subagent = self.files.filed_as_subagent(file.path)
        constants = (file.session_id, file.agent, file.path)
        fold.keeps_raw = self.task.with_raw
        fold.on_full = partial(self._hand_over, fold, constants, BATCH_BYTES)
        read_error = None
        pending = 0
        try:
            for line in LineReader(buffered):
                decoded = self._decode(line, fold, constants)
                self.statuses[fold.feed(line, decoded)] += 1
                pending += line.byte_len
                if pending >= BATCH_BYTES:
                    self._hand_over(fold, constants, pending)
                    pending = 0
        except OSError as error:
            read_error = reason_of(error)
            self.read_errors.append((file.path, read_error))
        facts = fold.finish()
        self._hand_over(fold, constants, pending)
        self.models.update(facts.models)
        self.lines += facts.lines
        self.bytes += counter.bytes
        self.files.read(FileRead(file, facts, counter, read_error, fold.found_calls))

    def _decode(self, line: Line, fold: Fold, constants: Constants) -> Decoded:
        if line.data is None:
            return decode_oversize(self._pieces(line, fold.rows, constants), fold.form)
        if self.task.with_raw:
            fold.rows.raw_lines.append(RawLineRow(line_no=line.line_no, chunk_no=0, raw=line.data))
        return decode_line(line.data, line.has_lf, fold.form)

    def _pieces(self, line: Line, rows: Rows, constants: Constants) -> Iterator[bytes]:
        """Yield the pieces of a long line, their raw rows written on the way so that they never pile up."""
        held = 0
        for chunk_no, piece in enumerate(line.pieces()):
            if self.task.with_raw:
                rows.raw_lines.append(RawLineRow(line_no=line.line_no, chunk_no=chunk_no, raw=piece))
                held += len(piece)
                if held >= BATCH_BYTES:
                    self.writer.add(TABLES["raw_lines"], rows.raw_lines, constants)
                    self.writer.flush()
                    rows.raw_lines, held = [], 0
            yield piece

    def _hand_over(self, fold: Fold, constants: Constants, source_bytes: int) -> None:
        """Give the rows gathered so far to the writer, and write when there are enough."""
        rows = fold.rows
        for name, table in TABLES.items():
            self.writer.add(table, rows.of(name), constants)
        fold.rebind(Rows())
        self._unflushed += source_bytes
        if self._unflushed >= FLUSH_BYTES:
            self.writer.flush()
            self._unflushed = 0

    def finish(self) -> None:
        """Write the rows of `files`, carry over what is kept, close the partition."""
        self.files.write(self.writer)
        carried = carry_over(self.task, self._unreadable, self.files.unreadable, self.writer, self.files.extents())
        self.moved = carried.moved
        self.statuses.update(carried.statuses)
        self.models |= carried.models
        self.lines += carried.lines
        self.bytes += carried.bytes
