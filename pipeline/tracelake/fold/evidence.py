"""What a line's `toolUseResult` says about the tool that ran (parser.md 8.6)."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from tracelake.decode.json_rules import bool_of, int_of
from tracelake.decode.raws import NO_RAW, string_of
from tracelake.tables.rows import ToolResultRow

RawForm = Literal["text", "place", "none"]
"""How a structured result is kept: as text, by its place on the raw line that is kept too, or not at all."""

_EXIT_CODE = re.compile(r"(?:Error: )?Exit code (-?\d{1,9})(?:\n|$)")


class _ReadFile(msgspec.Struct, gc=False):
    file_path: msgspec.Raw = msgspec.field(default=NO_RAW, name="filePath")
    start_line: msgspec.Raw = msgspec.field(default=NO_RAW, name="startLine")
    num_lines: msgspec.Raw = msgspec.field(default=NO_RAW, name="numLines")


class _Evidence(msgspec.Struct, gc=False):
    stdout: msgspec.Raw = NO_RAW
    stderr: msgspec.Raw = NO_RAW
    interrupted: msgspec.Raw = NO_RAW
    exit_code_camel: msgspec.Raw = msgspec.field(default=NO_RAW, name="exitCode")
    exit_code_snake: msgspec.Raw = msgspec.field(default=NO_RAW, name="exit_code")
    file_path: msgspec.Raw = msgspec.field(default=NO_RAW, name="filePath")
    file: msgspec.Raw = NO_RAW
    structured_patch: msgspec.Raw = msgspec.field(default=NO_RAW, name="structuredPatch")
    agent_id: msgspec.Raw = msgspec.field(default=NO_RAW, name="agentId")
    resumed_agent_id: msgspec.Raw = msgspec.field(default=NO_RAW, name="resumedAgentId")
    status: msgspec.Raw = NO_RAW


_decode = msgspec.json.Decoder(_Evidence).decode
_decode_file = msgspec.json.Decoder(_ReadFile).decode


def fill_evidence(
    row: ToolResultRow, given: msgspec.Raw, body: str | None, keeps_raw: RawForm = "text", line: bytes = b""
) -> None:
    """Fill the evidence columns of a ToolResultRow; `body` is the result's own text, which may name an exit code.

    `line` is the physical line where raw lines hold it, for `keeps_raw` "place".
    """
    head = bytes(memoryview(given)[:5])
    row.present = head not in (b"", b"null")
    row.exit_code = _code_in(body)
    if not row.present:
        return
    if keeps_raw != "none":
        _fill_raw(row, bytes(given), line if keeps_raw == "place" else b"")
    if head[:1] == b'"':
        row.text = string_of(given)
        row.exit_code = _code_in(row.text) if row.exit_code is None else row.exit_code
    elif head[:1] == b"{":
        _fill_object(row, given)


def _fill_raw(row: ToolResultRow, raw: bytes, line: bytes) -> None:
    place = line.find(raw)
    if place >= 0:
        row.raw_offset, row.raw_bytes = place, len(raw)
    else:
        row.raw = row.raw_own = raw.decode(errors="replace")


def _fill_object(row: ToolResultRow, given: msgspec.Raw) -> None:
    try:
        found = _decode(given)
    except (msgspec.MsgspecError, RecursionError):
        return
    file = _read_file(bytes(found.file))
    row.stdout, row.stderr = string_of(found.stdout), string_of(found.stderr)
    interrupted = bytes(found.interrupted)
    row.interrupted = bool_of(interrupted) if interrupted else None
    code = _integer(found.exit_code_camel)
    code = _integer(found.exit_code_snake) if code is None else code
    row.exit_code = row.exit_code if code is None else code
    row.result_file_path = string_of(found.file_path) or string_of(file.file_path)
    patch = bytes(found.structured_patch)
    row.structured_patch = patch.decode() if patch[:1] == b"[" else None
    row.start_line, row.num_lines = _integer(file.start_line), _integer(file.num_lines)
    row.result_agent_id = string_of(found.agent_id)
    row.resumed_agent_id = string_of(found.resumed_agent_id)
    row.result_status = string_of(found.status)


_NO_FILE = _ReadFile()


def _read_file(raw: bytes) -> _ReadFile:
    try:
        return _decode_file(raw) if raw[:1] == b"{" else _NO_FILE
    except msgspec.MsgspecError:
        return _NO_FILE


def _integer(given: msgspec.Raw) -> int | None:
    if given is NO_RAW:
        return None
    raw = bytes(given)
    return int_of(raw) if raw.removeprefix(b"-").isdigit() else None


def _code_in(text: str | None) -> int | None:
    found = _EXIT_CODE.match(text) if text else None
    return int(found[1]) if found else None
