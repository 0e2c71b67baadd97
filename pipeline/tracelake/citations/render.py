"""What is shown of a cited entry: its whole text in the pools, and the calls that printed it (C-17, C-18)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

import msgspec

from tracelake.citations.files import select
from tracelake.citations.model import SourceType

if TYPE_CHECKING:
    from tracelake.lake.connect import Connection

MAX_MESSAGE_BYTES = 16_384
MAX_ARGUMENT_BYTES = 2_048
_ENTRY = """
    SELECT pool, kind, citable, text, tool_use_id FROM citations
    WHERE session_id = $session_id AND path = $path AND line_no = $line
    ORDER BY record_no, seq
"""
_CALLS = """
    SELECT calls.tool_use_id, arg_max(calls.tool_name, ROW(calls.line_no, calls.block_index)) AS tool_name,
        arg_max(calls.input_json, ROW(calls.line_no, calls.block_index)) AS input_json
    FROM tool_calls AS calls
    JOIN entries ON entries.session_id = calls.session_id AND entries.path = calls.path
        AND entries.line_no = calls.line_no
    WHERE calls.session_id = $session_id AND calls.path = $path AND list_contains($ids, calls.tool_use_id)
        AND is_strict(entries.status) AND entries.uuid IS NOT NULL AND entries.type = 'assistant'
    GROUP BY calls.tool_use_id
"""


class _Input(msgspec.Struct):
    command: str | None = None
    file_path: str | None = None


def rendered(lake: Connection, session_id: str, path: str, line: int, pools: Collection[SourceType]) -> tuple[str, str]:
    """Return the message and the call of the entry at `path`:`line`, as far as it is in `pools`."""
    rows = select(lake, _ENTRY, session_id=session_id, path=path, line=line)
    message = cap("\n\n".join(_texts(rows, pools)), MAX_MESSAGE_BYTES, "\n[... truncated]")
    if SourceType.TOOL_RESULT not in pools:
        return message, ""
    ids = [key for key, _ in groupby(row["tool_use_id"] for row in rows if _is_result(row))]
    calls = {row["tool_use_id"]: row for row in select(lake, _CALLS, session_id=session_id, path=path, ids=ids)}
    return message, "\n".join(
        call_line(calls[key]["tool_name"], calls[key]["input_json"]) for key in ids if key in calls
    )


def _texts(rows: list[dict[str, Any]], pools: Collection[SourceType]) -> Iterator[str]:
    if SourceType.USER in pools:
        yield from (row["text"] for row in rows if row["kind"] in ("typed", "queued") and row["citable"])
        yield from (row["text"] for row in rows if row["kind"] == "envelope")
    if SourceType.TOOL_RESULT in pools:
        yield from (row["text"] for row in rows if _is_result(row))


def _is_result(row: dict[str, Any]) -> bool:
    return bool(row["pool"] == "tool_result" and row["citable"])


def call_line(name: str | None, input_json: str | None) -> str:
    """Return `<name>: <argument>` of a call: its command, else its file_path, else the input as written (C-18)."""
    source = input_json or ""
    try:
        found = msgspec.json.decode(source, type=_Input) if source else _Input()
    except (msgspec.MsgspecError, RecursionError):
        found = _Input()
    argument = found.command or found.file_path or source
    return f"{name or ''}: {cap(argument, MAX_ARGUMENT_BYTES, '[... truncated]')}"


def cap(text: str, limit: int, marker: str) -> str:
    """Return `text`, cut to `limit` UTF-8 bytes at a code point and followed by `marker` if it is longer."""
    data = text.encode(errors="replace")
    return text if len(data) <= limit else data[:limit].decode(errors="ignore") + marker
