"""Observers: tables that look at each record on its own, beside the folding of turns.

An observer is made once per file and sees every record in file order after it was folded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from tracelake.decode.claude import Record
from tracelake.fold.claude_citations import CitationObserver
from tracelake.fold.claude_fallbacks import Fallbacks
from tracelake.fold.claude_signals import SignalObserver
from tracelake.fold.place import Place
from tracelake.fold.rows import Rows


class Observer(Protocol):
    """Adds rows of its own table."""

    def record(self, rows: Rows, place: Place, record: Record) -> None:
        """Take one record of a line."""

    def finish(self, rows: Rows) -> None:
        """Emit what was held back until the end of the file."""


OBSERVERS: tuple[Callable[[], Observer], ...] = (Fallbacks, SignalObserver, CitationObserver)
"""Made anew for every file, called in this order."""
