"""Sentinels: the one-line object that stands where a body was lifted out (parser.md 4.1)."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import msgspec

MARK = b"__akari_cas__"
"""The key that makes an object a sentinel."""

_NAMES = {0x08: "\\b", 0x09: "\\t", 0x0A: "\\n", 0x0C: "\\f", 0x0D: "\\r", 0x22: '\\"', 0x5C: "\\\\"}
_ESCAPED = re.compile('[\x00-\x1f"\\\\<>&\u2028\u2029]')
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Sentinel(NamedTuple):
    """What a sentinel says of the body it stands for.

    `sha256` is the key of the body and `bytes` the length of its canonical form; `file_path` and `detail` are
    None where it does not say.
    """

    sha256: str
    bytes: int
    media_type: str
    file_path: str | None = None
    detail: str | None = None


def write_sentinel(sentinel: Sentinel) -> bytes:
    """Return the sentinel's text, without white space and spelled as Go's JSON encoder does."""
    parts = [
        '{"__akari_cas__":1',
        f'"sha256":{_quote(sentinel.sha256)}',
        f'"bytes":{sentinel.bytes}',
        f'"media_type":{_quote(sentinel.media_type)}',
    ]
    if sentinel.file_path:
        parts.append(f'"file_path":{_quote(sentinel.file_path)}')
    if sentinel.detail:
        parts.append(f'"detail":{_quote(sentinel.detail)}')
    return (",".join(parts) + "}").encode()


def _quote(text: str) -> str:
    return f'"{_ESCAPED.sub(_escape, _LONE_SURROGATE.sub(chr(0xFFFD), text))}"'


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return _NAMES.get(code) or f"\\u{code:04x}"


def read_sentinel(raw: bytes) -> Sentinel | None:
    """Return what the sentinel `raw` says, None when it is anything but an object with the sentinel's key.

    A member of another type than expected reads as empty, 0 or None: a broken sentinel is still no body.
    """
    if raw[:1] != b"{" or MARK not in raw:
        return None
    try:
        found = msgspec.json.decode(raw, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    if MARK.decode() not in found:
        return None
    size = found.get("bytes")
    return Sentinel(
        _text(found.get("sha256")) or "",
        size if type(size) is int and 0 <= size < 2**63 else 0,
        _text(found.get("media_type")) or "",
        _text(found.get("file_path")),
        _text(found.get("detail")),
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
