"""Tables for people and Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.cells import cell_len, set_cell_size

from tracelake.cli.cells import cell, is_number
from tracelake.cli.grid import Grid, Section

GAP = "  "
LEAST_WIDTH = 8
"""A text column is not cut below this; a table that still does not fit is shown a field per line."""

_MARKDOWN = re.compile(r"([\\|<>`*\[\]])")
BOLD, PLAIN = "\x1b[1m", "\x1b[0m"


def table(section: Section, width: int | None, bold: bool = False) -> Iterator[str]:
    """Yield the lines of one block.

    `width` is the terminal's, in cells: text columns are cut to it (with an ellipsis), and a table with too many
    columns is turned on its side. None means no limit: nothing is cut.
    """
    names = [cell(name) for name in section.grid.names]
    rows = [[cell(value) for value in row] for row in section.grid.rows]
    numeric = numeric_columns(section.grid)
    widths = [max(map(cell_len, column)) for column in zip(names, *rows, strict=True)]
    fitted = widths if width is None else fit(widths, numeric, width)
    if section.title:
        yield emphasise(section.title, bold)
    if fitted is None:
        yield from records(names, rows, width or 0)
        return
    yield emphasise(line(names, fitted, numeric), bold)
    rule = GAP.join("-" * size for size in fitted)
    yield rule
    body = len(rows) - section.totals
    for number, row in enumerate(rows):
        if number == body:
            yield rule
        yield line(row, fitted, numeric)


def emphasise(words: str, bold: bool) -> str:
    """Return the words in bold type if asked to."""
    return f"{BOLD}{words}{PLAIN}" if bold else words


def numeric_columns(grid: Grid) -> list[bool]:
    """Tell for each column whether all its values are numbers (missing ones aside)."""
    kinds: list[bool | None] = [None] * len(grid.names)
    for row in grid.rows:
        for index, value in enumerate(row):
            if value is not None and kinds[index] is not False:
                kinds[index] = is_number(value)
    return [kind is True for kind in kinds]


def line(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    """Return one row: numbers to the right, text to the left and cut to its column."""
    parts = []
    for words, size, right in zip(cells, widths, numeric, strict=True):
        if cell_len(words) > size:
            parts.append(set_cell_size(words, size - 1) + "…")
        else:
            space = " " * (size - cell_len(words))
            parts.append(space + words if right else words + space)
    return GAP.join(parts).rstrip()


def fit(widths: Sequence[int], numeric: Sequence[bool], width: int) -> list[int] | None:
    """Return column widths that fit into `width` cells, the text columns cut to one limit, or None."""
    room = width - len(GAP) * (len(widths) - 1)
    if sum(widths) <= room:
        return list(widths)
    for limit in range(min(max(widths), room), LEAST_WIDTH - 1, -1):
        sizes = [size if right else min(size, limit) for size, right in zip(widths, numeric, strict=True)]
        if sum(sizes) <= room:
            return sizes
    return None


def records(names: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Yield every row as a block of `name  value` lines."""
    left = max(map(cell_len, names))
    for number, row in enumerate(rows, 1):
        yield f"-- row {number}"
        for name, words in zip(names, row, strict=True):
            yield line([name, words], [left, max(width - left - len(GAP), LEAST_WIDTH)], [False, False])


def markdown(section: Section) -> Iterator[str]:
    """Yield the lines of one block as a Markdown table; totals are in bold type."""
    if section.title:
        yield f"**{_quote(section.title)}**"
        yield ""
    numeric = numeric_columns(section.grid)
    yield _pipes([_quote(cell(name)) for name in section.grid.names])
    yield _pipes(["---:" if right else "---" for right in numeric])
    rows = list(section.grid.rows)
    body = len(rows) - section.totals
    for number, row in enumerate(rows):
        words = [_quote(cell(value)) for value in row]
        yield _pipes([f"**{word}**" for word in words] if number >= body else words)


def _pipes(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _quote(words: str) -> str:
    return _MARKDOWN.sub(r"\\\1", words)
