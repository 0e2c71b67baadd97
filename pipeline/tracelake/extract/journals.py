"""Workflow journals -> rows of `agent_signals`; nothing else is read from them (parser.md 8.9)."""

from __future__ import annotations

from posixpath import basename, dirname

from tracelake.sources.journals import JournalEntry, read_journal
from tracelake.sources.lines import open_counting
from tracelake.sources.model import SourceFile
from tracelake.sources.opening import open_regular
from tracelake.tables.rows import AgentSignalRow

_SIGNALS = {"started": ("launched", ""), "result": ("ended", "completed")}


def journal_rows(file: SourceFile) -> tuple[list[AgentSignalRow], str | None]:
    """Return the rows of a journal and what is wrong with its first unreadable line. Raises OSError."""
    rows: list[AgentSignalRow] = []
    problem = None
    with open_regular(file.os_path) as stream:
        for entry in read_journal(open_counting(stream)[1]):
            problem = problem or entry.error
            if entry.kind in _SIGNALS and entry.agent_id:
                rows.append(_row(entry, len(rows), basename(dirname(file.path))))
    return rows, problem


def _row(entry: JournalEntry, seq: int, run_id: str) -> AgentSignalRow:
    signal, status = _SIGNALS[entry.kind]
    return AgentSignalRow(
        line_no=entry.line_no,
        record_no=0,
        seq=seq,
        signal=signal,
        target_kind="agent",
        agent_id=entry.agent_id,
        status=status,
        key=f"{entry.key}:{entry.agent_id}",
        carrier="journal",
        run_id=run_id,
        strict=False,
    )
