"""The journal of a workflow run: which of its agents started and which gave a result (parser.md 8.9)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

import msgspec

from tracelake.sources.lines import Line, LineReader


class JournalEntry(NamedTuple):
    """One line of a journal; `error` says why a line could not be read, its other fields are then empty."""

    line_no: int
    kind: str
    agent_id: str
    key: str
    error: str | None = None


class _Json(msgspec.Struct, rename="camel"):
    type: str | None = None
    agent_id: str | None = None
    key: str | None = None


_decode = msgspec.json.Decoder(_Json).decode


def read_journal(stream: BinaryIO) -> Iterator[JournalEntry]:
    """Yield an entry per line that is not blank, in file order. Raises OSError.

    Results are skipped unread, and a line over 16 MiB is an error entry, so memory stays bounded.
    """
    for line in LineReader(stream):
        if line.data is None or line.data.strip():
            yield _entry(line)


def _entry(line: Line) -> JournalEntry:
    if line.data is None:
        return JournalEntry(line.line_no, "", "", "", f"line {line.line_no}: over 16 MiB")
    try:
        found = _decode(line.data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        return JournalEntry(line.line_no, "", "", "", f"line {line.line_no}: {error}")
    return JournalEntry(line.line_no, found.type or "", found.agent_id or "", found.key or "")
