"""body_locations: all bodies of one line, found while it streams by (parser.md 4.2, 4.7).

Bodies are only looked for in whole, undamaged lines: one JSON object in valid UTF-8, without unpaired
surrogates. Any other line is left as it is, so that whoever reads it later finds the same damage.
"""

from __future__ import annotations

import codecs

from tracelake.bodies.kinds import BodyLocation
from tracelake.bodies.scan import Scanner
from tracelake.bodies.shapes import SHAPES, Shape
from tracelake.bodies.spans import Check, Chunks, ValueSpan, windows
from tracelake.bodies.values import MAX_DEPTH, Value
from tracelake.errors import BodyError, UsageError


def shape_of(agent: str) -> Shape:
    """Return how an agent's lines are read. Raises UsageError for an unknown agent."""
    shape = SHAPES.get(agent)
    if shape is None:
        raise UsageError(f"unknown agent '{agent}': use {', '.join(SHAPES)}")
    return shape


def body_locations(agent: str, chunks: Chunks, check: Check | None = None) -> list[BodyLocation]:
    """Return every body of one line (with or without its LF) in source order, none for a damaged line.

    No body is held: memory grows with the number of bodies, not with their size. Sentinels are left out.
    Raises UsageError for an unknown agent, and whatever `check` raises.
    """
    finder = Finder(shape_of(agent))
    for piece in windows(chunks, check):
        finder.feed(piece)
    return finder.finish()


class Finder:
    """The same, pushed: feed the pieces of one line, then finish."""

    def __init__(self, shape: Shape) -> None:
        """Look for what `shape` describes."""
        self._shape = shape
        self._line = shape.line()
        self._scanner: Scanner | None = Scanner(self._line, max_depth=MAX_DEPTH)
        self._utf8 = codecs.getincrementaldecoder("utf-8")()
        self._is_ascii = True
        self._values: list[Value] = []

    def feed(self, piece: bytes) -> None:
        """Take the next bytes of the line."""
        if self._scanner is None:
            return
        try:
            self._check_utf8(piece)
            self._scanner.feed(piece)
        except (BodyError, UnicodeDecodeError):
            self._scanner = None

    def finish(self) -> list[BodyLocation]:
        """End the line and return its bodies; may be called once."""
        self._values = self._settled()
        found = (value.body() for value in self._values if not value.is_sentinel)
        return sorted((body for body in found if body is not None), key=lambda body: body.span)

    def lifted(self) -> list[ValueSpan]:
        """Return where sentinels stand instead of bodies, once the line was ended."""
        return sorted(ValueSpan(value.start, value.end) for value in self._values if value.is_sentinel)

    def _settled(self) -> list[Value]:
        """Return all values of the line that are or were bodies."""
        try:
            if self._scanner is None or not self._scanner.finish():
                return []
            self._utf8.decode(b"", final=True)
        except (BodyError, UnicodeDecodeError):
            return []
        return list(self._shape.pick(self._line))

    def _check_utf8(self, piece: bytes) -> None:
        if not self._is_ascii or not piece.isascii():
            self._is_ascii = False
            self._utf8.decode(piece)
