"""Which fold reads which agent's files; a new agent is one decoder, one fold and one line here."""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Protocol

from tracelake.decode.parse import Decoded, Form
from tracelake.fold.claude import ClaudeFold
from tracelake.fold.codex import CodexFold
from tracelake.fold.evidence import RawForm
from tracelake.fold.facts import Facts
from tracelake.fold.pi import PiFold
from tracelake.fold.rows import Rows
from tracelake.sources.lines import Line


class Fold(Protocol):
    """What extraction needs of an agent's fold: feed every line of one file in order, then finish."""

    form: Form
    rows: Rows
    facts: Facts
    found_calls: set[str]
    on_full: Callable[[], None]
    keeps_raw: RawForm
    """How structured results are kept."""

    def feed(self, line: Line, decoded: Decoded) -> str:
        """Take one physical line; return its status."""

    def rebind(self, rows: Rows) -> None:
        """Send the rows that follow to `rows`; state is kept."""

    def finish(self) -> Facts:
        """Emit what is open or pending, and return the facts of the file."""


FOLDS: dict[str, Callable[[Rows, bool, Set[str]], Fold]] = {
    "claude": ClaudeFold,
    "codex": CodexFold,
    "pi": PiFold,
}
"""Fold by agent; called with the rows to fill, whether the file is a sub-agent's, and the wanted calls."""
