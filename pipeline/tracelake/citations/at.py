"""What stands on one line: whole answer envelopes, genuine tool output (C-21, T-7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracelake.citations.errors import NoEntryAtLineError
from tracelake.citations.files import record_file, select

if TYPE_CHECKING:
    from tracelake.lake.connect import Connection

_ENTRY = """
    SELECT 1 FROM entries
    WHERE session_id = $session_id AND path = $path AND line_no = $line AND is_strict(status) AND uuid IS NOT NULL
"""


def envelopes_at(lake: Connection, path: str, line: int) -> list[str]:
    """Return every whole tool result on a line that holds an answer wording anywhere; none is an answer too (C-21).

    Raises NoEntryAtLineError where the line is no entry, RecordUnreadableError.
    """
    require_entry(lake, path, line)
    return [row["envelope"] for row in select(lake, "FROM envelopes_at($path, $line)", path=path, line=line)]


def tool_result_at(lake: Connection, path: str, line: int) -> tuple[str, bool]:
    """Return the genuine tool output on a line, and whether there is any (T-7).

    A line that is no entry has none, without an error. Raises RecordUnreadableError.
    """
    record_file(lake, path)
    row = select(lake, "FROM tool_result_at($path, $line)", path=path, line=line)[0]
    return row["text"], row["is_tool_result"]


def require_entry(lake: Connection, path: str, line: int) -> None:
    """Raise NoEntryAtLineError unless the line is an entry on a well-formed line (E-5), RecordUnreadableError."""
    file = record_file(lake, path)
    if not select(lake, _ENTRY, session_id=file.session_id, path=path, line=line):
        raise NoEntryAtLineError(f"{path}:{line}: no entry stands there")
