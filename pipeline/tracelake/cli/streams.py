"""The three standard streams: closed ones replaced, and writing to them without a traceback."""

from __future__ import annotations

import os
import sys


def open_closed_streams() -> None:
    """Give every standard stream that was closed when the program started a stand-in.

    Else the next file that is opened would get its number, and what is printed would end up in that file. Reading
    finds nothing, messages are dropped, and writing an answer fails as it does on a full disk.
    """
    for number, flags in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        if _is_closed(number):
            os.dup2(os.open(os.devnull, flags), number)
    sys.stdin = sys.stdin or open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - open until the end
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def _is_closed(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return True
    return False


def say(line: str) -> None:
    """Write one line to stderr; where that cannot be written, there is nobody to tell."""
    try:
        print(line, file=sys.stderr, flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def drop_stdout() -> None:
    """Point stdout at nothing: the interpreter flushes it when it ends, and that must not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
