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


def test_a_forks_copies_have_the_keys_of_their_origin():
    parent = keys(meta("a"), FIRST, SECOND)
    fork = keys(meta("b", forked_from_id="a"), meta("a"), FIRST, count((11, 4, 4), (1, 0, 1)))
    assert fork[0] == parent[0]
    assert fork[1] not in parent
    assert keys(meta("b", forked_from_id="a"), FIRST) == parent[:1]


def test_a_fork_of_a_fork_has_the_keys_of_the_first():
    parent = keys(meta("a"), FIRST)
    chain = (meta("c", forked_from_id="b"), meta("b", forked_from_id="a"), meta("a"))
    assert keys(*chain, FIRST) == parent


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
