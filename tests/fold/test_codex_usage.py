"""Codex: token counts, repeated ones and those of forks (parser.md 6.3)."""

import pytest

from tests.fold.folding import fold
from tests.fold.rollouts import count, line, lines, meta, said

NAMES = ("input_tokens", "cache_read_tokens", "output_tokens")


def counts(*records):
    return fold(lines(*records), "codex")["token_usage"]


def numbers(rows):
    return [tuple(row[name] for name in NAMES) for row in rows]


def keys(*records):
    return [row["dedup_key"] for row in counts(*records)]


FIRST, SECOND = count((10, 4, 3), (10, 4, 3)), count((30, 10, 5), (20, 6, 2))


def test_cached_and_written_tokens_are_taken_out_of_the_input():
    usage = {"input_tokens": 100, "cached_input_tokens": 60, "cache_write_input_tokens": 30, "output_tokens": 7}
    (row,) = counts(meta(), line("event_msg", type="token_count", info={"last_token_usage": usage}))
    assert numbers([row]) == [(10, 60, 7)]
    assert (row["cache_write_tokens"], row["cache_write_5m_tokens"], row["cache_write_1h_tokens"]) == (30, 30, None)
    assert (row["usage_final"], row["reported_cost_usd"]) == (True, None)


def test_a_repeated_total_is_the_same_call():
    rows = counts(meta(), FIRST, FIRST, SECOND, FIRST)
    assert numbers(rows) == [(6, 4, 3), (6, 4, 3), (14, 6, 2), (6, 4, 3)]
    first, again, second, late = [row["dedup_key"] for row in rows]
    assert first == again == late != second


@pytest.mark.parametrize(
    ("totals", "lasts", "outputs"),
    [
        ((10, 60), (10, 30), [10, 50]),  # the count of a response of 20 was lost
        ((90, 95), (10, 5), [10, 5]),  # what the thread had used before is in another file
        ((90, 7, 12), (90, 7, 5), [90, 7, 5]),  # begun anew
        ((10, 30, 10, 45), (10, 20, 10, 15), [10, 20, 10, 15]),  # an old count again
        ((10, 10), (10, 10), [10, 10]),
    ],
    ids=["lost", "first", "anew", "old", "repeated"],
)
def test_a_count_is_what_the_largest_total_grew_by(totals, lasts, outputs):
    given = [count((0, 0, total), (0, 0, last)) for total, last in zip(totals, lasts, strict=True)]
    assert [row["output_tokens"] for row in counts(meta(), *given)] == outputs


def test_a_total_alone_gives_what_it_grew_by():
    rows = counts(meta(), count((10, 4, 3)), count((30, 10, 5)), count((30, 10, 5)))
    assert numbers(rows) == [(6, 4, 3), (14, 6, 2), (0, 0, 0)]
    assert rows[1]["dedup_key"] == rows[2]["dedup_key"] != rows[0]["dedup_key"]


def test_counts_without_figures_are_no_usage():
    other = line("event_msg", type="token_count", info={"prompt": 5})
    assert counts(meta(), line("event_msg", type="token_count", info=None), other) == []


def test_other_threads_have_other_keys():
    assert set(keys(meta("a"), FIRST)).isdisjoint(keys(meta("b"), FIRST))


def ancestors(*records):
    return [row["replay_of"] for row in counts(*records)]


def spawned_by(thread):
    return {"source": {"subagent": {"thread_spawn": {"parent_thread_id": thread, "depth": 1}}}}


def test_counts_name_the_threads_that_the_file_may_begin_with():
    assert ancestors(meta("a"), FIRST) == [None]
    assert ancestors(meta("b", forked_from_id="a"), FIRST) == [["a"]]
    assert ancestors(meta("b", **spawned_by("a")), meta("a"), FIRST) == [["a"]]
    chain = (meta("c", forked_from_id="b"), meta("b", **spawned_by("a")), meta("a"))
    assert ancestors(*chain, FIRST) == [["b", "a"]]
    assert ancestors(meta("c", forked_from_id="b"), meta("x", forked_from_id="y"), FIRST) == [["b"]]
    assert ancestors(meta("a", forked_from_id="a"), FIRST) == [None]


