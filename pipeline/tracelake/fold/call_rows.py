"""A tool call and its input -> a row of `tool_calls` that waits for its result (parser.md 3.1 to 3.4, 3.7)."""

from __future__ import annotations

from typing import NamedTuple

from tracelake.fold.inputs import CATEGORY, relative_path
from tracelake.fold.lifted import InputBody
from tracelake.fold.place import Place
from tracelake.tables.rows import ToolCallRow


class Called(NamedTuple):
    """Which call of which message a row is about: its place in the content and among the message's calls."""

    block_index: int
    message_ordinal: int
    call_index: int
    tool_use_id: str | None
    tool_name: str | None


def call_row(place: Place, called: Called, given: InputBody, cwd: str | None, is_sidechain: bool) -> ToolCallRow:
    """Return the pending row of a call; `cwd` is the working directory that its file path is made relative to."""
    facts = given.facts
    row = ToolCallRow()
    row.line_no = place.line.line_no
    row.record_no = place.record_no
    row.block_index = called.block_index
    row.message_ordinal = called.message_ordinal
    row.call_index = called.call_index
    row.tool_use_id = called.tool_use_id
    row.tool_name = called.tool_name
    row.category = CATEGORY.get((called.tool_name or "").lower(), "")
    row.file_path = facts.file_path
    row.file_rel_path = relative_path(facts.file_path, cwd)
    row.detail = facts.detail
    row.input_json = given.text
    row.input_bytes = given.size
    row.input_sha256 = given.sha256
    row.input_media_type = given.media_type
    row.occurred_at = place.at
    row.status = "pending"
    row.run_in_background = facts.run_in_background
    row.is_sidechain = is_sidechain
    return row
