"""Reducer: regions of one transcript -> the rows that extraction makes of it, however the bytes are cut."""

from __future__ import annotations

import json
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tracelake.errors import UsageError
from tracelake.reducer import MEMBER_OF, Delta, Reducer, Session, parse

from tests.fold.folding import fold

CORPUS = Path(__file__).parent / "corpus"
AGENTS = {"c1": "claude", "c2": "claude", "f1": "claude", "x1": "codex", "p1": "pi"}
FILES = {name: (CORPUS / name / "in.jsonl").read_bytes() for name in AGENTS}


def us(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1_000_000)


def assistant(message_id: str, *content: dict, **keys) -> bytes:
    usage = {"input_tokens": 7, "output_tokens": 2}
    return record("assistant", {"id": message_id, "model": "m-owl", "content": list(content), "usage": usage}, **keys)


def user(*content: dict) -> bytes:
    return record("user", {"content": list(content)})


def record(kind: str, message: dict, **keys) -> bytes:
    return json.dumps({"type": kind, "timestamp": "2031-05-01T08:00:00Z", "message": message, **keys}).encode()


def text(words: str) -> dict:
    return {"type": "text", "text": words}


def call(call_id: str) -> dict:
    return {"type": "tool_use", "id": call_id, "name": "Bash", "input": {"command": "ls"}}


def result(call_id: str, words: str) -> dict:
    return {"type": "tool_result", "tool_use_id": call_id, "content": words}


PNG = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
LINES = (
    assistant("A", text("one")),
    assistant("A", call("t1"), call("t2"), cwd="/srv/owl", gitBranch="trunk"),
    assistant("B", {"type": "fallback", "from": {"model": "m-a"}, "to": {"model": "m-b"}}, requestId="r1"),
    user(result("t1", "first")),
    user(result("t2", "second"), result("t1", "late")),
    user(text("why"), {"type": "image", "source": PNG}),
    user(text("  ")),
    b'{"type":"system","subtype":"api_error","error":{"message":"busy"},"timestamp":"2030-01-01T00:00:00Z"}',
    b'{"type":"system","subtype":"model_refusal_fallback","requestId":"r1"}',
    b'{"type":"user","message":{"content":"a"}}{"type":"user","timestamp":"2029-01-01T00:00:00Z"}',
    b"not json",
    b"\xff\xfe",
    b"\r",
    b"",
)


def fed(agent: str, data: bytes, cuts: list[int]) -> Delta:
    reducer = Reducer(agent)
    edges = [0, *sorted(cuts), len(data)]
    for start, end in pairwise(edges):
        reducer.feed(data[start:end], start)
    return reducer.finish()


def line_ends(data: bytes) -> list[int]:
    return [at + 1 for at, byte in enumerate(data) if byte == 0x0A]


transcripts = st.one_of(
    st.sampled_from([(agent, FILES[name]) for name, agent in AGENTS.items()]),
    st.tuples(
        st.just("claude"),
        st.tuples(st.lists(st.sampled_from(LINES), max_size=12), st.sampled_from([b"\n", b""])).map(
            lambda made: b"\n".join(made[0]) + made[1]
        ),
    ),
)


@given(transcripts, st.data())
def test_any_cutting_at_line_ends_gives_the_same(transcript: tuple[str, bytes], data: st.DataObject):
    agent, content = transcript
    ends = line_ends(content)
    cuts = data.draw(st.lists(st.sampled_from(ends), max_size=8)) if ends else []
    assert fed(agent, content, cuts) == fed(agent, content, [])


@given(transcripts, st.data())
def test_so_does_a_cutting_anywhere(transcript: tuple[str, bytes], data: st.DataObject):
    agent, content = transcript
    cuts = data.draw(st.lists(st.integers(0, len(content)), max_size=8))
    assert fed(agent, content, cuts) == fed(agent, content, [])


@given(transcripts)
def test_the_rows_are_those_of_extraction(transcript: tuple[str, bytes]):
    agent, content = transcript
    delta, folded = fed(agent, content, line_ends(content)), fold(content, agent)
    for table, member in MEMBER_OF.items():
        rows = [msgspec.structs.asdict(row) for row in getattr(delta, member)]
        assert sorted(rows, key=repr) == sorted(folded[table], key=repr)
    assert (delta.ended, delta.git_branch) == (folded.facts.end_time, folded.facts.git_branch)


