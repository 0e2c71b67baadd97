"""Calls: tool calls waiting for their results, within one file.

The first result with an id wins and is copied to every call with that id, earlier or later
(parser.md 3.5, store rule). Calls are emitted as soon as they are settled, so that memory holds the
pending ones; bodies of earlier results are kept aside for calls that are repeated after their result.
"""

from __future__ import annotations

import tempfile
from typing import Any, NamedTuple

SPOOL_BYTES = 16 * 1024 * 1024
"""How much of the result bodies stays in memory before they go to a temporary file."""


class Result(NamedTuple):
    """What a result patches into its calls; `at` is its time in microseconds."""

    status: str
    text: str
    size: int
    sha256: str | None
    media_type: str
    line_no: int
    at: int | None


class Calls:
    """Matches calls and results by id; settled calls go to `out`."""

    def __init__(self, out: list[Any]) -> None:
        """Emit settled ToolCallRows to the list `out`."""
        self.out = out
        self._pending: dict[str, list[Any]] = {}
        self._idless: list[Any] = []
        self._results: dict[str, tuple[Result, int, int]] = {}
        self._spool: Any = None

    def add(self, row: Any) -> None:
        """Take a call; it is emitted at once when its result is already known."""
        call_id = row.tool_use_id
        if not call_id:
            self._idless.append(row)
        elif call_id in self._results:
            self._patch(row, self._recall(call_id))
        else:
            self._pending.setdefault(call_id, []).append(row)

    def settle(self, call_id: str | None, result: Result) -> None:
        """Take a result; later ones with the same id are ignored."""
        if not call_id or call_id in self._results:
            return
        self._results[call_id] = self._keep(result)
        for row in self._pending.pop(call_id, ()):
            self._patch(row, result)

    def finish(self) -> None:
        """Emit the calls that never got a result, and drop what was kept aside."""
        for rows in (*self._pending.values(), self._idless):
            self.out.extend(rows)
        self._pending, self._idless = {}, []
        if self._spool is not None:
            self._spool.close()
            self._spool = None

    def _keep(self, result: Result) -> tuple[Result, int, int]:
        if self._spool is None:
            self._spool = tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES)  # noqa: SIM115 (closed by finish)
        data = result.text.encode()
        start = self._spool.seek(0, 2) or self._spool.tell()
        self._spool.write(data)
        return result._replace(text=""), start, len(data)

    def _recall(self, call_id: str) -> Result:
        result, start, size = self._results[call_id]
        self._spool.seek(start)
        return result._replace(text=self._spool.read(size).decode())

    def _patch(self, row: Any, result: Result) -> None:
        row.status = result.status
        row.result_text = result.text
        row.result_bytes = result.size
        row.result_sha256 = result.sha256
        row.result_media_type = result.media_type
        row.result_line_no = result.line_no
        row.result_at = result.at
        self.out.append(row)
