"""Folding bytes into rows, for comparison."""

from __future__ import annotations

import io
from typing import Any

from pipeline.decode.oversize import decode_oversize
from pipeline.decode.parse import decode_line
from pipeline.fold.agents import FOLDS
from pipeline.fold.rows import Rows
from pipeline.sources.lines import LineReader

NOT_IN_A_SENTINEL = {
    "messages": set(),
    "token_usage": {"byte_offset"},
    "tool_results": {"body"},
    "tool_calls": {
        # what needs the text of a body
        *("input_json", "result_text", "ran", "ran_extended", "not_run_form", "hook_refusal_reason"),
        *("run_in_background", "patch_paths", "echo", "reads_transcript_static", "reads_transcript_live"),
    },
}
"""Columns, by table, that may differ once bodies were lifted out."""


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
    return [
        tuple((name, getattr(row, name)) for name in row.__struct_fields__ if name not in NOT_IN_A_SENTINEL[table])
        for row in ordered
    ]
