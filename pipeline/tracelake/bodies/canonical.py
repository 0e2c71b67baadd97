"""Canonical bytes of a body, streamed from the source bytes of its value (parser.md 4.3, 4.7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tracelake.bodies.array_text import ArrayText
from tracelake.bodies.kinds import BodyKind
from tracelake.bodies.scan import Scanner
from tracelake.bodies.spans import Check, Chunks, windows
from tracelake.bodies.unescape import Unescaper
from tracelake.decode.base64_text import Base64Decoder
from tracelake.errors import BodyError


def canonical_body_reader(
    kind: BodyKind, chunks: Chunks, size: int | None = None, check: Check | None = None
) -> Iterator[bytes]:
    """Yield the canonical bytes of the value whose source bytes are `chunks`, in pieces of bounded size.

    `size` is the length of the value in the source, where it is known. A value that is cut off is never taken
    for a shorter body: raises BodyError for that, and for a value that is not what `kind` says; raises
    whatever `check` raises.
    """
    return _READERS[BodyKind(kind)](_exactly(windows(chunks, check), size))


def canonical_body(kind: BodyKind, source: bytes) -> bytes:
    """Return the same for a value held in memory."""
    return b"".join(canonical_body_reader(kind, source, len(source)))


def _exactly(pieces: Iterator[bytes], size: int | None) -> Iterator[bytes]:
    """Pass the pieces on; raise BodyError when they are not `size` bytes in all."""
    seen = 0
    for piece in pieces:
        seen += len(piece)
        yield piece
    if size is not None and seen != size:
        raise BodyError(f"the value is {size} bytes long, but {seen} could be read")


def _raw(pieces: Iterator[bytes]) -> Iterator[bytes]:
    seen = False
    for piece in pieces:
        seen = True
        yield piece
    if not seen:
        raise BodyError("the value is empty")


def _string(pieces: Iterator[bytes]) -> Iterator[bytes]:
    decoder = Unescaper()
    for piece in pieces:
        text = decoder.feed(piece)
        if text:
            yield text
    decoder.finish()


def _array(pieces: Iterator[bytes]) -> Iterator[bytes]:
    texts = ArrayText()
    scanner = Scanner(texts, strict=False)
    for number, piece in enumerate(pieces):
        if number == 0 and not piece.startswith(b"["):
            raise BodyError("the value is not an array")
        scanner.feed(piece)
        yield from texts.drain()
    if not scanner.finish():
        raise BodyError("the array is cut off: its closing bracket is missing")
    yield from texts.drain()


def _base64(pieces: Iterator[bytes]) -> Iterator[bytes]:
    decoder = Base64Decoder()
    for text in _string(pieces):
        data = decoder.feed(text)
        if data:
            yield data
    rest = decoder.finish()
    if rest:
        yield rest


_READERS: dict[BodyKind, Callable[[Iterator[bytes]], Iterator[bytes]]] = {
    BodyKind.RAW: _raw,
    BodyKind.JSON_STRING: _string,
    BodyKind.ARRAY_TEXT: _array,
    BodyKind.BASE64: _base64,
}
