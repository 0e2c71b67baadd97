"""A tool call and its input -> a row of `tool_calls` that waits for its result (parser.md 3.1 to 3.4, 3.7)."""

from __future__ import annotations

from typing import Any, NamedTuple

from tracelake.fold.inputs import CATEGORY, relative_path
from tracelake.fold.lifted import InputBody
from tracelake.fold.place import Place
from tracelake.tables.tool_calls import ToolCallRow


class Called(NamedTuple):
    """Which call of which message a row is about: its place in the content and among the message's calls."""

    block_index: int
    message_ordinal: int
    call_index: int
    tool_use_id: str | None
    tool_name: str | None


def call_row(place: Place, called: Called, given: InputBody, cwd: str | None, is_sidechain: bool) -> Any:
    """Return the pending row of a call; `cwd` is the working directory that its file path is made relative to."""
    facts = given.facts
    row = ToolCallRow(
        place.line.line_no,
        place.record_no,
        called.block_index,
        called.message_ordinal,
        called.call_index,
        called.tool_use_id,
        called.tool_name,
        CATEGORY.get((called.tool_name or "").lower(), ""),
        facts.file_path,
        relative_path(facts.file_path, cwd),
        facts.detail,
        given.text,
        given.size,
        given.sha256,
        given.media_type,
    )
    row.occurred_at = place.at
    row.status = "pending"
    row.run_in_background = facts.run_in_background
    row.is_sidechain = is_sidechain
    return row
