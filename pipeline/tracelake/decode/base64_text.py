"""Base64 in pieces: decoding with the data URI prefix taken off, media type by the data itself (parser.md 4.8).

The only reader of base64: bodies, attachments and the strings of long lines are judged by the same rule.
"""

from __future__ import annotations

import binascii

from tracelake.errors import BodyError

HEAD_BYTES = 256
"""How far into the text a data URI prefix is looked for."""

_URI, _URI_END = b"data:", b";base64,"
_MAGIC = (
    (b"iVBOR", "image/png"),
    (b"/9j/", "image/jpeg"),
    (b"R0lGOD", "image/gif"),
    (b"UklGR", "image/webp"),
)


def prefix_of(head: bytes) -> bytes:
    """Return the data URI prefix in the first 256 bytes of a text, empty if there is none."""
    if not head.startswith(_URI):
        return b""
    end = head.find(_URI_END, 0, HEAD_BYTES)
    return head[: end + len(_URI_END)] if end >= 0 else b""


def media_type_of(head: bytes) -> str | None:
    """Return the media type that the first 256 bytes of a text show, None when it is no image."""
    prefix = prefix_of(head)
    if prefix:
        return prefix[len(_URI) : prefix.index(b";")].decode(errors="replace") or None
    return next((media for magic, media in _MAGIC if head.startswith(magic)), None)


def decoded(text: bytes) -> tuple[bytes, str | None]:
    """Return what a whole text decodes to, and the media type it shows. Raises BodyError for anything but base64."""
    decoder = Base64Decoder()
    data = decoder.feed(text) + decoder.finish()
    return data, decoder.media_type


class Base64Decoder:
    """Decodes pieces of base64 text; CR and LF are ignored, nothing may follow the padding."""

    __slots__ = ("_head", "_is_padded", "_pending", "media_type")

    def __init__(self) -> None:
        """Expect the text from its first byte; `media_type` is known once 256 bytes or the end were seen."""
        self._head: bytes | None = b""
        self._pending = b""
        self._is_padded = False
        self.media_type: str | None = None

    def feed(self, text: bytes) -> bytes:
        """Take more text and return what it decodes to. Raises BodyError for anything but base64."""
        if self._head is None:
            return self._decode(text)
        self._head += text
        return self._begin() if len(self._head) >= HEAD_BYTES else b""

    def finish(self) -> bytes:
        """End the text and return the rest. Raises BodyError if it is cut off."""
        rest = self._begin() if self._head is not None else b""
        if self._pending:
            raise BodyError("the base64 text is cut off")
        return rest

    def _begin(self) -> bytes:
        head, self._head = self._head or b"", None
        self.media_type = media_type_of(head)
        return self._decode(head[len(prefix_of(head)) :])

    def _decode(self, text: bytes) -> bytes:
        text = self._pending + text.translate(None, b"\r\n")
        whole = len(text) // 4 * 4
        text, self._pending = text[:whole], text[whole:]
        if not text:
            return b""
        if self._is_padded:
            raise BodyError("data after the base64 padding")
        self._is_padded = text.endswith(b"=")
        try:
            return binascii.a2b_base64(text, strict_mode=True)
        except binascii.Error as error:
            raise BodyError(f"not base64: {error}") from error
