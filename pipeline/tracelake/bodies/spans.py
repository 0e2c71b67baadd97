"""Spans: where values stand in a line (parser.md 4.6)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

WINDOW_BYTES = 64 * 1024
"""How much is looked at between two checks for cancellation."""

Chunks = bytes | Iterable[bytes] | Callable[[], bytes | None]
"""The bytes of one line: whole, as pieces of any size, or a function that returns the next piece, empty at the end."""

Check = Callable[[], None]
"""Called before every piece and every 64 KiB; whatever it raises ends the work."""


class ValueSpan(NamedTuple):
    """The bytes [start, end) of one value, counted from the first byte of its line."""

    start: int
    end: int


class LocatedSpan(NamedTuple):
    """A value that was found and the index of the path that asked for it."""

    path_index: int
    span: ValueSpan


class Key(str):
    """A step into an object: the member of this name."""

    __slots__ = ()


class Idx(int):
    """A step into an array: the element at this position, from 0."""

    __slots__ = ()


Step = Key | Idx | str | int
"""One segment of a path; a plain str is a Key, a plain int an Idx."""


def windows(chunks: Chunks, check: Check | None = None) -> Iterator[bytes]:
    """Yield the bytes of `chunks` in non-empty pieces of at most 64 KiB, calling `check` before each."""
    for chunk in _pieces(chunks):
        if check is not None and not chunk:
            check()
        for start in range(0, len(chunk), WINDOW_BYTES):
            if check is not None:
                check()
            yield chunk[start : start + WINDOW_BYTES]


def _pieces(chunks: Chunks) -> Iterator[bytes]:
    if isinstance(chunks, bytes):
        yield chunks
    elif callable(chunks):
        while piece := chunks():
            yield piece
    else:
        yield from chunks
