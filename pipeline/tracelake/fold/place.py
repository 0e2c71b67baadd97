"""Place: where a record stands in its file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tracelake.decode.parse import Decoded
from tracelake.sources.lines import Line

if TYPE_CHECKING:
    from tracelake.citations.calls import CallVerdict
    from tracelake.fold.facts import Facts


class Place:
    """Where a record stands: its line, its number on the line, its time, and the line's shortened values.

    `ordinal` is the message the record was folded into, None where it made or joined none. `searched` is how far
    the line was searched for blobs. `facts` are what is known of the file so far, and `verdicts` those on the
    record's tool calls by block index, where the fold gives them. `results` are the rows of the record's results, and
    `entry_text` is the text of its row of `entries`. `faults` says what could not be folded.
    """

    __slots__ = (
        "at", "decoded", "entry_text", "facts", "faults", "line", "ordinal", "record_no", "results", "searched",
        "verdicts",
    )  # fmt: skip

    def __init__(self, line: Line, decoded: Decoded, record_no: int, at: int | None) -> None:
        """Made once per record; `at` is its time in microseconds."""
        self.line = line
        self.decoded = decoded
        self.record_no = record_no
        self.at = at
        self.ordinal: int | None = None
        self.searched = 0
        self.facts: Facts | None = None
        self.faults: list[str] = []
        self.results: list[Any] = []
        self.entry_text: str | None = None
        self.verdicts: dict[int, CallVerdict] | None = None
