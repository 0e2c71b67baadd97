"""What a JSON tool input says at its top level: file path and short detail (parser.md 3.3, 3.4)."""

from __future__ import annotations

from tracelake.bodies.node import Node
from tracelake.bodies.unescape import unescape

DETAIL_KEYS = ("command", "pattern", "url", "query", "description", "skill")
"""Keys that a detail is taken from, best first."""

MAX_PATH_BYTES = 4096
MAX_DETAIL_BYTES = 2048
FILE_PATH = b"file_path"
LIMITS = {FILE_PATH: MAX_PATH_BYTES, **{key.encode(): MAX_DETAIL_BYTES for key in DETAIL_KEYS}}
"""Longest text, in decoded bytes, that each key may hold to count."""


class ShortText(Node):
    """A string of 1 to `limit` decoded bytes; `text` stays None for any other value."""

    __slots__ = ("_limit", "_source", "text")
    tap = True

    def __init__(self, limit: int) -> None:
        """Keep the text if it is not longer than `limit` bytes."""
        self._limit = limit
        self._source: bytearray | None = bytearray()
        self.text: str | None = None

    def source(self, piece: bytes) -> None:
        """Gather the source text while it can still be short enough."""
        if self._source is not None:
            self._source += piece[: self._limit * 6 + 3]
            if self._source[:1] != b'"' or len(self._source) > self._limit * 6 + 2:
                self._source = None

    def close(self, end: int) -> None:
        """Decode what was gathered."""
        if self._source is not None:
            data = unescape(bytes(self._source[1:-1]))
            self.text = data.decode(errors="replace") if 0 < len(data) <= self._limit else None
            self._source = None


class InputFacts:
    """Gathers the facts of one input, of duplicate keys the last."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        """Know nothing yet."""
        self._found: dict[bytes, ShortText] = {}

    def member(self, key: bytes) -> Node | None:
        """Return interest in the member if its key is one of those that count."""
        limit = LIMITS.get(key)
        if limit is None:
            return None
        self._found[key] = ShortText(limit)
        return self._found[key]

    @property
    def file_path(self) -> str | None:
        """The input's `file_path`, None unless it is a string of 1 to 4,096 bytes."""
        return self._text(FILE_PATH)

    @property
    def detail(self) -> str | None:
        """The first of the detail keys that holds a string of 1 to 2,048 bytes."""
        return next((text for key in DETAIL_KEYS if (text := self._text(key.encode()))), None)

    def _text(self, key: bytes) -> str | None:
        found = self._found.get(key)
        return found.text if found is not None else None
