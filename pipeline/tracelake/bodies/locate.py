"""locate_value, locate_values, walk_array: the spans of values named by paths, from a stream (parser.md 4.6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tracelake.bodies.node import Node
from tracelake.bodies.scan import Scanner
from tracelake.bodies.spans import Check, Chunks, LocatedSpan, Step, ValueSpan, windows

Path = Sequence[Step]


def locate_value(path: Path, chunks: Chunks, check: Check | None = None) -> ValueSpan | None:
    """Return the span of the value at `path`, None when it is absent; as `locate_values` otherwise."""
    found = locate_values([path], chunks, check)
    return found[0].span if found else None


def locate_values(paths: Sequence[Path], chunks: Chunks, check: Check | None = None) -> list[LocatedSpan]:
    """Return the spans of the values at `paths` in source order, each with the index of its path.

    One pass over one line, in memory that does not depend on its length. The empty path is the root value.
    Of several values at one path the first counts. Absent values, and those still open where the text
    ends, are left out. A container comes before what is in it.

    Raises BodyError for text that is not JSON, and whatever `check` raises.
    """
    found: dict[int, ValueSpan] = {}
    root = _Wanted(found)
    for index, path in enumerate(paths):
        root.add(path, index)
    scanner = Scanner(root, strict=False)
    for piece in windows(chunks, check):
        scanner.feed(piece)
    scanner.finish()
    ordered = sorted(found.items(), key=lambda item: (item[1].start, -item[1].end, item[0]))
    return [LocatedSpan(index, span) for index, span in ordered]


class _Wanted(Node):
    """One step of the paths asked for: what is wanted of the value there, and further in."""

    __slots__ = ("_found", "_indexes", "_items", "_keys", "_start")

    def __init__(self, found: dict[int, ValueSpan]) -> None:
        self._found = found
        self._keys: dict[bytes, _Wanted] = {}
        self._items: dict[int, _Wanted] = {}
        self._indexes: list[int] = []
        self._start = 0

    def add(self, path: Path, index: int) -> None:
        """Want the value at `path` for the path of this index."""
        if not path:
            self._indexes.append(index)
            return
        step = path[0]
        if isinstance(step, str):
            child = self._keys.setdefault(step.encode("utf-8", "surrogatepass"), _Wanted(self._found))
        else:
            child = self._items.setdefault(step, _Wanted(self._found))
        child.add(path[1:], index)

    def open(self, first: int, start: int) -> None:
        self._start = start

    def member(self, key: bytes) -> Node | None:
        return self._keys.get(key)

    def element(self, index: int) -> Node | None:
        return self._items.get(index)

    def close(self, end: int) -> None:
        for index in self._indexes:
            self._found.setdefault(index, ValueSpan(self._start, end))


@dataclass(frozen=True, slots=True)
class Element:
    """One element of an array: its span, and those of its direct members that were asked for and are there."""

    index: int
    span: ValueSpan
    members: Mapping[str, ValueSpan]


def walk_array(path: Path, members: Sequence[str], chunks: Chunks, check: Check | None = None) -> Iterator[Element]:
    """Yield every complete element of the array at `path`, as the stream reaches its end.

    Raises BodyError for text that is not JSON, and whatever `check` raises.
    """
    elements: list[Element] = []
    scanner = Scanner(_Toward(path, members, elements), strict=False)
    for piece in windows(chunks, check):
        scanner.feed(piece)
        yield from elements
        elements.clear()
    scanner.finish()
    yield from elements


class _Toward(Node):
    """The way to the array: one step, or the array itself. Only the first array at the path counts."""

    __slots__ = ("_elements", "_is_open", "_members", "_path", "_seen")

    def __init__(self, path: Path, members: Sequence[str], elements: list[Element]) -> None:
        self._path = path
        self._members = members
        self._elements = elements
        self._is_open = False
        self._seen: list[bool] = []

    def member(self, key: bytes) -> Node | None:
        step = self._path[0] if self._path else None
        return self._next() if isinstance(step, str) and step.encode("utf-8", "surrogatepass") == key else None

    def element(self, index: int) -> Node | None:
        if self._path:
            step = self._path[0]
            return self._next() if not isinstance(step, str) and step == index else None
        return None if self._seen else _Element(index, self._members, self._elements)

    def close(self, end: int) -> None:
        if not self._path:
            self._seen.append(True)

    def _next(self) -> Node:
        child = _Toward(self._path[1:], self._members, self._elements)
        child._seen = self._seen
        return child


class _Element(Node):
    __slots__ = ("_elements", "_found", "_index", "_names", "_start", "_wanted")

    def __init__(self, index: int, members: Sequence[str], elements: list[Element]) -> None:
        self._index = index
        self._elements = elements
        self._found: dict[int, ValueSpan] = {}
        self._wanted = _Wanted(self._found)
        for number, name in enumerate(members):
            self._wanted.add((name,), number)
        self._start = 0
        self._names = members

    def open(self, first: int, start: int) -> None:
        self._start = start

    def member(self, key: bytes) -> Node | None:
        return self._wanted.member(key)

    def close(self, end: int) -> None:
        named = {self._names[number]: span for number, span in sorted(self._found.items())}
        self._elements.append(Element(self._index, ValueSpan(self._start, end), named))
