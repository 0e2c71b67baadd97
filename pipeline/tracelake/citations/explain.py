"""Every text that holds a quote, citable or not, with the reasons (for `cite --explain`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tracelake.citations.files import record_file, select, tree_of
from tracelake.citations.normal import fold_spaces

if TYPE_CHECKING:
    from tracelake.lake.connect import Connection

_TEXTS = """
    SELECT path, line_no, pool, kind, citable, all_reasons, tool_name, text FROM citations
    WHERE ($paths IS NULL OR list_contains($paths, path))
        AND (contains(norm_text, $wanted) OR contains(norm_text_unnumbered, $wanted))
    ORDER BY citable DESC, path, line_no, seq
    LIMIT $limit
"""
SHOWN = 100
EXCERPT = 160


def explain(lake: Connection, quote: str, path: str | None = None, limit: int = SHOWN) -> list[dict[str, Any]]:
    """Return the texts that hold the quote, in the session of `path` or the whole lake, citable ones first.

    Each has path, line_no, pool, kind, citable, reasons, tool_name and an excerpt. Raises RecordUnreadableError.
    """
    wanted = fold_spaces(quote)
    paths = tree_of(lake, record_file(lake, path).top) if path is not None else None
    rows = select(lake, _TEXTS, paths=paths, wanted=wanted, limit=limit) if wanted else []
    return [_shown(row, wanted) for row in rows]


def _shown(row: dict[str, Any], wanted: str) -> dict[str, Any]:
    reasons, text = row.pop("all_reasons"), fold_spaces(row.pop("text"))
    start = max(0, text.find(wanted) - EXCERPT // 4)
    return {**row, "reasons": reasons or [], "excerpt": text[start : start + EXCERPT]}
