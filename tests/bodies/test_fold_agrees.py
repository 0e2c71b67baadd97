"""Lifted bodies are what the fold records inline, and a lifted transcript folds to the same rows (parser.md 4.4)."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tracelake.bodies import bodies_in, extract_bodies, rewrite_line
from tracelake.bodies.find import body_locations
from tracelake.fold.rows import Rows
from tracelake.sources.sniff import sniff

from tests.bodies.folds import COMPARED, comparable, fold
from tests.bodies.test_rewrite import C2_TEXT
from tests.bodies.texts import LINES, dumps, transcripts

ENDED = re.compile(rb'^.{0,200}"type":"(?:web_search|mcp_tool_call)_end"')
WHOLE = ("ok", "bad_type")
"""Statuses of lines that are one undamaged JSON object."""


def recorded(rows: Rows, data: bytes) -> Counter[tuple[int, str, int]]:
    """Line, hash and length of every body that the fold found on an undamaged line.

    Codex calls that are known by their end event only are not lifted, nor is anything of a line without LF.
    """
    ended = {number for number, line in enumerate(data.split(b"\n"), 1) if ENDED.search(line)}
    whole = {row.line_no for row in rows.entries if row.status in WHOLE} - ended - {data.count(b"\n") + 1}
    found = [(row.line_no, row.input_sha256, row.input_bytes) for row in rows.tool_calls if row.input_bytes]
    found += [(row.line_no, row.body_sha256, row.body_bytes) for row in rows.tool_results]
    found += [(row.line_no, row.sha256, row.bytes) for row in rows.attachments if row.carrier == "user_image"]
    return Counter(item for item in found if item[0] in whole and item[2])


def structured(data: bytes) -> Counter[tuple[int, str, int]]:
    """The same of structured results, which the fold does not keep, read independently."""
    found = []
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        if b"toolUseResult" not in line:
            continue
        try:
            raw = bytes(msgspec.json.decode(line, type=dict[str, msgspec.Raw]).get("toolUseResult", b""))
            is_user = json.loads(line)["type"] == "user"
        except (ValueError, msgspec.MsgspecError, KeyError):
            continue
        body = json.loads(raw).encode() if raw[:1] == b'"' else raw
        if is_user and raw[:1] in (b'"', b"{", b"[") and body:
            found.append((number, hashlib.sha256(body).hexdigest(), len(body)))
    return Counter(found)


def lifted(agent: str, data: bytes) -> Counter[tuple[int, str, int]]:
    found: Counter[tuple[int, str, int]] = Counter()
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        found.update((number, body.sha256, body.bytes) for body in rewrite_line(agent, line)[1] if body.bytes)
    return found


def check(agent: str, data: bytes) -> None:
    inline = fold(agent, data)
    expected = recorded(inline, data)
    if agent == "claude":
        expected += structured(data)
    assert lifted(agent, data) == expected
    rewritten = fold(agent, extract_bodies(agent, data)[0])
    for table in COMPARED:
        assert comparable(rewritten, table) == comparable(inline, table), table


def test_c2():
    check("claude", C2_TEXT)


def test_a_lifted_transcript_has_no_text_but_all_else():
    rows = fold("claude", extract_bodies("claude", C2_TEXT)[0])
    first = min(rows.tool_calls, key=lambda row: row.call_index)
    assert (first.input_json, first.input_bytes, first.input_media_type) == (None, 35, "application/json")
    assert (first.file_path, first.detail, first.status) == ("a/b.md", "qq", "ok")
    assert (first.result_text, first.result_bytes, first.result_media_type) == (None, 10, "text/plain")
    assert first.result_sha256 == hashlib.sha256(b"l1\nbare\nl2").hexdigest()
    images = [(row.line_no, row.bytes, row.media_type, row.byte_offset) for row in rows.attachments]
    assert images == [(1, 23, "image/png", None), (2, 23, "image/png", None), (2, 12, "image/svg+xml", None)]
    assert [row.body for row in rows.tool_results[:4]] == [None] * 4


def test_a_repeated_call_gets_the_lifted_result_too():
    use = {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]}}
    back = {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "t", "content": "owl"}]}}
    text = b"".join(dumps(line) + b"\n" for line in (use, back, use))
    rows = fold("claude", extract_bodies("claude", text)[0])
    assert [(row.result_text, row.result_bytes) for row in rows.tool_calls] == [(None, 3), (None, 3)]


@pytest.mark.parametrize("agent", LINES)
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_transcript_folds_to_the_same_rows(agent: str, data: st.DataObject):
    source = data.draw(transcripts(agent))
    inline, rewritten = fold(agent, source), fold(agent, extract_bodies(agent, source)[0])
    for table in ("messages", "tool_calls", "token_usage"):
        assert comparable(rewritten, table) == comparable(inline, table), table


REAL = os.environ.get("TRACELAKE_REAL_DATA")
ENOUGH_BYTES = 3_000_000


@pytest.mark.real
@pytest.mark.skipif(not REAL, reason="TRACELAKE_REAL_DATA names no real transcripts")
@pytest.mark.parametrize(
    "part", ["packmind", "codex", "pi", "moredip__session-share", "slopus__happy", "jazzyalex__agent-sessions"]
)
def test_real_transcripts(part: str):
    left = ENOUGH_BYTES
    for path in sorted(Path(REAL or "", part).rglob("*.jsonl"), key=lambda path: path.stat().st_size):
        verdict = sniff(str(path))
        if verdict.kind_hint == "transcript" and left > 0:
            check(verdict.agent, path.read_bytes())
            left -= path.stat().st_size
    assert left < ENOUGH_BYTES


@pytest.mark.real
@pytest.mark.skipif(not REAL, reason="TRACELAKE_REAL_DATA names no real transcripts")
def test_the_survey_of_a_real_transcript_is_what_is_lifted():
    path = max(Path(REAL or "", "packmind").rglob("*.jsonl"), key=lambda file: file.stat().st_size)
    data = path.read_bytes()
    places = sum(len(body_locations("claude", line)) for line in data.split(b"\n"))
    survey = list(bodies_in(path))
    assert len(survey) == places > 100
    assert Counter((body.line_no, body.sha256, body.bytes) for body in survey if body.bytes) == lifted("claude", data)
