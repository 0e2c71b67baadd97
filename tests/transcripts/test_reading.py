"""A Reading continues where it stopped; however the bytes are cut, it equals one read (parser.md 8.8)."""

import json
import os
import tracemalloc
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tracelake.errors import NoSourceError
from tracelake.sources import lines as physical
from tracelake.transcripts import Label, Reading, Readings, read_transcript, reread

from tests.transcripts.texts import agent, lines, user

LABEL = Label("t.jsonl")


def by_pieces(pieces, label=LABEL):
    """The file after the pieces arrived one by one; the rest of each is read again with the next."""
    reading = Reading(label)
    rest = b""
    for piece in pieces:
        rest = reading.continue_(rest + piece)
    return reading.file(rest)


def cut(data, places):
    edges = [0, *sorted(places), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


L1 = b'{"type":"user","uuid":"u1"}\n'
L2 = b'{"type":"assistant","uuid":"u2"}\n'
TORN = L1 + L2 + b'{"ty'
WHOLE = TORN + b'pe":"mode","mode":"normal"}\n'


def test_the_worked_example():
    reading = Reading(LABEL)
    rest = reading.continue_(TORN)
    assert (rest, reading.offset) == (b'{"ty', len(L1 + L2))
    torn = reading.file(rest)
    assert ([line.uuid for line in torn.lines], torn.torn_final_line) == (["u1", "u2"], True)
    rest = reading.continue_(rest + b'pe":"mode","mode":"normal"}\n')
    done = reading.file(rest)
    assert (rest, len(done.lines), done.torn_final_line) == (b"", 3, False)
    assert done.lines[2].control.mode == "normal"
    assert len(torn.lines) == 2


@pytest.mark.parametrize("data", [TORN, WHOLE, WHOLE[:-1]])
def test_the_example_under_every_cut(data):
    once = by_pieces([data])
    assert len(once.lines) == (2 if data is TORN else 3)
    assert once.torn_final_line == (data is TORN)
    for first in range(len(data) + 1):
        for second in range(first, len(data) + 1, 7):
            assert by_pieces(cut(data, [first, second])) == once


def test_a_final_piece_that_decodes_is_a_line_and_leaves_the_reading_as_it_is():
    reading = Reading(Label("agent-a.jsonl", "a"))
    rest = reading.continue_(b'{"type":"mode"}\n{"type":"user"}')
    first, second = reading.file(rest), reading.file(rest)
    assert [line.user_kind for line in first.lines] == [None, "subagent_prompt"]
    assert (first, first.torn_final_line, reading.offset) == (second, False, 16)
    reading.continue_(rest + b"\n" + b'{"type":"user"}\n')
    assert [line.user_kind for line in reading.file().lines] == [None, "subagent_prompt", "prompt"]
    assert len(first.lines) == 2


RECORDS = st.one_of(
    st.builds(user, st.sampled_from(["u1", "u2", "ü"]), st.text(max_size=5)),
    st.builds(agent, st.just("u3"), st.sampled_from(["a", "b"])),
    st.sampled_from([{"type": "mode", "mode": "é\n"}, {"type": "system", "subtype": "x"}, {"type": 5}, {}]),
).map(lambda record: json.dumps(record, ensure_ascii=False).encode())
ODD = (b"", b"  ", b"{}{}", b"{", b"[1]", b"\xff", b"\0\0", b"\r", b"\xef\xbb\xbf{}")
PIECES = st.one_of(RECORDS, st.sampled_from(ODD))


@given(st.lists(PIECES, max_size=6), st.booleans(), st.data())
def test_any_cut_equals_one_read(pieces, ends_with_lf, data):
    text = b"\n".join(pieces) + b"\n" * ends_with_lf
    places = data.draw(st.lists(st.integers(0, len(text)), max_size=5))
    label = Label("agent-a.jsonl", "a", "subagent")
    once, parts = by_pieces([text], label), by_pieces(cut(text, places), label)
    assert parts == once
    assert (parts.session_ids, parts.session_id) == (once.session_ids, once.session_id)
    open_end = not ends_with_lf and bool(pieces and pieces[-1])
    assert len(once.lines) + once.torn_final_line == text.count(b"\n") + open_end


def test_a_line_over_the_limit(monkeypatch):
    monkeypatch.setattr(physical, "MAX_LINE_BYTES", 64)
    monkeypatch.setattr(physical, "PIECE_BYTES", 16)
    data = lines(user("u1"), user("u2", "x" * 200), user("u3"))
    once = by_pieces([data])
    assert [(line.uuid, line.status) for line in once.lines] == [(f"u{n}", "oversize") for n in (1, 2, 3)]
    assert all(by_pieces(cut(data, [place])) == once for place in range(0, len(data), 13))
    unended = by_pieces([data[:-1]])
    assert unended.lines == once.lines


def test_a_reading_takes_about_half_the_memory():
    result = {"type": "tool_result", "tool_use_id": "t", "content": "line of output\n" * 200}
    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "make all " * 20}}
    records = []
    for number in range(300):
        more = {"cwd": "/home/ada/work", "version": "2.1.0", "gitBranch": "main"}
        message = {"id": f"m{number}", "role": "assistant", "content": [call]}
        records += [{"type": "assistant", "uuid": f"a{number}", "message": message, **more}]
        records += [user(f"u{number}", [result], toolUseResult={"stdout": result["content"]}, **more)]
    data = lines(*records)
    del records
    used = {}
    for keep_raw in (True, False):
        tracemalloc.start()
        reading = Reading(LABEL, keep_raw=keep_raw)
        assert reading.continue_(data) == b""
        used[keep_raw] = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
    assert 0.4 < used[False] / used[True] < 0.6


