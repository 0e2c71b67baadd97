"""Codex token counts -> rows of `token_usage` (parser.md 6.3).

A count carries the tokens of the last response and the thread's running total, and is written again whenever rate
limits change: the same total is the same response, and what the total grew by is what a response took. A fork begins
with copies of its ancestor's lines, written at another time but with the same totals. So the key of a count is its
thread of origin and its running total.
"""

from __future__ import annotations

import hashlib
from typing import Any

from tracelake.decode.codex import Counts, Payload, TokenInfo
from tracelake.fold.place import Place
from tracelake.tables.token_usage import TokenUsageRow

_FIELDS = (
    "input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens", "reasoning_output_tokens",
    "total_tokens",
)  # fmt: skip
_ZERO = (0,) * len(_FIELDS)


class TokenCounter:
    """The thread of origin and the running total of one rollout."""

    def __init__(self) -> None:
        """Start with no thread and nothing counted."""
        self._thread: str | None = None
        self._named = False
        self._total: tuple[int, ...] | None = None

    def first_line(self, value: bytes) -> None:
        """Take the source text of the file's first record: it stands for the thread until a header names one."""
        if self._thread is None:
            self._thread = "line-" + hashlib.sha256(value).hexdigest()[:16]

    def header(self, payload: Payload) -> None:
        """Take a session_meta; a fork's is followed by copies of its ancestors', nearest first."""
        if not self._named or payload.id == self._thread:
            self._thread = payload.forked_from_id or payload.id or self._thread
            self._named = True

    def row(self, place: Place, info: TokenInfo, model: str | None, ordinal: int | None, is_sidechain: bool) -> Any:
        """Return the row of a count; None when it says nothing about tokens."""
        last, total = info.last_token_usage, info.total_token_usage
        totals = _numbers(total) if total is not None else None
        used = self._used(totals, _numbers(last) if last is not None else None)
        if used is None:
            return None
        if totals is not None and (self._total is None or _least_growth(self._total, totals) >= 0):
            self._total = totals
        read, written, output = used[1], used[2], used[3]
        return TokenUsageRow(
            line_no=place.line.line_no,
            record_no=place.record_no,
            message_ordinal=ordinal,
            dedup_key=self._key(totals, used, place.at),
            carrier="message",
            source_index=0,
            byte_offset=place.line.byte_offset,
            model=info.model or model,
            occurred_at=place.at,
            is_sidechain=is_sidechain,
            usage_final=True,
            input_tokens=max(0, used[0] - read - written),
            output_tokens=output,
            cache_read_tokens=read,
            cache_write_tokens=written,
            cache_write_5m_tokens=written,
            thinking_tokens=used[4],
        )

    def _used(self, totals: tuple[int, ...] | None, last: tuple[int, ...] | None) -> tuple[int, ...] | None:
        """Return the tokens of a count: by how much the total has grown, so that counts that were lost are made up for.

        The first total of a file may hold what others hold too (a fork's, a resumed thread's), one below the largest
        so far is an old one or was begun anew, and one that stays repeats the last response: there the last
        response counts as it is.
        """
        if totals is None:
            return last
        before = self._total or _ZERO
        if last is not None and (self._total in (None, totals) or _least_growth(before, totals) < 0):
            return last
        return tuple(max(0, now - then) for now, then in zip(totals, before, strict=True))

    def _key(self, totals: tuple[int, ...] | None, used: tuple[int, ...], at: int | None) -> str | None:
        if totals is not None:
            return f"codex:{self._thread}:" + ":".join(map(str, totals))
        return None if at is None else f"codex:{self._thread}@{at}:" + ":".join(map(str, used))


def _least_growth(before: tuple[int, ...], now: tuple[int, ...]) -> int:
    return min(after - then for then, after in zip(before, now, strict=True))


def _numbers(counts: Counts) -> tuple[int, ...]:
    return tuple(getattr(counts, name) or 0 for name in _FIELDS)
