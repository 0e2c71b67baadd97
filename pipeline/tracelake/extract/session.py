"""One session's files -> rows in the bundle that is being written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import PurePosixPath
from typing import BinaryIO, cast

from tracelake.decode.oversize import decode_oversize
from tracelake.decode.parse import Decoded, decode_line
from tracelake.extract.files import FileRead, FileTable
from tracelake.extract.journals import journal_rows
from tracelake.extract.rewriting import Rewriting
from tracelake.fold.agents import FOLDS, Fold
from tracelake.fold.rows import Rows
from tracelake.lake.arrow import FileKey
from tracelake.lake.layout import LakePaths
from tracelake.lake.raw_files import open_raw
from tracelake.lake.segments import BATCH_BYTES, BATCH_ROWS, BundleWriter
from tracelake.lake.tasks import FileTask, LostFile, PartResult, SessionResult, SessionTask
from tracelake.sources.compressed import ENDING, open_transcript
from tracelake.sources.lines import Line, LineReader, open_counting
from tracelake.sources.model import SourceFile
from tracelake.sources.paths import reason_of
from tracelake.tables.rows import RawLineRow

LOOK_EVERY_LINES = 64
"""How often the rows of a file are counted while it is read."""


class SourceReadError(Exception):
    """Reading a source stopped; the message is the system's reason. Nothing that is written raises this."""


