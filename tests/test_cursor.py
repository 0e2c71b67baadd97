"""B-4: reading on from a cursor."""

from __future__ import annotations

import contextlib
import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tracelake.cursor import Cursor, running_of, signals_since
from tracelake.errors import SignalsUnknownError
from tracelake.sources.fingerprint import fingerprint

from tests.fold.folding import fold
from tests.fold.signal_lines import call, data_of, launching, notice, notice_text, queued, receipt, result, said

EXAMPLE = b'{"type":"user","uuid":"u1"}\n'
AT_28 = "6c017e4b14b1c350ae4583c10a0597c8557d413b979df3303a61c363c655f84d"
AT_56 = "ed73b44a56f4c63780fa535aee80e2fd6b1ce68aeae66b4ab44e3662d1a324e3"


@pytest.fixture
def file(tmp_path) -> Path:
    return tmp_path / "s.jsonl"


def read(file: Path, data: bytes, cursor: Cursor | None = None):
    file.write_bytes(data)
    return signals_since(str(file), cursor or Cursor())


def refused(file: Path, data: bytes, cursor: Cursor | None = None) -> Cursor:
    """The cursor that comes with the refusal."""
    with pytest.raises(SignalsUnknownError) as caught:
        read(file, data, cursor)
    assert isinstance(caught.value.cursor, Cursor)
    return caught.value.cursor


def ids(signals):
    return [(signal.kind, signal.agent_id) for signal in signals]


def test_the_worked_fingerprints(file):
    _, first = read(file, EXAMPLE)
    assert first == Cursor(str(file), 28, AT_28, ())
    signals, second = read(file, EXAMPLE * 2, first)
    assert (signals, second) == ([], Cursor(str(file), 56, AT_56, ()))
    assert fingerprint(str(file), 28) == AT_28


def test_an_empty_file(file):
    assert read(file, b"") == ([], Cursor(str(file), 0, "", ()))


def test_a_call_waits_for_a_line_that_comes_later(file):
    start = data_of(launching("T2"), launching("T1"))
    signals, cursor = read(file, start)
    assert (signals, cursor.background) == ([], ("T1", "T2"))
    signals, cursor = read(file, start + data_of(receipt("T1", "k1", uuid="r1")), cursor)
    assert [tuple(signal) for signal in signals] == [("launched", "k1", "", "r1:k1")]
    assert cursor.background == ("T2",)
    assert running_of(signals) == {"k1"}


def test_the_waiting_list_holds_unanswered_calls_only(file):
    lines = [line for n in range(200) for line in (launching(f"T{n}"), receipt(f"T{n}", f"k{n}"))]
    failed = (launching("T-failed"), result("T-failed", "no", is_error=True))
    signals, cursor = read(file, data_of(*lines, *failed, launching("T-open")))
    assert (len(signals), cursor.background) == (200, ("T-open",))


@pytest.mark.parametrize("change", [{"path": "/elsewhere"}, {"offset": -1}, {"offset": 10**6}, {"check": AT_28}])
def test_a_cursor_that_does_not_fit_starts_over(file, change):
    data = data_of(launching("T1"), receipt("T1", "k1"))
    whole, cursor = read(file, data)
    assert ids(whole) == [("launched", "k1")]
    assert read(file, data, replace(cursor, background=("T9",), **change)) == (whole, cursor)


def test_replaced_files_start_over(file):
    data = data_of(notice("k1"), notice("k2"))
    _, cursor = read(file, data)
    assert ids(read(file, data.replace(b"k1", b"k3"), cursor)[0]) == [("ended", "k3"), ("ended", "k2")]  # same length
    assert ids(read(file, data_of(notice("k4")), cursor)[0]) == [("ended", "k4")]  # shorter
    regrown = data_of(notice("k5"), notice("k6"), notice("k7"))
    assert ids(read(file, regrown, cursor)[0]) == [("ended", "k5"), ("ended", "k6"), ("ended", "k7")]


def test_an_offset_without_a_fingerprint_starts_over(file):
    assert ids(read(file, data_of(notice("k1")), Cursor(str(file), 5))[0]) == [("ended", "k1")]


def test_a_torn_line_leaves_the_cursor_where_it_was(file):
    data = data_of(launching("T1"), receipt("T1", "k1"))
    _, cursor = read(file, data[: data.index(b"\n") + 1])
    assert refused(file, data[:-9], cursor) == cursor
    assert ids(read(file, data, cursor)[0]) == [("launched", "k1")]


def test_a_refusal_after_starting_over_gives_the_start(file):
    assert refused(file, b'{"a":1}\n{', Cursor("/elsewhere", 7, "x", ("T1",))) == Cursor(str(file))


def test_a_whole_last_line_without_newline_is_read(file):
    data = data_of(notice("k1"))
    signals, cursor = read(file, data[:-1])
    assert (ids(signals), cursor.offset) == ([("ended", "k1")], len(data) - 1)
    assert ids(read(file, data + data_of(notice("k2")), cursor)[0]) == [("ended", "k2")]


