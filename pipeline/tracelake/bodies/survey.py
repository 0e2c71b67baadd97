"""bodies_in: every body of a transcript, be it in its line or lifted out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tracelake.bodies.canonical import canonical_body_reader
from tracelake.bodies.find import Finder, shape_of
from tracelake.bodies.kinds import BodyLocation
from tracelake.bodies.lift import agent_of
from tracelake.bodies.reading import Transcript
from tracelake.bodies.sentinel import read_sentinel
from tracelake.bodies.spans import ValueSpan, windows
from tracelake.sources.lines import Line, LineReader

MAX_SENTINEL_BYTES = 1 << 20
"""Longest sentinel that is read; file path and detail are far shorter."""


class FoundBody(NamedTuple):
    """One body of a transcript; `role` is None for one that was lifted out."""

    line_no: int
    role: str | None
    media_type: str
    bytes: int
    sha256: str
    is_lifted: bool
    file_path: str | None
    detail: str | None


def bodies_in(path: Path, agent: str | None = None) -> Iterator[FoundBody]:
    """Yield the bodies of the transcript at `path` in file order, in memory that does not depend on their size.

    Raises BodyError when the file cannot be read or is no transcript, and UsageError for an unknown agent.
    """
    with Transcript(path) as transcript:
        shape = shape_of(agent or agent_of(transcript))
        for line in LineReader(transcript.stream):
            finder = Finder(shape)
            for piece in windows(line.data if line.data is not None else line.pieces()):
                finder.feed(piece)
            found = [*map(partial(_inline, transcript, line), finder.finish())]
            lifted = [_lifted(transcript, line, span) for span in finder.lifted()]
            in_order = sorted([*found, *(item for item in lifted if item is not None)], key=lambda item: item[0])
            yield from (body for _, body in in_order)


def _inline(transcript: Transcript, line: Line, place: BodyLocation) -> tuple[int, FoundBody]:
    begin, end = line.byte_offset + place.span.start, line.byte_offset + place.span.end
    digest, size = hashlib.sha256(), 0
    for piece in canonical_body_reader(place.kind, transcript.windows(begin, end), end - begin):
        digest.update(piece)
        size += len(piece)
    told = (place.file_path, place.detail)
    return begin, FoundBody(line.line_no, place.role, place.media_type, size, digest.hexdigest(), False, *told)


def _lifted(transcript: Transcript, line: Line, span: ValueSpan) -> tuple[int, FoundBody] | None:
    begin, end = line.byte_offset + span.start, line.byte_offset + span.end
    if end - begin > MAX_SENTINEL_BYTES:
        return None
    said = read_sentinel(b"".join(transcript.windows(begin, end)))
    if said is None:
        return None
    told = (said.file_path, said.detail)
    return begin, FoundBody(line.line_no, None, said.media_type, said.bytes, said.sha256, True, *told)
