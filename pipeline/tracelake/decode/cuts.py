"""Oversize lines: long string values are shortened on the way in, their full length and hash kept.

A line over 16 MiB is never held whole. Its bytes pass through `StringCutter`, which lets everything
through except the tail of string values over a cap; what comes out is a JSON line of bounded strings.
"""

from __future__ import annotations

import hashlib
import json
import re

import msgspec

from tracelake.decode.base64_text import Base64Decoder
from tracelake.errors import BodyError

CAP_BYTES = 64 * 1024
"""Longest string source text that passes unshortened."""

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_STRING_RUN = re.compile(rb'(?:[^"\\]++|\\.)*+', re.S)
_decode_str = msgspec.json.Decoder(str).decode


class Cut(msgspec.Struct, frozen=True):
    """What a shortened string was: lengths in bytes and SHA-256 of the decoded text.

    `blob_bytes` and `blob_sha256` describe the base64-decoded value, None where it is no base64. `removed`
    is how many source bytes are missing from the shortened text. `offset` is where the value starts in the
    line (after its quote), `source_bytes` its length there.
    """

    text_bytes: int
    text_sha256: str
    blob_bytes: int | None
    blob_sha256: str | None
    removed: int
    offset: int
    source_bytes: int


class StringCutter:
    """Push the pieces of one line through `feed`; what may pass comes back, `cuts` says what did not."""

    def __init__(self, cap: int = CAP_BYTES) -> None:
        """Shorten string values whose source text is longer than `cap` bytes."""
        self._cap = cap
        self._short = re.compile(rb'(?:[^"]++|"(?:[^"\\]|\\.){0,%d}+")*+' % min(1000, cap // 2), re.S)
        self._out = bytearray()
        self._string: _LongString | None = None
        self._in_string = False
        self._start = self._offset = 0
        self._escape = False
        self._seen = 0
        self.cuts: dict[str, Cut] = {}
        """What was cut, keyed by the shortened text."""

    def feed(self, piece: bytes) -> bytes:
        """Take the next bytes of the line; return the bytes of the reduced line that are ready."""
        position = 0
        while position < len(piece):
            position = self._inside(piece, position) if self._in_string else self._outside(piece, position)
        self._seen += len(piece)
        ready = self._start if self._in_string else len(self._out)
        out = bytes(self._out[:ready])
        del self._out[:ready]
        self._start -= ready
        return out

    def finish(self) -> bytes:
        """Return what is left of a string that was never closed."""
        return bytes(self._out)

    def _outside(self, piece: bytes, position: int) -> int:
        """Take everything up to and with the quote that opens a string not known to be short."""
        short = self._short.match(piece, position)
        quote = piece.find(b'"', short.end() if short else position)
        end = len(piece) if quote < 0 else quote + 1
        self._out += piece[position:end]
        if quote >= 0:
            self._in_string, self._start = True, len(self._out)
            self._offset = self._seen + end
        return end

    def _inside(self, piece: bytes, position: int) -> int:
        """Take string source text up to the closing quote, or all there is."""
        at = position
        if self._escape:
            at, self._escape = at + 1, False
        match = _STRING_RUN.match(piece, at)
        end = match.end() if match else at
        closed = piece[end : end + 1] == b'"'
        if not closed:
            self._escape = end < len(piece)
            end = len(piece)
        self._keep(piece[position:end])
        if closed:
            self._close()
            return end + 1
        return end

    def _keep(self, text: bytes) -> None:
        if self._string is not None:
            self._string.feed(text)
            return
        self._out += text
        if len(self._out) - self._start > self._cap:
            self._string = _LongString()
            self._string.feed(bytes(self._out[self._start :]))
            del self._out[self._start :]

    def _close(self) -> None:
        if self._string is not None:
            head = self._string.finish()
            marker = f" [cut {len(self.cuts) + 1}]"
            self._out += head + marker.encode()
            removed = self._string.source_bytes - len(head) - len(marker)
            self.cuts[_decode_str(b'"' + head + b'"') + marker] = self._string.cut(removed, self._offset)
            self._string = None
        self._out += b'"'
        self._in_string = False


HEAD_BYTES = 4096
"""How much source text of a shortened string is kept."""


class _LongString:
    """Length and hashes of a string value whose source text comes in pieces."""

    def __init__(self) -> None:
        self.source_bytes = 0
        self._head = b""
        self._pending = b""
        self._text = hashlib.sha256()
        self._text_bytes = 0
        self._blob = _BlobFacts()

    def feed(self, source: bytes) -> None:
        self.source_bytes += len(source)
        if len(self._head) < HEAD_BYTES * 2:
            self._head += source[: HEAD_BYTES * 2]
        self._pending += source
        cut = whole_units(self._pending)
        self._take(self._pending[:cut])
        self._pending = self._pending[cut:]

    def _take(self, source: bytes) -> None:
        if not source:
            return
        decoded = decode_fragment(source)
        self._text.update(decoded)
        self._text_bytes += len(decoded)
        self._blob.feed(decoded)

    def finish(self) -> bytes:
        self._take(self._pending)
        return self._head[: whole_units(self._head[:HEAD_BYTES])]

    def cut(self, removed: int, offset: int) -> Cut:
        size, sha = self._blob.finish()
        return Cut(self._text_bytes, self._text.hexdigest(), size, sha, removed, offset, self.source_bytes)


def decode_fragment(source: bytes) -> bytes:
    """Return the UTF-8 bytes that a piece of JSON string source stands for; invalid parts as U+FFFD."""
    if b"\\" not in source and source.isascii():
        return source
    text = source.decode(errors="replace").encode()
    try:
        return _decode_str(b'"' + text + b'"').encode()
    except msgspec.MsgspecError:
        try:
            decoded: str = json.loads(b'"' + text + b'"', strict=False)
        except ValueError:
            return text
        return _LONE_SURROGATE.sub("\ufffd", decoded).encode()


_WHOLE_UNITS = re.compile(
    rb"(?:[^\\]++|\\(?:u[dD][89abAB][0-9a-fA-F]{2}(?:\\u[0-9a-fA-F]{4}|(?=[^\\]|\\[^u]))"
    rb"|u(?![dD][89abAB])[0-9a-fA-F]{4}|[^u]))*+",
    re.S,
)
"""Characters and complete escapes (a surrogate pair is one unit) from the start of string source text."""


def whole_units(source: bytes) -> int:
    """Return how many bytes of string source text can be decoded alone: no escape, pair or UTF-8 sequence is cut."""
    match = _WHOLE_UNITS.match(source)
    end = match.end() if match else 0
    if len(source) - end > 12:  # a malformed escape, not one that is still arriving
        end = len(source)
    for back in range(1, min(4, end) + 1):
        byte = source[end - back]
        if byte < 0x80:
            return end
        if byte >= 0xC0:
            need = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return end - back if back < need else end
    return end


class _BlobFacts:
    """Length and SHA-256 of what a base64 text decodes to, taken in pieces."""

    def __init__(self) -> None:
        self._decoder: Base64Decoder | None = Base64Decoder()
        self._hash = hashlib.sha256()
        self._bytes = 0

    def feed(self, text: bytes) -> None:
        """Take more text; what is no base64 is given up."""
        if self._decoder is not None:
            try:
                self._take(self._decoder.feed(text))
            except BodyError:
                self._decoder = None

    def finish(self) -> tuple[int | None, str | None]:
        """Return length and SHA-256 of the blob; None when the text is no base64."""
        if self._decoder is None:
            return None, None
        try:
            self._take(self._decoder.finish())
        except BodyError:
            return None, None
        return self._bytes, self._hash.hexdigest()

    def _take(self, blob: bytes) -> None:
        self._hash.update(blob)
        self._bytes += len(blob)
