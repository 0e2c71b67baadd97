"""Ctrl-C and SIGTERM: both end a command in the same way, by their own exit code."""

from __future__ import annotations

import signal
from types import FrameType

INTERRUPTED, TERMINATED = 130, 143


class Terminated(KeyboardInterrupt):
    """SIGTERM, raised where the main thread is; whoever cleans up after Ctrl-C cleans up after it too."""


def answer_sigterm() -> None:
    """Make SIGTERM raise Terminated, unless whoever started the program wants it ignored."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _terminate)


def _terminate(number: int, frame: FrameType | None) -> None:
    raise Terminated


def code_of(error: KeyboardInterrupt) -> int:
    """Return the exit code: 128 and the number of the signal."""
    return TERMINATED if isinstance(error, Terminated) else INTERRUPTED
