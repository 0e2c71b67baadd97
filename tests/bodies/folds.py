"""Folding bytes into rows, for comparison."""

from __future__ import annotations

import io
from typing import Any

from tracelake.decode.oversize import decode_oversize
from tracelake.decode.parse import decode_line
from tracelake.fold.agents import FOLDS
from tracelake.fold.inputs import input_facts
from tracelake.fold.rows import Rows
from tracelake.sources.lines import LineReader

COMPARED = {
    "messages": (
        "line_no ordinal role content thinking_text thinking_bytes has_thinking has_tool_use model timestamp "
        "last_line_no"
    ),
    "token_usage": "line_no message_ordinal dedup_key model occurred_at input_tokens output_tokens cache_read_tokens",
    "tool_results": "line_no seq tool_use_id is_error body_bytes body_sha256 media_type occurred_at",
    "tool_calls": (
        "line_no message_ordinal call_index tool_use_id tool_name category file_path file_rel_path detail input_bytes "
        "input_sha256 input_media_type occurred_at status result_bytes result_sha256 result_media_type result_line_no"
    ),
}
"""Columns, by table, that a sentinel preserves: all that does not need the text of a body."""


def fold(agent: str, data: bytes) -> Rows:
    rows = Rows()
    made = FOLDS[agent](rows, False, frozenset())
    for line in LineReader(io.BytesIO(data)):
        decoded = (
            decode_line(line.data, line.has_lf, made.form)
            if line.data is not None
            else decode_oversize(line.pieces(), made.form)
        )
        made.feed(line, decoded)
    made.finish()
    return rows


def comparable(rows: Rows, table: str) -> list[tuple[Any, ...]]:
    """The rows of one table in file order, without what a sentinel does not say."""
    found = getattr(rows, table)
    keys = ("line_no", "record_no", "block_index", "seq", "ordinal")
    ordered = sorted(found, key=lambda row: [getattr(row, key, None) or 0 for key in keys])
    names = [name for name in COMPARED[table].split() if hasattr(ordered[0], name)] if ordered else []
    return [tuple((name, _preserved(row, name)) for name in names) for row in ordered]


def _preserved(row: Any, name: str) -> Any:
    """What a sentinel says of a value: the detail of an input only where one of the known keys gives it."""
    value = getattr(row, name)
    if name != "detail" or not value or row.input_json is None:
        return value
    return input_facts(row.input_json.encode()).detail
