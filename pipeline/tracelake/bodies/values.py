"""Values that may hold a body: what the scanner has to note of them to decide and to describe them."""

from __future__ import annotations

from tracelake.bodies.facts import InputFacts
from tracelake.bodies.kinds import JSON, PLAIN, BodyKind, BodyLocation, Role, classify_result_body
from tracelake.bodies.node import Node
from tracelake.bodies.scan import Scanner
from tracelake.bodies.sentinel import MARK
from tracelake.bodies.spans import ValueSpan
from tracelake.bodies.unescape import Unescaper
from tracelake.decode.base64_text import Base64Decoder
from tracelake.errors import BodyError

_OBJECT, _STRING, _ARRAY, _NULL = b'{"[n'


class Value(Node):
    """A value that may be lifted; `is_sentinel` says that it already was."""

    __slots__ = ("end", "first", "is_sentinel", "start")
    role: Role = "result"

    def __init__(self) -> None:
        """Made when its key is met."""
        self.start = self.end = self.first = 0
        self.is_sentinel = False

    def open(self, first: int, start: int) -> None:
        """Note where the value starts and what it is."""
        self.first, self.start = first, start

    def member(self, key: bytes) -> Node | None:
        """Notice a sentinel's key."""
        if key == MARK:
            self.is_sentinel = True
        return None

    def close(self, end: int) -> None:
        """Note where the value ends."""
        self.end = end

    def body(self) -> BodyLocation | None:
        """Return the body this value holds, None if it is left where it is."""
        kind, media_type = classify_result_body(self.first)
        return self._at(kind, media_type)

    def _at(
        self, kind: BodyKind, media_type: str, file_path: str | None = None, detail: str | None = None
    ) -> BodyLocation:
        return BodyLocation(ValueSpan(self.start, self.end), kind, media_type, file_path, detail, self.role)


class Structured(Value):
    """A structured result: objects and arrays as they are, strings decoded, other scalars not at all."""

    __slots__ = ()

    def body(self) -> BodyLocation | None:
        """Return the body (parser.md 3.5)."""
        if self.first == _STRING:
            return self._at(BodyKind.JSON_STRING, PLAIN)
        return self._at(BodyKind.RAW, JSON) if self.first in (_OBJECT, _ARRAY) else None


class JsonInput(Value):
    """A tool input given as JSON: its source bytes, whatever value it is."""

    __slots__ = ("_facts",)
    role: Role = "input"

    def __init__(self) -> None:
        """Made when its key is met."""
        super().__init__()
        self._facts = InputFacts()

    def member(self, key: bytes) -> Node | None:
        """Look for the members that describe the input."""
        super().member(key)
        return self._facts.member(key)

    def body(self) -> BodyLocation | None:
        """Return the body (parser.md 3.4)."""
        return self._at(BodyKind.RAW, JSON, self._facts.file_path, self._facts.detail)


class EncodedInput(JsonInput):
    """A tool input given as JSON inside a string; an object is taken as it is."""

    __slots__ = ("_inner", "_text", "tap")

    def __init__(self) -> None:
        """Made when its key is met."""
        super().__init__()
        self.tap = False
        self._text = Unescaper()
        self._inner: Scanner | None = None

    def open(self, first: int, start: int) -> None:
        """Look into a string."""
        super().open(first, start)
        self.tap = first == _STRING
        if self.tap:
            self._inner = Scanner(_Inside(self._facts), max_depth=MAX_DEPTH)

    def source(self, piece: bytes) -> None:
        """Read the JSON inside the string for as long as it is JSON."""
        if self._inner is not None:
            try:
                self._inner.feed(self._text.feed(piece))
            except BodyError:
                self._forget()

    def close(self, end: int) -> None:
        """End the JSON inside the string; what is not valid says nothing."""
        super().close(end)
        if self._inner is not None:
            try:
                complete = self._inner.finish()
            except BodyError:
                complete = False
            if not complete:
                self._forget()

    def body(self) -> BodyLocation | None:
        """Return the body; any string is JSON by its media type, whether or not it parses."""
        if self.first == _NULL:
            return None
        found = super().body()
        return found._replace(kind=BodyKind.JSON_STRING) if found and self.first == _STRING else found

    def _forget(self) -> None:
        self._inner, self._facts = None, InputFacts()


MAX_DEPTH = 500
"""Deepest nesting of lines and inputs that are looked into; decoders give up at about twice that."""


class _Inside(Node):
    __slots__ = ("_facts",)

    def __init__(self, facts: InputFacts) -> None:
        self._facts = facts

    def member(self, key: bytes) -> Node | None:
        return self._facts.member(key)


class TextInput(Value):
    """A tool input that is plain text; an object or array is taken as it is."""

    __slots__ = ()
    role: Role = "input"

    def body(self) -> BodyLocation | None:
        """Return the body (parser.md 3.4)."""
        if self.first == _NULL:
            return None
        return self._at(BodyKind.JSON_STRING if self.first == _STRING else BodyKind.RAW, PLAIN)


class Image(Value):
    """An image as base64 text; anything that is none stays where it is (parser.md 4.8)."""

    __slots__ = ("_blob", "_text", "tap")
    role: Role = "attachment"

    def __init__(self) -> None:
        """Made when its key is met."""
        super().__init__()
        self.tap = False
        self._text = Unescaper()
        self._blob: Base64Decoder | None = None

    def open(self, first: int, start: int) -> None:
        """Look into a string."""
        super().open(first, start)
        self.tap = first == _STRING
        self._blob = Base64Decoder() if self.tap else None

    def source(self, piece: bytes) -> None:
        """Try to decode the text."""
        if self._blob is not None:
            try:
                self._blob.feed(self._text.feed(piece))
            except BodyError:
                self._blob = None

    def close(self, end: int) -> None:
        """End the text."""
        super().close(end)
        if self._blob is not None:
            try:
                self._blob.finish()
            except BodyError:
                self._blob = None

    def body(self) -> BodyLocation | None:
        """Return the body if the text is an image of a known kind."""
        media_type = self._blob.media_type if self._blob is not None else None
        return self._at(BodyKind.BASE64, media_type) if media_type else None
