"""The top-level members of a line that may be torn, glued or invalid, without deep parsing."""

from __future__ import annotations

import json
import re
from typing import Any

import orjson

_PADDING = b"\xef\xbb\xbf\0 \t\r\n"
"""A byte order mark, NULs and blanks, which may surround a record."""

# The quantifiers are possessive: a string that never ends must not be tried in every possible split.
_STRING = rb'"(?P<string>(?:[^"\\]++|\\.)*+)(?P<closed>"?)'
_TOKEN = re.compile(_STRING + rb'|(?P<mark>[{}\[\]:,])|[^\s"{}\[\]:,]++', re.DOTALL)


def top_level(line: bytes) -> dict[str, Any] | None:
    """Return the members of the first JSON object on a line; None when the line does not begin with one.

    A valid line gives its values. Of any other line the members that can be made out are given: strings as
    they are, an object as `{}`, a list as `[]`, all else as None; a string that is cut off is left out.
    """
    bare = line.strip(_PADDING)
    if not bare.startswith(b"{"):
        return None
    try:
        value = orjson.loads(bare)
    except orjson.JSONDecodeError:
        return _Scan().run(bare)
    return value if isinstance(value, dict) else None


class _Scan:
    """One pass over the tokens of a damaged line; state is the depth and the key whose value comes next."""

    def __init__(self) -> None:
        self.members: dict[str, Any] = {}
        self.depth = 0
        self.last: str | None = None
        self.key: str | None = None

    def run(self, line: bytes) -> dict[str, Any]:
        for token in _TOKEN.finditer(line):
            if token["mark"]:
                self._mark(token["mark"])
                if self.depth <= 0:
                    break
            elif self.depth == 1:
                self._value(token)
        return self.members

    def _mark(self, mark: bytes) -> None:
        if mark in b"{[":
            if self.depth == 1:
                self._put({} if mark == b"{" else [])
            self.depth += 1
        elif mark in b"}]":
            self.depth -= 1
        elif self.depth == 1:
            self.key = self.last if mark == b":" else None
            self.last = None

    def _value(self, token: re.Match[bytes]) -> None:
        if token["string"] is None:
            self._put(None)
        elif token["closed"]:
            text = _unescaped(token["string"])
            if self.key is None:
                self.last = text
            else:
                self._put(text)

    def _put(self, value: Any) -> None:
        if self.key is not None:
            self.members[self.key] = value
            self.key = None


def _unescaped(inner: bytes) -> str:
    """Return the text of a JSON string's inside; what cannot be decoded becomes U+FFFD."""
    text = inner.decode("utf-8", "replace")
    try:
        text = str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