class SessionReader:
    """Reads one session into a bundle."""

    def __init__(
        self, task: SessionTask, paths: LakePaths, writer: BundleWriter, *, with_raw: bool, now_us: int
    ) -> None:
        """Take what to read and where rows go; the meta sidecars are read here."""
        self._task = task
        self._paths = paths
        self._writer = writer
        self._with_raw = with_raw
        self._now_us = now_us
        self._rewritten: dict[str, Rewriting] = {}
        self._files = FileTable([one.file for one in task.files])
        self._parts: dict[str, PartResult] = {}

    def read(self) -> SessionResult:
        """Read every file. Files that cannot be read are told of in the result. Raises LakeWriteError."""
        for one in self._task.files:
            self._read(one)
        for file, row in self._files.rows():
            part = self._parts[file.path]
            if file.path in self._rewritten and row.lines is not None:
                row.lines_gone = self._rewritten[file.path].gone_before() + part.lines_gone or None
            rows = Rows()
            rows.files.append(row)
            self._add(rows, _key(file, part.part_id), part)
        return SessionResult(self._task.session_id, list(self._parts.values()), moved=list(self._moved()))

    def _read(self, one: FileTask) -> None:
        """Turn one file into rows; of a journal only its signals are read, any other is only listed."""
        file = one.file
        part = PartResult(file.path, one.part_id, {}, {}, [], 0, 0)
        self._parts[file.path] = part
        if file.kind == "journal":
            self._read_journal(file, part)
        elif not file.is_transcript:
            self._files.list(file)
        else:
            try:
                stream = self._open(one)
            except OSError as error:
                part.error = reason_of(error)
                self._files.list(file, read_error=part.error)
            else:
                if one.before is not None:
                    self._rewritten[file.path] = Rewriting(self._paths, one.before)
                with stream:
                    self._read_stream(file, stream, part)
        part.keeps_before = part.error is not None and one.keeps_before

    def _open(self, one: FileTask) -> BinaryIO:
        if one.from_lake and one.before is not None:
            return open_raw(self._paths, one.before.bundle, one.before.part_id)
        return open_transcript(one.file.os_path)

    def _read_journal(self, file: SourceFile, part: PartResult) -> None:
        rows = Rows()
        try:
            rows.agent_signals, problem = journal_rows(file)
        except OSError as error:
            part.error = reason_of(error)
            self._files.list(file, read_error=part.error)
            return
        self._add(rows, _key(file, part.part_id), part)
        self._files.list(file, read_error=problem)

    def _read_stream(self, file: SourceFile, stream: BinaryIO, part: PartResult) -> None:
        key = _key(file, part.part_id)
        counter, buffered = open_counting(cast(BinaryIO, _Source(stream)))
        fold = FOLDS[file.agent](Rows(), file.agent_id is not None, self._files.wanted_calls)
        fold.facts.filed_as_subagent = self._files.filed_as_subagent(file.path)
        fold.keeps_raw = "place" if self._with_raw else "none"
        fold.on_full = partial(self._hand_over, fold, key, part, BATCH_BYTES)
        statuses: Counter[str] = Counter()
        pending = 0
        try:
            for line in LineReader(buffered):
                decoded = self._decode(line, fold, key, part)
                statuses[fold.feed(line, decoded)] += 1
                pending += line.byte_len
                if pending >= BATCH_BYTES or (line.line_no % LOOK_EVERY_LINES == 0 and fold.rows.count() >= BATCH_ROWS):
                    self._hand_over(fold, key, part, pending)
                    pending = 0
        except SourceReadError as error:
            part.error = str(error)
        facts = fold.finish()
        self._hand_over(fold, key, part, pending)
        if file.path in self._rewritten and part.error is None:
            self._keep_superseded(self._rewritten[file.path], key, part)
        read = FileRead(file, facts, counter, part.error, fold.found_calls)
        part.statuses = dict(statuses)
        part.models = sorted(facts.models)
        part.lines, part.bytes = facts.lines, counter.bytes
        part.extent = read.extent
        self._files.read(read)

    def _decode(self, line: Line, fold: Fold, key: FileKey, part: PartResult) -> Decoded:
        if line.data is None:
            return decode_oversize(self._pieces(line, fold.rows, key, part), fold.form)
        if self._with_raw:
            fold.rows.raw_lines.append(RawLineRow(line_no=line.line_no, chunk_no=0, raw=line.data))
        return decode_line(line.data, line.has_lf, fold.form)

    def _pieces(self, line: Line, rows: Rows, key: FileKey, part: PartResult) -> Iterator[bytes]:
        """Yield the pieces of a long line, their raw rows handed over on the way so that they never pile up."""
        for chunk_no, piece in enumerate(line.pieces()):
            if self._with_raw:
                chunk = Rows()
                chunk.raw_lines.append(RawLineRow(line_no=line.line_no, chunk_no=chunk_no, raw=piece))
                if chunk_no == 0:
                    rows.raw_lines, chunk.raw_lines = [], [*rows.raw_lines, *chunk.raw_lines]
                self._add(chunk, key, part, len(piece))
            yield piece

    def _hand_over(self, fold: Fold, key: FileKey, part: PartResult, source_bytes: int) -> None:
        """Give the rows gathered so far to the bundle."""
        rows = fold.rows
        fold.rebind(Rows())
        if key.path in self._rewritten:
            self._rewritten[key.path].note(rows)
        self._add(rows, key, part, source_bytes)

    def _keep_superseded(self, rewriting: Rewriting, key: FileKey, part: PartResult) -> None:
        """Add the rows of calls that stand in the file no longer, and count its lines that are gone."""
        for table, batch in rewriting.superseded(key, self._now_us):
            self._writer.add_batch(table, batch)
            part.rows[table] = part.rows.get(table, 0) + batch.num_rows
            part.models = sorted({*part.models, *rewriting.models})
        part.lines_gone = rewriting.lines_gone()
        part.problem = rewriting.problem

    def _add(self, rows: Rows, key: FileKey, part: PartResult, source_bytes: int = 0) -> None:
        for table, count in self._writer.add(rows, key, source_bytes).items():
            part.rows[table] = part.rows.get(table, 0) + count

    def _moved(self) -> Iterator[str]:
        """Yield the lost files that were read now elsewhere: same name and beginning, and no less of it."""
        for lost in self._task.lost:
            if any(_holds(part, lost) for part in self._parts.values()):
                yield lost.path


def _holds(part: PartResult, lost: LostFile) -> bool:
    return (
        part.extent is not None
        and part.error is None
        and _plain_name(part.path) == _plain_name(lost.path)
        and part.extent.holds(lost.extent)
    )


def _plain_name(path: str) -> str:
    return PurePosixPath(path).name.removesuffix(ENDING)


def _key(file: SourceFile, part_id: int) -> FileKey:
    return FileKey(file.session_id, file.agent, file.path, part_id)


class _Source:
    """A stream whose errors cannot be taken for those of the lake that is written at the same time."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw

    def read(self, size: int) -> bytes:
        try:
            return self._raw.read(size)
        except OSError as error:
            raise SourceReadError(reason_of(error)) from error