@pytest.fixture
def path(tmp_path):
    made = tmp_path / "5e550000-0000-4000-8000-000000000001.jsonl"
    made.write_bytes(L1)
    return made


def grow(path, data):
    with path.open("ab") as stream:
        stream.write(data)


def test_reread_reads_on(path):
    first, reading = reread(path)
    grow(path, L2 + b'{"ty')
    second, same = reread(path, reading)
    assert same is reading
    assert ([line.uuid for line in second.lines], second.torn_final_line) == (["u1", "u2"], True)
    grow(path, b'pe":"mode"}\n')
    third, same = reread(path, reading)
    assert (same is reading, len(third.lines), third.torn_final_line) == (True, 3, False)
    assert second.lines[0] is third.lines[0] is first.lines[0]
    assert [line.raw for line in third.lines] == [None] * 3


def test_a_file_that_shrank_starts_over(path):
    grow(path, L2)
    _, reading = reread(path)
    os.truncate(path, len(L1))
    file, other = reread(path, reading)
    assert (other is reading, [line.uuid for line in file.lines]) == (False, ["u1"])


def test_a_file_with_another_content_starts_over(path):
    _, reading = reread(path)
    path.write_bytes(L1.replace(b"u1", b"v1") + L2)
    file, other = reread(path, reading)
    assert (other is reading, [line.uuid for line in file.lines]) == (False, ["v1", "u2"])


def test_a_file_that_was_replaced_starts_over(path):
    _, reading = reread(path)
    aside = path.with_name("aside")
    aside.write_bytes(L1 + L2)
    aside.replace(path)
    file, other = reread(path, reading)
    assert (other is reading, [line.uuid for line in file.lines]) == (False, ["u1", "u2"])


def test_readings_remember_by_path(path):
    readings = Readings()
    first = readings(str(path), None)
    grow(path, L2)
    second = readings(str(path), None)
    assert (len(first.lines), len(second.lines)) == (1, 2)
    assert first.lines[0] is second.lines[0]


def test_what_cannot_be_opened_is_one_clear_line(tmp_path):
    for call in (read_transcript, reread):
        with pytest.raises(NoSourceError, match=r"missing\.jsonl: .*[Nn]o such file"):
            call(tmp_path / "missing.jsonl")


def test_read_transcript_keeps_the_bytes(path):
    file = read_transcript(path)
    assert [line.raw for line in file.lines] == [L1[:-1]]
    assert (file.agent_id, file.session_id, file.path) == (None, path.stem, str(path))
