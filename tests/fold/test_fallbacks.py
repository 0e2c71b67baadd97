"""Worked input f1 of the behaviour specification: markers of model fallbacks, a row per hop."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from tests.fold.folding import fold

CORPUS = Path(__file__).parents[1] / "corpus"


def us(text):
    return int(datetime.fromisoformat(text).timestamp() * 1_000_000)


def fold_lines(*records):
    return fold("".join(json.dumps(record) + "\n" for record in records).encode())


def block(source, target):
    return {"type": "fallback", "from": {"model": source}, "to": {"model": target}}


def iterations(*models, kind="message"):
    return [{"type": kind, "model": model, "output_tokens": 1} for model in models]


@pytest.fixture(scope="module")
def f1():
    return fold((CORPUS / "f1" / "in.jsonl").read_bytes())


def test_a_row_per_marker_and_hop(f1):
    names = ("line_no", "side", "hop_index", "message_ordinal", "from_model", "to_model", "dedup_key")
    assert f1.column("fallbacks", *names) == [
        (1, "system", 0, None, "big-1", "small-1", "rq"),
        (2, "assistant", 0, 0, "big-1", "small-1", "rq"),
        (2, "assistant", 1, 0, "small-1", "small-2", "rq"),
        (3, "assistant", 0, 1, None, "small-2", "m2"),
        # m3 has two attempts but no fallback_message: an ordinary message, no row
        (5, "assistant", 0, 3, "x", "small-9", None),
        (6, "assistant", 0, 4, "x", "small-9", None),
    ]


def test_each_declined_attempt_keeps_its_own_model_and_tokens(f1):
    parts = ("input", "output", "cache_write", "cache_write_5m", "cache_write_1h", "cache_read")
    names = ("declined_model", "declined_observed", *(f"declined_{part}_tokens" for part in parts))
    rows = f1.column("fallbacks", *names)
    assert rows[0] == ("big-1", False, None, None, None, None, None, None)
    assert rows[1] == ("big-1", True, 100, 1, 20, 20, None, 30)
    assert rows[2] == ("small-1", True, 50, 2, 0, 0, None, 0)
    assert rows[3] == (None, True, 0, 0, 0, 0, None, 0)  # measured: no attempt was declined at a cost
    assert rows[4] == ("x", False, None, None, None, None, None, None)


def test_reasons_and_times(f1):
    names = ("trigger", "refusal_category", "refusal_explanation", "occurred_at")
    rows = f1.column("fallbacks", *names)
    assert rows[0] == ("refusal", "cyber", None, us("2031-05-01T00:00:00+00:00"))
    assert rows[1] == (None, None, None, us("2031-05-01T00:00:05+00:00"))
    assert rows[5] == ("refusal", "bio", None, us("2031-05-01T00:04:00+00:00"))


def test_the_models_can_be_priced(f1):
    assert {"big-1", "small-1", "small-2", "x"} <= set(f1.facts.models)


def test_blocks_on_lines_of_their_own_are_hops_of_one_chain():
    chain = [*iterations("a", "b"), *iterations("c", kind="fallback_message")]
    blocks = (block("a", "b"), block("b", "c"), {"type": "text", "text": "done"})
    usage = {"iterations": chain}
    made = fold_lines(
        *({"type": "assistant", "message": {"id": "m", "content": [one], "usage": usage}} for one in blocks)
    )
    rows = made.column("fallbacks", "line_no", "hop_index", "has_block", "from_model", "to_model")
    assert rows == [
        (1, 0, True, "a", "b"),
        (1, 1, False, "b", "c"),
        (2, 0, False, "a", "b"),
        (2, 1, True, "b", "c"),
        (3, 0, False, "a", "b"),
        (3, 1, False, "b", "c"),
    ]


def test_blocks_without_attempts_are_numbered_over_the_lines_of_their_message():
    lines = [
        {"type": "assistant", "message": {"id": name, "content": [one]}}
        for name, one in (("m", block("a", "b")), ("m", block("b", "c")), ("n", block("a", "b")))
    ]
    assert fold_lines(*lines).column("fallbacks", "hop_index", "from_model") == [(0, "a"), (1, "b"), (0, "a")]


def test_three_hops_and_an_attempt_without_a_model():
    chain = [*iterations("a", None, "c"), *iterations("d", kind="fallback_message")]
    content = [block("a", "b"), block("b", "c")]
    made = fold_lines({"type": "assistant", "message": {"id": "m", "content": content, "usage": {"iterations": chain}}})
    rows = made.column("fallbacks", "hop_index", "from_model", "to_model", "declined_model")
    assert rows == [(0, "a", "b", "a"), (1, "b", "c", "b"), (2, "c", "d", "c")]


def test_one_hour_writes_stay_apart():
    one = {
        "type": "message",
        "model": "a",
        "cache_creation_input_tokens": 20,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 20},
    }
    usage = {"speed": "fast", "iterations": [one, *iterations("b", kind="fallback_message")]}
    made = fold_lines({"type": "assistant", "message": {"id": "m", "usage": usage}})
    names = ("declined_cache_write_tokens", "declined_cache_write_5m_tokens", "declined_cache_write_1h_tokens", "speed")
    assert made.column("fallbacks", *names) == [(20, 0, 20, "fast")]


@pytest.mark.parametrize("odd", [{"from": 3, "to": []}, {"from": {"model": 7}}, {"from": None, "trigger": 5}, {}])
def test_a_block_of_odd_types_is_still_a_marker(odd):
    made = fold_lines(
        {"type": "assistant", "requestId": "r", "message": {"model": "m", "content": [{"type": "fallback", **odd}]}}
    )
    assert made.column("fallbacks", "from_model", "to_model", "dedup_key") == [(None, "m", "r")]


def test_a_changed_model_is_no_fallback():
    lines = [{"type": "assistant", "message": {"id": name, "model": name, "content": "x"}} for name in ("a", "b")]
    assert fold_lines(*lines)["fallbacks"] == []


def test_the_programs_own_totals_are_kept():
    made = fold_lines(
        {
            "type": "cost-state",
            "totalCostUSD": 1.25,
            "hasUnknownModelCost": True,
            "modelUsage": {"a": {"costUSD": 1.25}},
        },
        {"type": "result", "total_cost_usd": 0},
        {"type": "cost-state", "totalCostUSD": "much"},
    )
    names = ("reported_total_cost_usd", "reported_has_unknown_model", "reported_model_usage")
    assert made.column("entries", *names) == [
        (1.25, True, '{"a": {"costUSD": 1.25}}'),
        (0, None, None),
        (None, None, None),
    ]
