"""The part of a line's tree that leads to bodies: objects with known keys, and lists of blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from tracelake.bodies.facts import ShortText
from tracelake.bodies.node import Node

MAX_TYPE_BYTES = 4096
"""Longest type or role that is read (parser.md 4.7)."""

Wanted = Mapping[bytes, Callable[[], Node]]
"""By key, what makes the node of a member."""

N = TypeVar("N", bound=Node)


class Fields(Node):
    """An object of which some members are wanted; of duplicate keys the last counts, as in decoding."""

    __slots__ = ("_found", "_wanted")

    def __init__(self, wanted: Wanted) -> None:
        """Want the members that have these keys."""
        self._wanted = wanted
        self._found: dict[bytes, Node] = {}

    def member(self, key: bytes) -> Node | None:
        """Return interest in the member if it is wanted."""
        make = self._wanted.get(key)
        if make is None:
            return None
        node = make()
        self._found[key] = node
        return node

    def get(self, key: bytes, cls: type[N]) -> N | None:
        """Return the node of a member that was met."""
        node = self._found.get(key)
        return node if isinstance(node, cls) else None

    def text(self, key: bytes) -> str | None:
        """Return a short string member, None for anything else."""
        node = self.get(key, ShortText)
        return node.text if node is not None else None


class Items(Node):
    """A list of objects, or one object in its place (J8); `keep` takes each when it is complete."""

    __slots__ = ("_block", "_keep", "_wanted")

    def __init__(self, wanted: Wanted, keep: Callable[[Fields], None]) -> None:
        """Want these members of every object."""
        self._wanted = wanted
        self._keep = keep
        self._block: Fields | None = None

    def member(self, key: bytes) -> Node | None:
        """Take the value itself as the only block."""
        if self._block is None:
            self._block = Fields(self._wanted)
        return self._block.member(key)

    def element(self, index: int) -> Node | None:
        """Take the next block."""
        self._settle()
        self._block = Fields(self._wanted)
        return self._block

    def close(self, end: int) -> None:
        """Settle the last block."""
        self._settle()

    def _settle(self) -> None:
        if self._block is not None:
            self._keep(self._block)
            self._block = None


def short_text() -> Node:
    """Return interest in a type or role."""
    return ShortText(MAX_TYPE_BYTES)
