"""The table: one row per figure, a ratio first, seconds beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One row: what was measured, in which unit, for each subject, and what it is held against."""

    tree: str
    what: str
    values: tuple[float | None, ...]
    """One per subject, the present one first; None where it has no such thing."""
    unit: str
    base: float | None = None
    against: str = ""

    def cells(self) -> list[str]:
        present = self.values[0]
        ratio = f"{present / self.base:.3g}" if self.base and present is not None else ""
        old = [
            text
            for value in self.values[1:]
            for text in (number(value), f"{present / value:.2f}" if value and present is not None else "")
        ]
        return [self.tree, self.what, ratio, self.against if ratio else "", number(present), self.unit, *old]


def number(value: float | None) -> str:
    """Return a figure with three digits; `-` where there is none."""
    if value is None:
        return "-"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def markdown(figures: Sequence[Figure], others: Sequence[str]) -> str:
    """Return the figures as a Markdown table; `others` are the names of the subjects after the first."""
    head = ["tree", "measured", "ratio", "to", "figure", "unit"]
    head += [text for name in others for text in (name, f"figure / {name}")]
    rows = [head, ["---"] * len(head), *(figure.cells() for figure in figures)]
    full = [row + [""] * (len(head) - len(row)) for row in rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in full)
