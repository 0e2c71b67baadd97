"""What a file is, judged by a bounded part of its beginning."""

from __future__ import annotations

from typing import Any

import msgspec
import orjson

from tracelake.sources.archives import TEST_BYTES, archive_kind, transcripts_in, unpacked_head
from tracelake.sources.compressed import open_transcript, plain_name
from tracelake.sources.model import Cause
from tracelake.sources.opening import read_up_to
from tracelake.sources.paths import one_line
from tracelake.sources.programs import (
    JOURNAL,
    bare_header_id,
    cwd_of,
    is_bare_item,
    program_of,
    session_id_of,
    starts_subagent,
)
from tracelake.sources.toplevel import top_level

READABLE_AGENTS = frozenset({"claude", "codex", "pi"})
"""Agents whose transcripts this version reads; those of others are recognised and listed."""

EMPTY = "empty file"
HEAD_LINES = 500
HEAD_BYTES = 1 << 20
_FIRST_BYTES = 1 << 16
"""Enough for almost every file; the rest of the head is read only where this does not settle the question."""

_SHOWN = 60
"""Characters of a line that a reason quotes."""


class Sniff(msgspec.Struct, frozen=True):
    """The verdict on one file.

    `agent` is claude, codex, pi or empty; `kind_hint` is `transcript`, `journal` or empty; `session_id` is
    the first one met in the head; `reason` says why the file is no transcript, None when it is one. `cwd` and
    `is_subagent` are what the header of a Codex or pi file says of the whole session. `cause` is NOT_READ_YET for an
    archive that holds transcripts.
    """

    agent: str = ""
    kind_hint: str = ""
    session_id: str | None = None
    reason: str | None = None
    cwd: str | None = None
    is_subagent: bool = False
    cause: Cause | None = None


def sniff(os_path: str) -> Sniff:
    """Judge a file by its first 500 lines, at most 1 MiB of them. Raises OSError."""
    named_jsonl = plain_name(os_path).endswith(".jsonl")
    with open_transcript(os_path) as stream:
        head = read_up_to(stream, _FIRST_BYTES)
        kind = archive_kind(head[:TEST_BYTES])
        if kind is not None:
            return _archive(os_path, kind)
        verdict = judge(head, len(head) < _FIRST_BYTES, named_jsonl)
        if len(head) == _FIRST_BYTES and not (verdict.agent and verdict.session_id):
            head += read_up_to(stream, HEAD_BYTES - _FIRST_BYTES)
            verdict = judge(head, len(head) < HEAD_BYTES, named_jsonl)
    return verdict


def _archive(os_path: str, kind: str) -> Sniff:
    """Judge an archive by the names in it, or a compressed file by what it unpacks to. Raises OSError."""
    head = unpacked_head(os_path, kind)
    names = transcripts_in(os_path, kind, head)
    inner = plain_name(os_path).rpartition(".")[0]
    if names:
        what = f"a {kind} archive that holds {_shown(names[0])}" + (" and others" if len(names) > 1 else "")
    elif kind != "tar" and judge(head, False, inner.endswith(".jsonl")).agent:
        what = f"a transcript compressed with {kind}"
    else:
        return Sniff(reason=f"{kind} archive")
    return Sniff(reason=f"{what}; unpack it and pass the folder", cause=Cause.NOT_READ_YET)


def judge(head: bytes, complete: bool, named_jsonl: bool) -> Sniff:
    """Judge the first bytes of a file; `complete` says that they are all of it.

    In a file named `.jsonl` one typical record is enough, whatever stands before it. In any other file most
    lines must be JSON objects, so that a text which quotes a record is not taken for a transcript.
    """
    if not head:
        return Sniff(reason=EMPTY)
    lines = [line for line in head.split(b"\n", HEAD_LINES)[:HEAD_LINES] if line.strip(b"\0 \t\r")]
    if not lines:
        return Sniff(reason="nothing but blank lines or NUL bytes")
    if _is_document(lines[0], head, complete):
        return Sniff(reason="JSON document, not JSON lines")
    census = _Census()
    for line in lines:
        census.add(top_level(line))
        if named_jsonl and census.program and census.session_id:
            break
    return census.verdict(lines, named_jsonl)


class _Census:
    """What the lines of a head have in common so far."""

    def __init__(self) -> None:
        self.program = ""
        self.session_id: str | None = None
        self.cwd: str | None = None
        self.is_subagent = False
        self.objects = 0
        self.others = 0
        self.first_keys: list[str] = []
        self._bare_header_id: str | None = None

    def add(self, record: dict[str, Any] | None) -> None:
        """Count one line; the first typical record decides which program wrote the file."""
        if record is None:
            self.others += 1
            return
        self.objects += 1
        self.first_keys = self.first_keys or list(record)
        self._bare_codex(record)
        self.program = self.program or program_of(record)
        if self.session_id is None and self.program:
            self.session_id = session_id_of(record, self.program)
            self.is_subagent = starts_subagent(record, self.program)
        self.cwd = self.cwd or cwd_of(record, self.program)

    def _bare_codex(self, record: dict[str, Any]) -> None:
        """Know a rollout of early 2025 by its first two lines: a header of id and time, and an item without payload."""
        if self.objects == 1:
            self._bare_header_id = bare_header_id(record)
        elif self._bare_header_id and not self.program and is_bare_item(record):
            self.program, self.session_id = "codex", self._bare_header_id

    def verdict(self, lines: list[bytes], named_jsonl: bool) -> Sniff:
        """Return the judgement over all counted lines."""
        if self.program and (named_jsonl or self.objects > self.others):
            journal = self.program == JOURNAL
            return Sniff(
                agent="claude" if journal else self.program,
                kind_hint=JOURNAL if journal else "transcript",
                session_id=self.session_id,
                reason="workflow journal, not a transcript" if journal else None,
                cwd=self.cwd,
                is_subagent=self.is_subagent,
            )
        if self.program:
            share = f"{self.objects} of {len(lines)} lines are JSON objects"
            return Sniff(reason=f"text that quotes records: {share}")
        if self.objects:
            keys = ", ".join(self.first_keys[:6]) or "none"
            return Sniff(reason=f"JSON lines of no known agent: keys of the first object are {_shown(keys)}")
        return Sniff(reason=_why_no_object(lines))


def _is_document(first: bytes, head: bytes, complete: bool) -> bool:
    """Return whether the head is one JSON value over several lines, or a JSON array."""
    bare = first.strip(b"\xef\xbb\xbf\0 \t\r")
    if not complete:
        return bare in (b"{", b"[") or bare.startswith((b"[{", b"[["))
    if not bare.startswith((b"{", b"[")) or (bare.startswith(b"{") and _is_json(bare)):
        return False
    return _is_json(head.removeprefix(b"\xef\xbb\xbf"))


def _is_json(data: bytes) -> bool:
    try:
        orjson.loads(data)
    except orjson.JSONDecodeError:
        return False
    return True


def _why_no_object(lines: list[bytes]) -> str:
    """Return the reason for a head without any JSON object."""
    start = b"\n".join(lines)[:8192]
    controls = start.translate(None, bytes(range(32, 256)) + b"\t\n\r\f\x1b")
    if controls:
        return "binary file"
    first = lines[0].decode("utf-8", "replace").strip()
    return f"not JSON lines: first line is '{_shown(first)}'"


def _shown(text: str) -> str:
    return one_line(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
