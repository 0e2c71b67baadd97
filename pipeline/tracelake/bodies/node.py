"""Node: interest in one value of a JSON text that a scanner passes over."""

from __future__ import annotations


class Node:
    """Interest in one value; this base class takes none in what is inside it.

    `tap`, read after `open`, asks for the source bytes of the value.
    """

    __slots__ = ()
    tap = False

    def open(self, first: int, start: int) -> None:
        """The value begins at byte `start` with the byte `first`."""

    def member(self, key: bytes) -> Node | None:
        """Return interest in the next member of this object; `key` is unescaped UTF-8."""
        return None

    def element(self, index: int) -> Node | None:
        """Return interest in the next element of this array."""
        return None

    def source(self, piece: bytes) -> None:
        """Take the next source bytes of a tapped value."""

    def close(self, end: int) -> None:
        """The value is complete; `end` is the byte after it."""
