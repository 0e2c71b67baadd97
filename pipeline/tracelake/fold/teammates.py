"""Teammates: what `<teammate-message>` texts say about their end."""

from __future__ import annotations

import re
from collections.abc import Iterator

OPENING = "<teammate-message"
_MESSAGE = re.compile(r'<teammate-message teammate_id="([^"]*)"[^>]*>(.*?)</teammate-message>', re.DOTALL)
_TERMINATED = re.compile(r"teammate_terminated\W+(?:message\W+)?([A-Za-z0-9_@.-]+)")
_APPROVED = re.compile(r'"type"\s*:\s*"shutdown_approved"')


def ended_teammates(text: str) -> Iterator[str]:
    """Yield the names of the teammates that a user text says have shut down.

    The program itself (`system`) names who was terminated; a teammate that approves its shutdown speaks for itself.
    """
    for sender, body in _MESSAGE.findall(text):
        terminated = _TERMINATED.search(body) if sender == "system" else None
        if terminated is not None:
            yield terminated[1]
        elif sender and _APPROVED.search(body):
            yield sender
