"""What a tool call's input says: file path, short detail, background flag, and the tool's category."""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

from tracelake.bodies.facts import DETAIL_KEYS, MAX_DETAIL_BYTES, MAX_PATH_BYTES
from tracelake.decode.raws import NO_RAW

_CATEGORIES = {
    "read": "read readfile view cat",
    "write": "write writefile create",
    "edit": "edit apply_patch applypatch str_replace multiedit",
    "bash": "bash shell shell_command exec_command run execute",
    "search": "glob grep search find rg",
}
CATEGORY = {name: category for category, names in _CATEGORIES.items() for name in names.split()}
"""Category by lower-cased tool name (parser.md 3.2)."""

_decode_str = msgspec.json.Decoder(str).decode


class _Input(msgspec.Struct, gc=False):
    file_path: msgspec.Raw = NO_RAW
    command: msgspec.Raw = NO_RAW
    pattern: msgspec.Raw = NO_RAW
    url: msgspec.Raw = NO_RAW
    query: msgspec.Raw = NO_RAW
    description: msgspec.Raw = NO_RAW
    skill: msgspec.Raw = NO_RAW
    run_in_background: msgspec.Raw = NO_RAW


_decode_input = msgspec.json.Decoder(_Input).decode


class InputFacts(NamedTuple):
    """Facts of one input; None where it does not say."""

    file_path: str | None
    detail: str | None
    run_in_background: bool


NO_FACTS = InputFacts(None, None, False)


def input_facts(raw: bytes) -> InputFacts:
    """Return what the top-level members of a JSON input say (parser.md 3.3, 3.4; transcript.md B-1)."""
    if raw[:1] != b"{":
        return NO_FACTS
    try:
        found = _decode_input(raw)
    except (msgspec.MsgspecError, RecursionError):
        return NO_FACTS
    detail = next((text for key in DETAIL_KEYS if (text := _short(getattr(found, key), MAX_DETAIL_BYTES))), None)
    background = bytes(found.run_in_background) in (b"true", b'"true"')
    return InputFacts(_short(found.file_path, MAX_PATH_BYTES), detail, background)


def _short(raw: msgspec.Raw, limit: int) -> str | None:
    """Return a JSON string of 1 to `limit` decoded bytes, else None."""
    if raw is NO_RAW:
        return None
    data = bytes(raw)
    if data[:1] != b'"' or len(data) > limit * 6 + 2:
        return None
    text = _decode_str(data)
    return text if 0 < len(text.encode()) <= limit else None


_DRIVE = re.compile(r"[A-Za-z]:/")


def relative_path(path: str | None, cwd: str | None) -> str | None:
    """Return `path` relative to `cwd`; None when it is absolute and not under it (parser.md 3.7)."""
    if not path:
        return None
    path = path.replace("\\", "/")
    if not path.startswith("/") and not _DRIVE.match(path):
        while path.startswith("./"):
            path = path[2:]
        return path or None
    if not cwd:
        return None
    base = cwd.replace("\\", "/").rstrip("/") + "/"
    if _DRIVE.match(path) and _DRIVE.match(base):
        path, base = path[0].lower() + path[1:], base[0].lower() + base[1:]
    return path[len(base) :] or None if path.startswith(base) else None
