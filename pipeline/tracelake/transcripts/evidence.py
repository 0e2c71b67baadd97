"""What the structured payload beside a tool result says about the tool that ran (parser.md 8.6)."""

from __future__ import annotations

import msgspec

from tracelake.decode.lenient import elements, lenient_decode
from tracelake.fold.evidence import fill_evidence
from tracelake.tables.rows import ToolResultRow


class PatchHunk(msgspec.Struct, gc=False, rename="camel"):
    """One hunk of an edit; line numbers count from 1, `lines` start with a blank, `+` or `-`."""

    old_start: int | None = None
    old_lines: int | None = None
    new_start: int | None = None
    new_lines: int | None = None
    lines: list[str] | None = None


class ResultEvidence(msgspec.Struct, gc=False, frozen=True):
    """The fields of a `toolUseResult`; None where it does not say, `raw` is all of it.

    `agent_id` is the sub-agent that a call started, `resumed_agent_id` the one that it woke up again.
    """

    present: bool
    text: str | None = None
    stdout: str | None = None
    stderr: str | None = None
    interrupted: bool | None = None
    exit_code: int | None = None
    file_path: str | None = None
    structured_patch: list[PatchHunk] | None = None
    start_line: int | None = None
    num_lines: int | None = None
    agent_id: str | None = None
    resumed_agent_id: str | None = None
    status: str | None = None
    raw: bytes | None = None


def decode_result_evidence(raw: bytes | None, body: str | None = None) -> ResultEvidence:
    """Return what a `toolUseResult` (JSON source) says; `body` is the result's own text, which may name an exit code.

    Never raises: members of the wrong type are no evidence.
    """
    row = ToolResultRow()
    fill_evidence(row, msgspec.Raw(raw or b""), body)
    return ResultEvidence(
        present=bool(row.present),
        text=row.text,
        stdout=row.stdout,
        stderr=row.stderr,
        interrupted=row.interrupted,
        exit_code=row.exit_code,
        file_path=row.result_file_path,
        structured_patch=_hunks(row.structured_patch),
        start_line=row.start_line,
        num_lines=row.num_lines,
        agent_id=row.result_agent_id,
        resumed_agent_id=row.resumed_agent_id,
        status=row.result_status,
        raw=raw if row.present else None,
    )


def _hunks(patch: str | None) -> list[PatchHunk] | None:
    if patch is None:
        return None
    return [lenient_decode(hunk, PatchHunk) for hunk in elements(patch.encode()) if hunk[:1] == b"{"]
