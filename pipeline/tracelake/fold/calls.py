"""Calls: tool calls waiting for their results, within one file.

The first result with an id wins and is copied to every call with that id, earlier or later
(parser.md 3.5, store rule). Calls are emitted as soon as they are settled, so that memory holds the
pending ones; bodies of earlier results are kept aside for calls that are repeated after their result.

Whether a call ran is up to all of its results (T-5): a call whose first result says that it did not run is
rare, and is held on disk until the end of the file.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any, NamedTuple

from tracelake.fold.held import HeldRows
from tracelake.fold.verdicts import NO_RESULT, RAN, Verdict, apply, merge
from tracelake.tables.rows import ToolCallRow

HELD_CHARACTERS = 8 * 1024 * 1024
"""How much of the result bodies stays in memory; those of later results go to a temporary file."""


class Result(NamedTuple):
    """What a result patches into its calls; `at` is its time in microseconds, `text` None for a lifted body.

    `seq` is the number of its row of `tool_results`, None where it has none. `failed` is None where only the text could
    say it, and the text was lifted out.
    """

    status: str
    text: str | None
    size: int
    sha256: str | None
    media_type: str | None
    line_no: int
    at: int | None
    seq: int | None = 0
    failed: bool | None = None


class Calls:
    """Matches calls and results by id; settled calls go to `out`."""

    def __init__(self, out: list[ToolCallRow]) -> None:
        """Emit settled ToolCallRows to the list `out`."""
        self.out = out
        self._pending: dict[str, list[ToolCallRow]] = {}
        self._idless: list[ToolCallRow] = []
        self._results: dict[str, tuple[Result, int, int]] = {}
        self._held_characters = 0
        self._doubtful: dict[str, Verdict] = {}
        self._held = HeldRows()
        self._spool: Any = None

    def add(self, row: ToolCallRow) -> None:
        """Take a call; it is emitted at once when its result is already known."""
        call_id = row.tool_use_id
        if not call_id:
            self._idless.append(row)
        elif call_id in self._results:
            self._patch(row, self._recall(call_id))
        else:
            self._pending.setdefault(call_id, []).append(row)

    def settle(self, call_id: str | None, result: Result, verdict: Verdict = RAN) -> None:
        """Take a result; of later ones with the same id only the verdict counts."""
        if not call_id:
            return
        if call_id in self._results:
            if call_id in self._doubtful:
                self._doubtful[call_id] = merge(self._doubtful[call_id], verdict)
            return
        if verdict is not RAN:
            self._doubtful[call_id] = verdict
        self._results[call_id] = self._keep(result)
        for row in self._pending.pop(call_id, ()):
            self._patch(row, result)

    def finish(self, on_full: Callable[[], None] = lambda: None) -> None:
        """Emit the calls that never got a result and those held back, and drop what was kept aside.

        `on_full` is called each time a few megabytes were emitted; it may replace `out`.
        """
        for rows in (*self._pending.values(), self._idless):
            for row in rows:
                apply(row, NO_RESULT)
            self.out.extend(rows)
        self._pending, self._idless = {}, []
        for call_id, row in self._held.release(on_full):
            apply(row, self._doubtful[call_id])
            self.out.append(row)
        if self._spool is not None:
            self._spool.close()
            self._spool = None

    def _keep(self, result: Result) -> tuple[Result, int, int]:
        """Return the result and where its text went: 0 and 0 when it stays with it."""
        text = result.text or ""
        if self._held_characters + len(text) <= HELD_CHARACTERS:
            self._held_characters += len(text)
            return result, 0, 0
        if self._spool is None:
            self._spool = tempfile.TemporaryFile()  # noqa: SIM115 (closed by finish)
        data = text.encode()
        start = self._spool.seek(0, 2)
        self._spool.write(data)
        return result._replace(text=""), start, len(data)

    def _recall(self, call_id: str) -> Result:
        result, start, size = self._results[call_id]
        if not size:
            return result
        self._spool.seek(start)
        return result._replace(text=self._spool.read(size).decode())

    def _patch(self, row: ToolCallRow, result: Result) -> None:
        row.status = result.status
        row.failed = result.failed
        row.result_text = result.text
        row.result_seq = result.seq
        row.result_bytes = result.size
        row.result_sha256 = result.sha256
        row.result_media_type = result.media_type
        row.result_line_no = result.line_no
        row.result_at = result.at
        if row.tool_use_id in self._doubtful:
            self._held.hold(row.tool_use_id, row)
        else:
            row.ran = row.ran_extended = True
            self.out.append(row)
