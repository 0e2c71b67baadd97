"""accounting.md 5: our cost against the program's own figures, and what explains the difference."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from tracelake.lake.prices import Alias

from tests.sql.lakes import Lake, MakeLake, at, rate

OPUS = rate("claude-opus-5", "5", "25")
CALL = {
    "line_no": 1, "record_no": 0, "source_index": 0, "message_id": "m1", "request_id": "r1", "model": "claude-opus-5",
    "occurred_at": at("2026-09-01 10:00:00"), "input_tokens": 1000, "output_tokens": 200, "usage_final": True,
}  # fmt: skip
"""Costs 0.01 USD: 1000 * 5 + 200 * 25 micro-dollars."""
ADVICE = {"type": "advisor_message", "model": "claude-opus-5", "input_tokens": 400, "output_tokens": 0}


def lake_of(make_lake: MakeLake, calls: list[dict[str, Any]], lines: list[dict[str, Any]] = [], **more: Any) -> Lake:  # noqa: B006
    entries = [{"line_no": n, **line} for n, line in enumerate(lines, 100)]
    rows = {"token_usage": calls, "entries": entries, **more}
    return make_lake(rows, rates=[OPUS], aliases=[Alias("claude-opus-5", "anthropic", "claude-opus-5")])


def state(usd: str, **more: Any) -> dict[str, Any]:
    return {"type": "cost-state", "reported_total_cost_usd": Decimal(usd), **more}


def test_the_last_total_is_compared(make_lake: MakeLake) -> None:
    row = lake_of(make_lake, [CALL], [state("0.005"), state("0.01")]).one("FROM cost_reconciliation")
    assert (row["source"], row["model"], row["calls"]) == ("cost-state", None, 1)
    assert (row["ours_usd"], row["theirs_usd"], row["difference_usd"]) == (Decimal("0.01"), Decimal("0.01"), 0)
    assert row["explained_by"] == "agrees"


@pytest.mark.parametrize(
    ("theirs", "call", "line", "explained"),
    [
        ("0.0100999", {}, {}, "agrees"),
        ("0.0102", {}, {}, "unexplained"),
        ("0.01", {"iterations": [ADVICE]}, {}, "advisor"),
        ("0.05", {"model": "nobody-1"}, {}, "unknown model"),
        ("0.005", {}, {"reported_has_unknown_model": True}, "unknown model"),
        ("0.05", {"usage_final": False}, {}, "missing final usage record"),
    ],
)
def test_what_explains_a_difference(
    make_lake: MakeLake, theirs: str, call: dict[str, Any], line: dict[str, Any], explained: str
) -> None:
    row = lake_of(make_lake, [CALL | call], [state(theirs, **line)]).one("FROM cost_reconciliation")
    assert row["explained_by"] == explained


def test_declined_attempts_explain_a_difference(make_lake: MakeLake) -> None:
    hop = {
        "line_no": 1, "record_no": 0, "side": "assistant", "hop_index": 0, "has_block": False, "dedup_key": "r1",
        "declined_model": "claude-opus-5", "declined_observed": True, "declined_input_tokens": 400,
        "declined_output_tokens": 40, "occurred_at": at("2026-09-01 10:00:00"),
    }  # fmt: skip
    row = lake_of(make_lake, [CALL], [state("0.013")], fallbacks=[hop]).one("FROM cost_reconciliation")
    assert (row["declined_usd"], row["explained_by"]) == (Decimal("0.003"), "fallback")


def test_a_forks_repeated_calls_explain_a_difference(make_lake: MakeLake) -> None:
    copy = CALL | {"session_id": "s2", "occurred_at": at("2026-09-01 10:00:01")}
    own = copy | {"line_no": 2, "message_id": "m2", "request_id": "r2"}
    line = state("0.02") | {"session_id": "s2"}
    row = lake_of(make_lake, [CALL, copy, own], [line]).one("FROM cost_reconciliation")
    assert (row["ours_usd"], row["foreign_calls"], row["explained_by"]) == (Decimal("0.01"), 1, "copies")


def test_figures_by_model(make_lake: MakeLake) -> None:
    usage = {"claude-opus-5[1m]": {"costUSD": 0.01}, 'odd"/~name': {"costUSD": 2}, "free": {}}
    line = {"type": "result", "reported_total_cost_usd": Decimal("2.01"), "reported_model_usage": json.dumps(usage)}
    sql = "SELECT model, theirs_usd AS theirs, explained_by FROM cost_reconciliation ORDER BY model NULLS FIRST"
    rows = [tuple(row.values()) for row in lake_of(make_lake, [CALL], [line]).ask(sql)]
    assert rows == [
        (None, Decimal("2.01"), "unexplained"),
        ("claude-opus-5[1m]", Decimal("0.01"), "agrees"),
        ("free", None, "unexplained"),
        ('odd"/~name', Decimal("2"), "unexplained"),
    ]


@pytest.mark.parametrize("broken", ["{", "[1]", "3", '{"a": 3}'])
def test_figures_that_are_no_figures_do_no_harm(make_lake: MakeLake, broken: str) -> None:
    line = state("0.01", reported_model_usage=broken)
    rows = lake_of(make_lake, [CALL], [line]).ask(
        "SELECT model, theirs_usd AS usd FROM cost_reconciliation WHERE model IS NULL"
    )
    assert rows == [{"model": None, "usd": Decimal("0.01")}]


def test_costs_on_the_lines_themselves(make_lake: MakeLake) -> None:
    calls = [
        CALL | {"reported_cost_usd": Decimal("0.01")},
        CALL | {"line_no": 2, "message_id": "m2", "request_id": "r2"},
    ]
    rows = lake_of(make_lake, calls).ask(
        "SELECT source, model, calls, ours_usd, theirs_usd FROM cost_reconciliation ORDER BY model NULLS FIRST"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("costUSD", None, 1, Decimal("0.01"), Decimal("0.01")),
        ("costUSD", "claude-opus-5", 1, Decimal("0.01"), Decimal("0.01")),
    ]


@pytest.mark.parametrize(
    ("theirs", "explained"),
    [
        ("0.0049", "unexplained"),  # within a hundredth of a cent of the cheapest
        ("0.0048", "other rates"),
        ("0.0075", "unexplained"),
        ("0.0200", "unexplained"),
        ("0.0202", "other rates"),
    ],
)
def test_a_cost_that_no_rate_of_the_model_gives_is_by_rates_of_their_own(
    make_lake: MakeLake, theirs: str, explained: str
) -> None:
    """The call costs 0.01; at half the rates (batch) 0.005, at twice (fast) 0.02."""
    batch = rate("claude-opus-5", "2.5", "12.5", variant="batch")
    fast = rate("claude-opus-5", "10", "50", variant="speed=fast")
    lake = make_lake(
        {"token_usage": [CALL | {"reported_cost_usd": Decimal(theirs)}]},
        rates=[OPUS, batch, fast],
        aliases=[Alias("claude-opus-5", "anthropic", "claude-opus-5")],
    )
    row = lake.one("FROM cost_reconciliation WHERE model IS NULL")
    assert (row["explained_by"], row["least_usd"], row["most_usd"]) == (explained, Decimal("0.005"), Decimal("0.02"))
