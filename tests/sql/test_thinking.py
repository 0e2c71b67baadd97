"""Thinking weight: parser.md 2 and 7.6, with its worked numbers."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from tracelake.lake.prices import Alias

from tests.sql.lakes import Lake, MakeLake, at, rate

OPUS = rate("claude-opus-5", "5", "25")


def turn(ordinal: int, weight: int = 0, **more: Any) -> dict[str, Any]:
    """An assistant turn with `weight` bytes of plain thinking."""
    return {
        "line_no": ordinal + 1,
        "record_no": 0,
        "ordinal": ordinal,
        "role": "assistant",
        "model": "claude-opus-5",
        "thinking_bytes": weight,
        "thinking_plain_bytes": weight,
        "has_thinking": weight > 0,
        "timestamp": at("2026-09-01 10:00:00"),
        **more,
    }


def usage(ordinal: int, line_no: int, output: int, thinking: int | None, **more: Any) -> dict[str, Any]:
    return {
        "line_no": line_no,
        "record_no": 0,
        "source_index": 0,
        "message_ordinal": ordinal,
        "message_id": f"m{ordinal}",
        "request_id": f"r{ordinal}",
        "dedup_key": f"m{ordinal}:r{ordinal}",
        "carrier": "message",
        "model": "claude-opus-5",
        "occurred_at": at("2026-09-01 10:00:00"),
        "input_tokens": 0,
        "output_tokens": output,
        "thinking_tokens": thinking,
        **more,
    }


def priced(make_lake: MakeLake, messages: list[dict[str, Any]], records: list[dict[str, Any]]) -> Lake:
    rows = {"messages": messages, "token_usage": records}
    return make_lake(rows, rates=[OPUS], aliases=[Alias("claude-opus-5", "anthropic", "claude-opus-5")])


def test_the_tail_is_the_mean_of_the_weightiest_tenth(make_lake: MakeLake) -> None:
    turns = [*(turn(number, 107) for number in range(20)), turn(20, 10700)]
    sql = "SELECT assistant_turns, thinking_turns, coverage, tail_tokens, peak_tokens, band FROM {}"
    lake = make_lake({"messages": turns})
    for view in ("thinking_by_session", "thinking_by_model"):
        assert list(lake.one(sql.format(view)).values()) == [21, 21, 1.0, 340, 1000, "medium"]


@pytest.mark.parametrize(("agent", "tokens"), [("claude", 100), ("codex", 75), ("pi", 268), ("somebody", 100)])
def test_bytes_become_tokens_by_a_factor_of_the_agent(make_lake: MakeLake, agent: str, tokens: int) -> None:
    row = make_lake({"messages": [turn(0, 1070, agent=agent)]}).one("SELECT * FROM thinking_weight")
    assert (round(row["thinking_tokens"]), row["basis"]) == (tokens, "estimated")  # 1070 by 10.7, 14.2, 4.0, 10.7


def test_exact_tokens_go_before_bytes(make_lake: MakeLake) -> None:
    # Three lines of one call: the record with the largest output says 60, never 3 * 60 or 20.
    records = [usage(0, 1, 5, 20), usage(0, 2, 90, 60), usage(0, 3, 80, 70)]
    row = priced(make_lake, [turn(0, 1070)], records).one("SELECT * FROM thinking_weight")
    assert (row["reported_tokens"], row["thinking_tokens"], row["basis"], row["band"]) == (60, 60.0, "reported", "low")


def test_a_reported_zero_leaves_the_estimate(make_lake: MakeLake) -> None:
    row = priced(make_lake, [turn(0, 1070)], [usage(0, 1, 90, 0)]).one("SELECT * FROM thinking_weight")
    assert (row["reported_tokens"], round(row["thinking_tokens"]), row["basis"]) == (0, 100, "estimated")


@pytest.mark.parametrize(
    ("tokens", "thought", "band"),
    [
        (0, False, "off"),
        (0, True, "low"),
        (128.4, True, "low"),
        (128.6, True, "medium"),
        (512, True, "medium"),
        (513, True, "high"),
        (2048, True, "high"),
        (2049, True, "xhigh"),
        (None, None, None),
    ],
)
def test_bands(make_lake: MakeLake, tokens: float | None, thought: bool | None, band: str | None) -> None:
    assert make_lake().one("SELECT thinking_band(?, ?) AS band", [tokens, thought])["band"] == band


def test_sessions_without_answers_have_no_figures_and_without_thinking_zeros(make_lake: MakeLake) -> None:
    user = {"session_id": "asked", "line_no": 1, "ordinal": 0, "role": "user", "content": "hi"}
    lake = make_lake({"messages": [user, turn(0, session_id="plain")]})
    rows = lake.ask(
        "SELECT assistant_turns, coverage, tail_tokens, peak_tokens, band FROM thinking_by_session ORDER BY session_id"
    )
    assert [list(row.values()) for row in rows] == [[None] * 5, [1, 0.0, 0, 0, "off"]]


def test_sources_are_summed_apart(make_lake: MakeLake) -> None:
    parts = ("thinking_plain_bytes", "thinking_signature_bytes", "thinking_redacted_bytes", "thinking_encrypted_bytes")
    one = turn(0, 10) | dict(zip(parts, (1, 2, 3, 4), strict=True))
    two = turn(1, 100) | dict(zip(parts, (10, 20, 30, 40), strict=True))
    row = make_lake({"messages": [one, two]}).one(f"SELECT thinking_bytes, {', '.join(parts)} FROM thinking_by_model")
    assert list(row.values()) == [110, 11, 22, 33, 44]


def test_thinking_has_its_part_of_the_cost(make_lake: MakeLake) -> None:
    # Turn 0: 40 of 100 output tokens at 25 micro-dollars: 0.001; turn 1 thinks more than its output: all 10 of it.
    records = [usage(0, 1, 100, 40), usage(1, 2, 10, None)]
    lake = priced(make_lake, [turn(0, 1), turn(1, 10700)], records)
    rows = lake.ask("SELECT thinking_usd, cost_usd, calls FROM thinking_weight ORDER BY ordinal")
    assert [list(row.values()) for row in rows] == [
        [Decimal("0.001"), Decimal("0.0025"), 1],
        [Decimal("0.00025"), Decimal("0.00025"), 1],
    ]
    session = lake.one("SELECT thinking_usd, cost_usd, share_of_cost FROM thinking_by_session")
    assert list(session.values()) == [Decimal("0.00125"), Decimal("0.00275"), pytest.approx(1.25 / 2.75)]


def test_a_forks_copy_of_a_turn_costs_nothing_again(make_lake: MakeLake) -> None:
    fork = {"session_id": "s2", "occurred_at": at("2026-09-01 10:00:01")}
    lake = priced(
        make_lake, [turn(0, 1), turn(0, 1, session_id="s2")], [usage(0, 1, 100, 40), usage(0, 1, 100, 40) | fork]
    )
    rows = lake.ask("SELECT reported_tokens, calls, thinking_usd FROM thinking_weight ORDER BY session_id")
    assert [list(row.values()) for row in rows] == [[40, 1, Decimal("0.001")], [40, 0, None]]
