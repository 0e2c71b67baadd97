"""Text for a terminal: what a transcript says must not move the cursor or hide its neighbours."""

from __future__ import annotations

import re

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
"""Control characters (C0, DEL, C1), line separators, direction marks, the byte order mark and lone surrogates."""


def escape(text: str) -> str:
    """Return `text` on one line, with every character that could steer a terminal shown as a backslash escape."""
    return _UNSAFE.sub(_spell, text)


def _spell(found: re.Match[str]) -> str:
    character = found.group()
    code = ord(character)
    return _NAMED.get(character) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