@pytest.mark.parametrize("line", [b"[]", b"5", b"null", b'{"type":7}', b"  \t", b"", b'"\xff"'])
def test_lines_without_the_key_words_need_only_be_json(file, line):
    assert ids(read(file, line + b"\n" + data_of(notice("k1")))[0]) == [("ended", "k1")]


@pytest.mark.parametrize(
    "line", [b"{", b"NaN", b"{} {}", b"x", b'{"type":7,"agentId":"a"}', b'["agentId"]', b"\xef\xbb\xbf{}"]
)
def test_lines_that_are_refused(file, line):
    refused(file, data_of(notice("k1")) + line + b"\n")


def test_a_line_with_a_waiting_id_is_read_strictly(file):
    start = data_of(launching("T-odd"))
    _, cursor = read(file, start)
    refused(file, start + b'["T-odd"]\n', cursor)
    assert read(file, start + b'["T-even"]\n', cursor)[0] == []


def test_a_line_over_the_limit_is_refused(file):
    most = 16 * 1024 * 1024
    read(file, b"[" + b" " * (most - 3) + b"]\n")
    refused(file, b"[" + b" " * (most - 2) + b"]\n")


def test_a_file_that_cannot_be_opened(file, tmp_path):
    with pytest.raises(SignalsUnknownError, match=r"s\.jsonl"):
        signals_since(str(file), Cursor())
    with pytest.raises(SignalsUnknownError):
        signals_since(str(tmp_path), Cursor())


def test_a_link_is_followed(file, tmp_path):
    file.write_bytes(data_of(notice("k1")))
    link = tmp_path / "link.jsonl"
    link.symlink_to(file)
    signals, cursor = signals_since(str(link), Cursor())
    assert (ids(signals), cursor.path) == ([("ended", "k1")], str(link))


def test_the_refusal_survives_pickling(file):
    with pytest.raises(SignalsUnknownError) as caught:
        read(file, b"x")
    assert pickle.loads(pickle.dumps(caught.value)).cursor == Cursor(str(file))


def test_a_notice_before_the_launch_split_apart(file):
    data = data_of(notice("k1"))
    first, cursor = read(file, data)
    second, _ = read(file, data + data_of(launching("T1"), receipt("T1", "k1")), cursor)
    assert running_of(first) == set()
    assert running_of(first + second) == {"k1"}


CALLS = st.sampled_from(["T1", "T2", "T3"])
AGENTS = st.sampled_from(["k1", "k2", "k3"])
UUIDS = st.sampled_from(["u1", "u2"])
LINES = st.one_of(
    st.builds(launching, CALLS, flag=st.sampled_from([True, "true", False]), uuid=UUIDS),
    st.builds(call, CALLS, st.sampled_from(["Agent", "Bash"]), uuid=UUIDS),
    st.builds(receipt, CALLS, AGENTS, uuid=UUIDS),
    st.builds(result, CALLS, st.just("launched agentId: k3"), is_error=st.booleans(), uuid=UUIDS),
    st.builds(notice, AGENTS, st.sampled_from(["completed", "running", "stopped"]), uuid=UUIDS),
    st.builds(said, st.sampled_from(["héllo", notice_text("k1") + " after", "agentId"]), uuid=UUIDS),
    st.builds(queued, st.just(notice_text("k2"))),
    st.sampled_from([b"", b"[]", b"null", b" \t "]),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(LINES, max_size=12), st.lists(st.integers(0, 10_000), max_size=4))
def test_any_split_gives_the_whole(tmp_path_factory, lines, cuts):
    file = tmp_path_factory.mktemp("split") / "s.jsonl"
    data = data_of(*lines)
    whole, end = read(file, data)
    found, cursor = [], Cursor()
    for cut in sorted(cut % (len(data) + 1) for cut in cuts):
        try:
            some, cursor = read(file, data[:cut], cursor)
        except SignalsUnknownError as error:
            assert error.cursor in (cursor, Cursor(str(file)))  # a torn line: nothing is lost, nothing moved
            continue
        found += some
    some, cursor = read(file, data, cursor)
    assert (found + some, cursor) == (whole, end)


def test_every_split_of_one_file(file):
    data = data_of(launching("T1"), result("T1", "launched agentId: k1"), notice("k1"))
    whole, end = read(file, data)
    assert ids(whole) == [("launched", "k1"), ("ended", "k1")]
    for cut in range(len(data)):
        found, cursor = [], Cursor()
        with contextlib.suppress(SignalsUnknownError):
            found, cursor = read(file, data[:cut])
        more, cursor = read(file, data, cursor)
        assert (found + more, cursor) == (whole, end)


@settings(max_examples=40, deadline=None)
@given(st.lists(LINES.filter(lambda line: line != b"[]"), max_size=12))
def test_the_table_marks_the_same_signals_as_strict(tmp_path_factory, lines):
    file = tmp_path_factory.mktemp("same") / "s.jsonl"
    data = data_of(*lines)
    rows = [row for row in fold(data)["agent_signals"] if row["strict"]]
    columns = ("signal", "agent_id", "status", "key")
    assert [tuple(row[name] for name in columns) for row in rows] == [tuple(signal) for signal in read(file, data)[0]]
