"""Place: where a record stands in its file."""

from __future__ import annotations

from pipeline.decode.parse import Decoded
from pipeline.sources.lines import Line


class Place:
    """Where a record stands: its line, its number on the line, its time, and the line's shortened values.

    `ordinal` is the message the record was folded into, None where it made or joined none. `searched` is how far
    the line was searched for blobs.
    """

    __slots__ = ("at", "decoded", "line", "ordinal", "record_no", "searched")

    def __init__(self, line: Line, decoded: Decoded, record_no: int, at: int | None) -> None:
        """Made once per record; `at` is its time in microseconds."""
        self.line = line
        self.decoded = decoded
        self.record_no = record_no
        self.at = at
        self.ordinal: int | None = None
        self.searched = 0
