"""Names as text: how a path is stored, printed and turned into an id."""

from __future__ import annotations

import hashlib
import os
import re

UNASSIGNED = "unassigned"
"""Session id of all files that belong to no session, so that thousands of stray files share one partition."""

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def is_uuid(text: str) -> bool:
    """Return whether the whole text is a UUID as 8-4-4-4-12 hex digits, of any version."""
    return _UUID.fullmatch(text) is not None


def text_of(os_path: str) -> str:
    r"""Return the path as it is stored: bytes of a name that are not UTF-8 become `\xNN`."""
    return os.fsencode(os_path).decode("utf-8", "backslashreplace")


def one_line(text: str) -> str:
    """Return the text with everything unprintable escaped, so that a message stays on its line."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def reason_of(error: Exception) -> str:
    """Return why an operation on a file failed, without its path."""
    named = error.strerror if isinstance(error, OSError) else None
    return one_line(named or str(error) or type(error).__name__)


def hashed_id(path: str) -> str:
    """Return the session id of a path whose content names none: `sha-` and 32 hex digits of its SHA-256."""
    return "sha-" + hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def usable_id(candidate: str | None, path: str) -> str:
    """Return the candidate session id, or the path's hash when it is missing or is the reserved word."""
    if not candidate or candidate == UNASSIGNED:
        return hashed_id(path)
    return candidate
