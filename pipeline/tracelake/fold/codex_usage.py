"""Codex token counts and usage records -> rows of `token_usage` (parser.md 6.3, accounting.md 1).

A count carries the tokens of the last response and the thread's running total, and is written again whenever rate
limits change: the same total is the same response, and what the total grew by is what a response took. So the key of
a count is its thread and its running total. A file may begin with a replay of another thread's counts; which of them
are copies is for SQL to say, by `replay_of` and `counts_key`. A usage record stands for one request; where a count of
its turn has the same usage, the two are one call.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from tracelake.decode.codex import Counts, Payload, TokenInfo, subagent_of
from tracelake.fold.place import Place
from tracelake.tables.rows import TokenUsageRow

_FIELDS = (
    "input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens", "reasoning_output_tokens",
    "total_tokens",
)  # fmt: skip
_ZERO = (0,) * len(_FIELDS)

Numbers = tuple[int, ...]


class Where(NamedTuple):
    """What the fold knows of the place of a count: model, open message, whether a sub-agent made it, service tier."""

    model: str | None
    message_ordinal: int | None
    is_sidechain: bool
    service_tier: str | None = None


class TokenCounter:
    """The thread, its ancestors and the running total of one rollout."""

    def __init__(self) -> None:
        """Start with no thread and nothing counted."""
        self._thread: str | None = None
        self._ancestors: list[str] = []
        self._named = False
        self._total: Numbers | None = None
        self._seen: set[Numbers] = set()
        self._turn = _Turn(None)
        self._renamed: dict[Numbers, str] = {}

    def first_line(self, value: bytes) -> None:
        """Take the source text of the file's first record: it stands for the thread until a header names one."""
        if self._thread is None:
            self._thread = "line-" + hashlib.sha256(value).hexdigest()[:16]

    def header(self, payload: Payload) -> None:
        """Take a session_meta: the first names the thread; copies of its ancestors' follow, nearest first."""
        if not self._named:
            self._named = True
            self._thread = payload.id or self._thread
        elif not self._ancestors or payload.id != self._ancestors[-1]:
            return
        spawn = subagent_of(payload)
        parent = payload.forked_from_id or (spawn.parent_thread_id if spawn else None)
        if parent and parent != self._thread and parent not in self._ancestors:
            self._ancestors.append(parent)

    def turn(self, turn_id: str | None) -> None:
        """Note that a turn begins; the same id again is the same turn."""
        if turn_id is None or turn_id != self._turn.turn_id:
            self._turn = _Turn(turn_id)

    def count(self, place: Place, info: TokenInfo, where: Where) -> TokenUsageRow | None:
        """Return the row of a token count; None when it says nothing about tokens."""
        last = _numbers(info.last_token_usage) if info.last_token_usage is not None else None
        totals = _numbers(info.total_token_usage) if info.total_token_usage is not None else None
        used = self._used(totals, last)
        if used is None:
            return None
        row = self._row(place, used, where)
        row.model = info.model or where.model
        row.carrier = "message"
        row.dedup_key = self._count_key(totals, last or used, place.at)
        if totals is not None:
            row.counts_key = _text(totals) + "/" + _text(last or ())
            self._advance(totals, last)
        return row

    def record(self, place: Place, payload: Payload, where: Where) -> TokenUsageRow | None:
        """Return the row of a usage record; None when it carries no usage."""
        if payload.usage is None:
            return None
        used = _numbers(payload.usage)
        row = self._row(place, used, where)
        row.model = payload.model or where.model
        row.carrier = "usage_record"
        row.prompt_id = payload.turn_id
        own = f"codex:response:{payload.response_id}" if payload.response_id else self._timed_key(used, place.at)
        row.dedup_key = self._turn.key_of_record(payload.turn_id, used, own)
        if payload.thread_token_usage is not None:
            self._total = max(_numbers(payload.thread_token_usage), self._total or _ZERO)
        return row

    def _row(self, place: Place, used: Numbers, where: Where) -> TokenUsageRow:
        read, written, output = used[1], used[2], used[3]
        return TokenUsageRow(
            line_no=place.line.line_no,
            record_no=place.record_no,
            message_ordinal=where.message_ordinal,
            replay_of=list(self._ancestors) or None,
            source_index=0,
            byte_offset=place.line.byte_offset,
            occurred_at=place.at,
            is_sidechain=where.is_sidechain,
            service_tier=where.service_tier,
            prompt_id=self._turn.turn_id,
            usage_final=True,
            input_tokens=max(0, used[0] - read - written),
            output_tokens=output,
            cache_read_tokens=read,
            cache_write_tokens=written,
            cache_write_5m_tokens=written,
            thinking_tokens=used[4],
        )

    def _used(self, totals: Numbers | None, last: Numbers | None) -> Numbers | None:
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

    def _advance(self, totals: Numbers, last: Numbers | None) -> None:
        begun_anew = totals == last and totals not in self._seen
        if self._total is None or begun_anew or _least_growth(self._total, totals) >= 0:
            self._total = totals
        self._seen.add(totals)

    def _count_key(self, totals: Numbers | None, last: Numbers, at: int | None) -> str | None:
        if totals is None:
            return self._timed_key(last, at)
        if totals not in self._seen:
            own = f"codex:{self._thread}:{_text(totals)}"
            key = self._turn.key_of_count(last, own)
            if key != own:
                self._renamed[totals] = key
            return key
        return self._renamed.get(totals) or f"codex:{self._thread}:{_text(totals)}"

    def _timed_key(self, used: Numbers, at: int | None) -> str | None:
        return None if at is None else f"codex:{self._thread}@{at}:{_text(used)}"


class _Turn:
    """The counts and usage records of one turn that have no partner yet, each with its key."""

    def __init__(self, turn_id: str | None) -> None:
        self.turn_id = turn_id
        self._counts: list[tuple[Numbers, str]] = []
        self._records: list[tuple[Numbers, str]] = []

    def key_of_count(self, last: Numbers, own: str) -> str:
        """Return the key of the nearest record with the same usage, else `own`."""
        return _take(self._records, last) or self._keep(self._counts, last, own)

    def key_of_record(self, turn_id: str | None, used: Numbers, own: str | None) -> str | None:
        """Return the key of the nearest count with the same usage, else `own`."""
        if turn_id and self.turn_id and turn_id != self.turn_id:
            return own
        found = _take(self._counts, used)
        return found or (self._keep(self._records, used, own) if own else None)

    def _keep(self, kept: list[tuple[Numbers, str]], used: Numbers, own: str) -> str:
        kept.append((used[:5], own))
        return own


def _take(kept: list[tuple[Numbers, str]], used: Numbers) -> str | None:
    """Return the key of the last one with these numbers, whatever they add up to, and forget it; None without one."""
    for index in range(len(kept) - 1, -1, -1):
        if kept[index][0] == used[:5]:
            return kept.pop(index)[1]
    return None


def _least_growth(before: Numbers, now: Numbers) -> int:
    return min(after - then for then, after in zip(before, now, strict=True))


def _numbers(counts: Counts) -> Numbers:
    return tuple(getattr(counts, name) or 0 for name in _FIELDS)


def _text(numbers: Numbers) -> str:
    return ":".join(map(str, numbers))
