"""Reading on from a cursor: the background-agent signals of a transcript since the last look (B-4).

    signals, cursor = signals_since("/home/ada/.claude/projects/p/session.jsonl", Cursor())
    ...
    more, cursor = signals_since("/home/ada/.claude/projects/p/session.jsonl", cursor)

Splitting a file anywhere and putting the answers one after the other gives the answer for the whole file.
"""

from __future__ import annotations

import io
import os
from dataclasses import dataclass
from typing import BinaryIO

from tracelake.decode.claude import FORM
from tracelake.decode.parse import decode_line
from tracelake.errors import SignalsUnknownError
from tracelake.fold.strict_signals import Signal, StrictSignals
from tracelake.sources.fingerprint import stream_fingerprint
from tracelake.sources.lines import PIECE_BYTES, Line, LineReader
from tracelake.sources.opening import open_regular
from tracelake.sources.paths import reason_of
from tracelake.tables.entries import STRICT_STATUSES

__all__ = ["Cursor", "Signal", "running_of", "signals_since"]

_WORDS = (b"run_in_background", b"task-notification", b"agentId")
"""A line with none of these, and no call that waits, holds no signal and need only be valid JSON."""
_VALID = STRICT_STATUSES | {"blank", "bad_type"}


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a file was read: the byte after the last line, a fingerprint of what lies before it, waiting calls."""

    path: str = ""
    offset: int = 0
    check: str = ""
    background: tuple[str, ...] = ()


def signals_since(path: str, cursor: Cursor) -> tuple[list[Signal], Cursor]:
    """Return the signals of the lines after `cursor`, in file order, and the cursor after them.

    A cursor of another path, past the end of the file, or of other content starts over. Memory is bounded by the
    longest line. Raises SignalsUnknownError, whose `cursor` says where to go on, when a line cannot be read:
    then no signal counts, and the same lines are read again next time.
    """
    start = cursor
    try:
        with open_regular(os.path.realpath(path)) as stream:
            if not _fits(stream, path, cursor):
                start = Cursor(path)
            return _read_on(stream, start)
    except OSError as error:
        raise _unknown(f"{path}: {reason_of(error)}", start) from error
    except ValueError as error:
        raise _unknown(f"{path}: {error}", start) from error


def running_of(signals: list[Signal]) -> set[str]:
    """Return the ids of the agents whose last signal is a launch (B-3)."""
    last = {signal.agent_id: signal.kind for signal in signals}
    return {agent_id for agent_id, kind in last.items() if kind == "launched"}


def _fits(stream: BinaryIO, path: str, cursor: Cursor) -> bool:
    """Return whether the file still begins with what the cursor has read."""
    size = os.fstat(stream.fileno()).st_size
    if cursor.path != path or not 0 <= cursor.offset <= size:
        return False
    return cursor.offset == 0 or stream_fingerprint(stream, cursor.offset) == cursor.check


def _read_on(stream: BinaryIO, start: Cursor) -> tuple[list[Signal], Cursor]:
    """Fold the lines from the cursor's offset on. Raises ValueError for a line that strict reading refuses."""
    stream.seek(start.offset)
    fold = StrictSignals(start.background)
    found: list[Signal] = []
    offset = start.offset
    buffered = io.BufferedReader(stream, PIECE_BYTES)  # type: ignore[type-var]
    for line in LineReader(buffered):
        found += _signals(line, fold, offset)
        offset += line.byte_len
    buffered.detach()
    check = stream_fingerprint(stream, offset) if offset else ""
    return found, Cursor(start.path, offset, check, tuple(sorted(fold.waiting)))


def _signals(line: Line, fold: StrictSignals, offset: int) -> list[Signal]:
    if line.data is None:
        raise ValueError(f"the line at byte {offset} is over 16 MiB")
    data = line.data
    decoded = decode_line(data, line.has_lf, FORM)
    named = any(word in data for word in _WORDS) or any(call.encode() in data for call in fold.waiting)
    if decoded.status not in _VALID or (named and decoded.status == "bad_type"):
        raise ValueError(f"the line at byte {offset}: {decoded.error or decoded.status}")
    if not named or not decoded.is_strict:
        return []
    return [placed.signal for record in decoded.records for placed in fold.record(record)]


def _unknown(message: str, cursor: Cursor) -> SignalsUnknownError:
    error = SignalsUnknownError(message)
    error.cursor = cursor
    return error
