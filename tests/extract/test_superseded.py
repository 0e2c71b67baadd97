"""Rows of a rewritten file: what has no counterpart stays, without a line (accounting.md 1)."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tracelake.extract.superseded import superseded
from tracelake.lake.arrow import arrow_schema

NOW, LATER = 2_000_000_000_000_000, 2_100_000_000_000_000
"""Microseconds since 1970."""


def table(*rows: dict[str, Any], name: str = "token_usage") -> pa.Table:
    made = [{"session_id": "s", "agent": "claude", "path": "/p/s.jsonl", **row} for row in rows]
    return pa.Table.from_pylist(made, schema=arrow_schema(name))


def call(line_no: int, number: int, **more: Any) -> dict[str, Any]:
    ids = {"message_id": f"m{number}", "request_id": f"r{number}", "dedup_key": f"m{number}:r{number}"}
    return {"line_no": line_no, "carrier": "message", "input_tokens": 10, "output_tokens": 1, **ids, **more}


def gone(earlier: pa.Table, now: pa.Table, at_us: int = NOW, name: str = "token_usage") -> list[tuple[Any, ...]]:
    rows = superseded(name, earlier, now, at_us)
    assert rows.schema == earlier.schema
    assert rows["line_no"].null_count == rows["message_ordinal"].null_count == len(rows)
    return [(row["superseded_line_no"], int(row["superseded_at"].timestamp() * 1_000_000)) for row in rows.to_pylist()]


def test_what_stands_in_the_file_or_only_moved_is_not_superseded():
    assert gone(table(call(2, 1), call(3, 2)), table(call(1, 2), call(7, 1), call(8, 3))) == []


def test_calls_that_went_stay_without_a_line():
    earlier = table(call(2, 1, message_ordinal=1, byte_offset=7, model="m", prompt_id="p", git_branch="b"), call(3, 2))
    rows = superseded("token_usage", earlier, table(call(1, 2)), NOW).to_pylist()
    kept = ("dedup_key", "model", "prompt_id", "git_branch", "input_tokens")
    assert [[row[name] for name in kept] for row in rows] == [["m1:r1", "m", "p", "b", 10]]
    assert (rows[0]["byte_offset"], rows[0]["superseded_line_no"]) == (None, 2)


def test_lines_of_one_key_are_a_multiset_and_the_largest_output_stays():
    earlier = table(call(2, 1, output_tokens=2), call(3, 1, output_tokens=41), call(4, 1, output_tokens=40))
    assert gone(earlier, table(call(1, 1, output_tokens=2))) == [(3, NOW), (4, NOW)]
    assert gone(earlier, table(call(1, 1, output_tokens=5), call(2, 1, output_tokens=6))) == [(3, NOW)]


def test_without_a_request_id_the_uuid_tells():
    def loose(line_no, uuid, **more):
        return call(line_no, 0, request_id=None, dedup_key="m0", uuid=uuid, answer_key=uuid, **more)

    earlier = table(loose(1, "a"), loose(2, "b"), loose(3, "c"))
    assert gone(earlier, table(loose(1, "b"))) == [(1, NOW), (3, NOW)]


def test_without_any_id_time_and_figures_tell():
    def bare(line_no, output):
        ids = {"message_id": None, "request_id": None, "dedup_key": None}
        return call(line_no, 0, output_tokens=output, occurred_at=NOW, **ids)

    assert gone(table(bare(1, 5), bare(2, 5), bare(3, 6)), table(bare(9, 5))) == [(2, NOW), (3, NOW)]


def test_a_line_that_is_left_names_the_answer_anew():
    def line(line_no, uuid, answer):
        return call(line_no, 0, request_id=None, dedup_key="m0", uuid=uuid, answer_key=answer)

    rows = superseded("token_usage", table(line(1, "a", "a"), line(2, "b", "a")), table(line(1, "b", "b")), NOW)
    assert rows["answer_key"].to_pylist() == ["b"]


def test_a_number_of_a_line_that_went_is_no_number_of_now():
    earlier = table(call(4, 0, request_id=None, dedup_key="m0", answer_key="4", occurred_at=NOW))
    assert superseded("token_usage", earlier, table(), NOW)["answer_key"].to_pylist() == [f"4@{NOW}"]


def test_a_second_rewriting_keeps_the_time_of_the_first_and_a_line_that_is_back_is_no_longer_superseded():
    first = superseded("token_usage", table(call(2, 1), call(3, 2)), table(), NOW)
    held = pa.concat_tables([first, table(call(1, 3))])
    assert gone(held, table(), LATER) == [(2, NOW), (3, NOW), (1, LATER)]
    assert gone(held, table(call(5, 2), call(1, 3)), LATER) == [(2, NOW)]


def test_copies_on_progress_lines_stand_for_no_message():
    assert gone(table(call(2, 1)), table(call(2, 1, carrier="progress"))) == [(2, NOW)]


def test_codex_and_pi_bear_keys_of_their_own():
    earlier = table(call(2, 1, agent="codex", request_id=None, dedup_key="codex:t:1"))
    assert gone(earlier, table(call(9, 1, agent="codex", request_id=None, dedup_key="codex:t:1"))) == []


@pytest.mark.parametrize("more", [{}, {"dedup_key": None, "uuid": "u"}, {"dedup_key": None, "occurred_at": NOW}])
def test_fallbacks_likewise(more):
    hop = {"line_no": 2, "side": "assistant", "hop_index": 0, "dedup_key": "r1", "from_model": "a", **more}
    other = {**hop, "line_no": 3, "hop_index": 1}
    earlier = table(hop, other, name="fallbacks")
    assert gone(earlier, table({**hop, "line_no": 8}, name="fallbacks"), name="fallbacks") == [(3, NOW)]


READING = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=8)


@given(st.lists(READING, min_size=1, max_size=4))
def test_over_any_rewritings_no_line_with_a_call_is_lost_or_made(readings):
    """The most lines of each call that any reading held are held in the end."""
    held = table()
    for at, reading in enumerate(readings, NOW):
        now = table(*(call(n, number, output_tokens=output) for n, (number, output) in enumerate(reading, 1)))
        held = pa.concat_tables([superseded("token_usage", held, now, at), now])
    for number in range(4):
        lines = sum(key == f"m{number}:r{number}" for key in held["dedup_key"].to_pylist())
        assert lines == max(sum(one == number for one, _ in reading) for reading in readings)
