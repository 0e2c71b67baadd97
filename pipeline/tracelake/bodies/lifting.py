"""One value: its body goes into the store, and how to make its source text again is found out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from tracelake.bodies.canonical import canonical_body_reader
from tracelake.bodies.kinds import BodyKind, BodyLocation
from tracelake.bodies.spelling import SPELLING_OF, Speller, Spelling, prefix_in
from tracelake.bodies.store import BodyStore, Kept
from tracelake.decode.base64_text import HEAD_BYTES

Windows = Callable[[int, int], Iterator[bytes]]
"""Yields the bytes [start, end) of the file a value is in."""


class LiftedValue(NamedTuple):
    """The body, and what a splice records: the key of the bytes to spell, their spelling and its prefix."""

    body: Kept
    sha256: str
    spelling: Spelling
    prefix: str


def lift_value(store: BodyStore, windows: Windows, start: int, place: BodyLocation, seen: Any) -> LiftedValue:
    """Store the body at `place` of the line that begins at `start`; `seen` is a hash of the source text read.

    Raises BodyError when the value cannot be read as a body, and LakeWriteError.
    """
    begin, end = start + place.span.start, start + place.span.end
    source = hashlib.sha256()
    pieces = _through(windows(begin, end), source.update, seen.update)
    canonical = canonical_body_reader(place.kind, pieces, end - begin)
    if place.kind is BodyKind.RAW:
        body = store.put(canonical)
        return LiftedValue(body, body.sha256, "raw", "")
    prefix = _prefix(windows, begin, end, place.kind)
    spelling = SPELLING_OF[place.kind]
    speller, spelled = Speller(spelling, prefix or ""), hashlib.sha256()
    spelled.update(speller.begin())
    body = store.put(_through(canonical, lambda piece: spelled.update(speller.feed(piece))))
    spelled.update(speller.end())
    if prefix is not None and spelled.digest() == source.digest():
        return LiftedValue(body, body.sha256, spelling, prefix)
    return LiftedValue(body, store.put(windows(begin, end)).sha256, "source", "")


def _prefix(windows: Windows, begin: int, end: int, kind: BodyKind) -> str | None:
    if kind is not BodyKind.BASE64:
        return ""
    return prefix_in(b"".join(windows(begin, min(end, begin + HEAD_BYTES + 1))))


def _through(pieces: Iterable[bytes], *takers: Callable[[bytes], object]) -> Iterator[bytes]:
    """Pass the pieces on; each taker sees them too."""
    for piece in pieces:
        for take in takers:
            take(piece)
        yield piece
