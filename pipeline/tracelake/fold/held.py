"""HeldRows: rows kept aside until the end of the file, beyond a few megabytes in a temporary file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from tracelake.tables.rows import ToolCallRow

SPOOL_BYTES = 4 * 1024 * 1024
"""How much of the held rows stays in memory, and how much is released between two pauses."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(ToolCallRow).decode


class HeldRows:
    """ToolCallRows in the order they were held, each with the id of its call."""

    def __init__(self) -> None:
        """Start with none; the temporary file is made when the first row comes."""
        self._sizes: list[tuple[str, int]] = []
        self._spool: Any = None

    def hold(self, call_id: str, row: Any) -> None:
        """Keep a row aside; it must not be changed any more."""
        if self._spool is None:
            self._spool = tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES)  # noqa: SIM115 (closed by release)
        data = _encode(row)
        self._spool.write(data)
        self._sizes.append((call_id, len(data)))

    def release(self, on_full: Callable[[], None]) -> Iterator[tuple[str, Any]]:
        """Yield every row once; `on_full` is called after each SPOOL_BYTES of them."""
        if self._spool is None:
            return
        self._spool.seek(0)
        released = 0
        for call_id, size in self._sizes:
            yield call_id, _decode(self._spool.read(size))
            released += size
            if released >= SPOOL_BYTES:
                on_full()
                released = 0
        self._spool.close()
        self._spool, self._sizes = None, []