def test_worked_input_c1():
    session = parse("claude", FILES["c1"])
    assert isinstance(session, Session)
    assert [(row.ordinal, row.role, row.content) for row in session.messages] == [
        (0, "user", "Rename the owl"),
        (1, "assistant", "no id 1"),
        (2, "assistant", "no id 2"),
        (3, "assistant", "part 1\npart 2"),
        (4, "context", "injected"),
        (5, "assistant", ""),
        (6, "user", "and also this"),
        (7, "assistant", "plain string"),
        (8, "assistant", ""),
    ]
    assert [(row.tool_use_id, row.message_ordinal, row.status) for row in session.tool_calls] == [
        ("t1", 3, "pending"),
        ("t2", 5, "error"),
    ]
    assert [(row.tool_use_id, row.body) for row in session.tool_results] == [("t2", "null")]
    assert [(row.byte_offset, row.output_tokens) for row in session.usage] == [(469, 2), (923, 40), (1315, 41)]
    assert (session.attachments, session.fallbacks, session.events) == ([], [], [])
    # the second line, 08:00:01.5 two hours east of Greenwich, is the earliest
    assert session.started == us("2031-05-01T06:00:01.500+00:00")
    assert session.ended == us("2031-05-01T08:00:12+00:00")
    assert (session.cwd, session.git_branch) == ("/srv/owl", "trunk")


def test_the_first_result_wins_over_regions():
    lines = [assistant("A", call("t1")), user(result("t1", "first")), user(result("t1", "late")), user(text("go"))]
    lines.append(assistant("A", call("t1")))
    content = b"\n".join(lines) + b"\n"
    delta = fed("claude", content, line_ends(content))
    assert [(row.message_ordinal, row.status, row.result_text) for row in delta.tool_calls] == [
        (0, "ok", "first"),
        (2, "ok", "first"),
    ]
    assert [row.body for row in delta.tool_results] == ["first", "late"]


def test_offsets_and_line_numbers_are_the_files():
    first = user(text("go")) + b"\n"
    second = assistant("A", text("gone")) + b"\n"
    delta = fed("claude", first + second, [len(first)])
    assert [(row.line_no, row.byte_offset) for row in delta.usage] == [(2, len(first))]


def test_calls_come_in_order_of_their_place():
    lines = [assistant("A", call("t1"), call("t2")), user(result("t2", "b")), user(result("t1", "a"))]
    assert [row.tool_use_id for row in parse("claude", b"\n".join(lines)).tool_calls] == ["t1", "t2"]


def test_the_last_folder_counts_even_when_it_came_before():
    lines = [assistant(name, cwd=cwd) for name, cwd in (("A", "/owl"), ("B", "/fox"), ("C", "/owl"), ("D", ""))]
    assert parse("claude", b"\n".join(lines)).cwd == "/owl"


@pytest.mark.parametrize(("tail", "contents"), [(b"", ["go", "on"]), (b"!", ["go"])])
def test_a_last_line_without_lf(tail: bytes, contents: list[str]):
    lines = user(text("go")) + b"\n" + user(text("on")) + tail
    torn = lines[:-9] if tail else lines
    assert [row.content for row in parse("claude", torn).messages] == contents


def test_nothing_at_all():
    assert vars(parse("pi", b"")) == vars(Delta())


@pytest.mark.parametrize(
    ("base", "words"),
    [
        (12, "the region begins at byte 12, not 10: a gap of 2 bytes"),
        (7, "the region begins at byte 7, not 10: an overlap of 3 bytes"),
    ],
)
def test_a_gap_or_an_overlap_is_refused_and_takes_nothing(base: int, words: str):
    reducer = Reducer("claude")
    reducer.feed(b"123456789\n", 0)
    with pytest.raises(UsageError, match=words):
        reducer.feed(user(text("lost")) + b"\n", base)
    reducer.feed(user(text("kept")) + b"\n", 10)
    assert [(row.line_no, row.content) for row in reducer.finish().messages] == [(2, "kept")]


def test_a_transcript_begins_at_its_first_byte():
    with pytest.raises(UsageError, match="begins at byte 5, not 0"):
        Reducer("claude").feed(b"{}\n", 5)


def test_an_end_is_an_end():
    reducer = Reducer("claude")
    reducer.feed(user(text("go")), 0)
    delta = reducer.finish()
    assert reducer.finish() is delta
    assert len(delta.messages) == 1
    with pytest.raises(UsageError, match="has finished"):
        reducer.feed(b"{}\n", len(user(text("go"))))


def test_an_unknown_agent():
    with pytest.raises(UsageError, match="no agent 'owl'; agents are claude, codex, pi"):
        parse("owl", b"")


def test_a_line_over_the_limit(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tracelake.sources.lines.MAX_LINE_BYTES", 4096)
    content = user(text("w" * 9000)) + b"\n" + user(text("after")) + b"\n"
    delta = fed("claude", content, [100, 5000])
    assert [(row.line_no, row.content[:5]) for row in delta.messages] == [(1, "wwwww"), (2, "after")]


def test_the_folder_of_a_codex_session_is_its_headers_not_a_turns():
    """parser.md 1.4: the cwd of a turn_context is not read."""
    header = b'{"type":"session_meta","payload":{"id":"t","cwd":"/srv/fen"}}\n'
    turn = b'{"type":"turn_context","payload":{"model":"m","cwd":"/srv/elsewhere"}}\n'
    assert parse("codex", header + turn).cwd == "/srv/fen"