def test_total_and_last_usage_are_the_same_in_a_replay():
    parent = [row["counts_key"] for row in counts(meta("a"), FIRST, SECOND)]
    child = [row["counts_key"] for row in counts(meta("b", forked_from_id="a"), FIRST, SECOND)]
    assert parent == child == ["10:4:0:3:0:0/10:4:0:3:0:0", "30:10:0:5:0:0/20:6:0:2:0:0"]


def usage_record(numbers, response="r1", turn="t1", thread_total=None):
    def named(three):
        return dict(zip(("input_tokens", "cached_input_tokens", "output_tokens"), three, strict=True))

    more = {} if thread_total is None else {"thread_token_usage": named(thread_total)}
    return line("token_usage_record", turn_id=turn, response_id=response, usage=named(numbers), **more)


def started(turn):
    return line("event_msg", type="task_started", turn_id=turn)


@pytest.mark.parametrize("order", [1, -1], ids=["count first", "record first"])
def test_a_usage_record_and_the_count_of_its_turn_are_one_call(order):
    one, other = counts(meta(), started("t1"), *(FIRST, usage_record((10, 4, 3)))[::order])
    assert one["dedup_key"] == other["dedup_key"]
    assert {one["carrier"], other["carrier"]} == {"message", "usage_record"}


def test_a_repeated_count_keeps_the_key_that_its_record_gave_it():
    assert len(set(keys(meta(), usage_record((10, 4, 3)), FIRST, FIRST))) == 1


def test_each_record_takes_one_count():
    twice = [usage_record((10, 4, 3), "r1"), usage_record((10, 4, 3), "r2")]
    first, matched, other = keys(meta(), FIRST, *twice)
    assert first == matched != other == "codex:response:r2"


@pytest.mark.parametrize(
    "records",
    [
        (FIRST, usage_record((11, 4, 3))),  # other counts
        (started("t1"), FIRST, started("t2"), usage_record((10, 4, 3), turn="t2")),  # another turn
        (started("t1"), FIRST, usage_record((10, 4, 3), turn="t0")),  # says that it is of another turn
    ],
)
def test_a_record_without_a_count_is_a_call_of_its_own(records):
    assert keys(meta(), *records)[-1] == "codex:response:r1"


def test_a_record_moves_the_total_so_that_the_next_count_is_not_made_up_for_it():
    # A compaction of 50 tokens stands only in its record; the total after the next response, of 20, holds both.
    rows = counts(meta(), FIRST, usage_record((50, 0, 0), "r2", thread_total=(60, 4, 3)), count((80, 4, 5), (20, 0, 2)))
    assert numbers(rows) == [(6, 4, 3), (50, 0, 0), (20, 0, 2)]


def test_a_thread_that_counts_anew_is_counted_on_from_there():
    # 100 and 160 are the parent's; the child counts from 0: 40, 40 + 70, 110 + 90.
    given = [(100, 100), (160, 60), (40, 40), (110, 70), (200, 90)]
    rows = counts(meta(), *(count((0, 0, total), (0, 0, last)) for total, last in given))
    assert [row["output_tokens"] for row in rows] == [100, 60, 40, 70, 90]


def test_the_turn_is_the_prompt_of_a_call():
    rows = counts(meta(), started("t1"), FIRST, started("t2"), SECOND)
    assert [row["prompt_id"] for row in rows] == ["t1", "t2"]


def test_a_header_written_again_changes_nothing():
    assert len(set(keys(meta("a"), FIRST, meta("a"), FIRST))) == 1


def test_without_a_header_the_first_line_stands_for_the_thread():
    context = line("turn_context", model="gpt-x")
    assert keys(context, FIRST, FIRST)[0] == keys(context, FIRST)[0]
    assert keys(context, FIRST) != keys(line("turn_context", model="gpt-y"), FIRST)


def test_a_count_belongs_to_the_open_turn_and_its_model():
    rows = counts(line("turn_context", model="gpt-x"), said("assistant", "a"), FIRST, said("user", "u"), SECOND)
    assert [(row["message_ordinal"], row["model"]) for row in rows] == [(0, "gpt-x"), (None, "gpt-x")]
    (named,) = counts(line("turn_context", model="gpt-x"), count((1, 0, 1), (1, 0, 1), model="gpt-z"))
    assert named["model"] == "gpt-z"
