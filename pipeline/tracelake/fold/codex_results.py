"""What a Codex result says of how a command ended; Codex marks no result as an error."""

from __future__ import annotations

import re

import msgspec

_EXIT_CODE = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,9})$", re.MULTILINE)
_OUTPUT = re.compile(r"^Output:", re.MULTILINE)
_FAILED = "Script failed"
_LONGEST_HEAD = 2000
"""Characters in which the head of a result ends, if it has one."""


class _Outcome(msgspec.Struct, gc=False):
    exit_code: int | None = None


class _Wrapped(msgspec.Struct, gc=False):
    exit_code: int | None = None
    metadata: _Outcome | None = None


_decode = msgspec.json.Decoder(_Wrapped).decode


def exit_code_of(text: str | None) -> int | None:
    """Return the exit code that the head of a result states, before its output, or a JSON result as a member."""
    if not text:
        return None
    if text.startswith("{"):
        return _code_in_json(text)
    head = text[:_LONGEST_HEAD]
    end = _OUTPUT.search(head)
    found = _EXIT_CODE.search(head[: end.start()] if end else head)
    return int(found[1]) if found else None


def says_failed(text: str | None, exit_code: int | None) -> bool:
    """Return whether a result says that its command or script failed."""
    return exit_code not in (None, 0) or bool(text and text.startswith(_FAILED))


def _code_in_json(text: str) -> int | None:
    try:
        found = _decode(text)
    except (msgspec.MsgspecError, RecursionError):
        return None
    return found.exit_code if found.exit_code is not None or found.metadata is None else found.metadata.exit_code


class _Command(msgspec.Struct, gc=False):
    cmd: str | list[str] | None = None
    command: list[str] | None = None


_decode_command = msgspec.json.Decoder(_Command).decode


def command_line(arguments: str | None, longest: int) -> str | None:
    """Return the command of a call's JSON arguments, `cmd` or a list of words, if it is at most `longest` bytes."""
    if not arguments or not arguments.startswith("{"):
        return None
    try:
        found = _decode_command(arguments)
    except (msgspec.MsgspecError, RecursionError):
        return None
    given = found.cmd or found.command or ""
    line = given if isinstance(given, str) else _unwrapped(given)
    return line if line and len(line.encode()) <= longest else None


def _unwrapped(words: list[str]) -> str:
    """Return the words of a command as a line; of `bash -lc SCRIPT` the script."""
    is_shell = len(words) == 3 and words[0].rpartition("/")[2] in ("bash", "sh", "zsh") and words[1] in ("-c", "-lc")
    return words[2] if is_shell else " ".join(words)
