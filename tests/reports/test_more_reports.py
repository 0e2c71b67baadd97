"""The reports fallbacks, thinking, blocks and quality over a small lake, figures worked out by hand."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tracelake.errors import UsageError
from tracelake.lake.prices import Alias
from tracelake.reports import find_report
from tracelake.reports.check import check
from tracelake.reports.model import Options

from tests.sql.lakes import Lake, at, rate, write_lake

OPUS = rate("claude-opus-5", "5", "25")
FABLE = rate("claude-fable-5", "10", "50")


def call(number: int, day: int, **more: Any) -> dict[str, Any]:
    """1000 in and 100 out of opus: 0.0075 USD."""
    return {
        "line_no": number, "record_no": 0, "source_index": 0, "message_ordinal": number, "message_id": f"m{number}",
        "request_id": f"r{number}", "dedup_key": f"m{number}:r{number}", "model": "claude-opus-5", "carrier": "message",
        "occurred_at": at(f"2026-09-0{day} 10:30:00"), "input_tokens": 1000, "output_tokens": 100, **more,
    }  # fmt: skip


def turn(number: int, day: int, **more: Any) -> dict[str, Any]:
    return {
        "line_no": number, "record_no": 0, "ordinal": number, "role": "assistant", "content": "x",
        "model": "claude-opus-5",
        "thinking_bytes": 0, "has_thinking": False, "timestamp": at(f"2026-09-0{day} 10:30:00"), **more,
    }  # fmt: skip


HOP = {
    "line_no": 2, "record_no": 0, "side": "assistant", "hop_index": 0, "has_block": True, "dedup_key": "r2",
    "from_model": "claude-fable-5", "to_model": "claude-opus-5", "declined_model": "claude-fable-5",
    "refusal_category": "cyber", "declined_observed": True, "declined_input_tokens": 100, "declined_output_tokens": 10,
    "occurred_at": at("2026-09-02 10:30:00"),
}  # fmt: skip


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    file = {
        "kind": "main",
        "project": "p",
        "start_time": at("2026-09-01 10:30:00"),
        "end_time": at("2026-09-02 10:30:00"),
    }
    rows = {
        "files": [file],
        "token_usage": [call(1, 1, thinking_tokens=40), call(2, 2)],
        "messages": [
            turn(1, 1, has_thinking=True, thinking_bytes=9),
            turn(2, 2),
            {"line_no": 0, "ordinal": 0, "role": "user", "content": "go"},
        ],
        "fallbacks": [HOP],
    }
    aliases = [Alias(item.model_id, "anthropic", item.model_id) for item in (OPUS, FABLE)]
    folder: Path = tmp_path_factory.mktemp("reports") / "lake"
    return write_lake(folder, rows, [OPUS, FABLE], aliases)


def ask(lake: Lake, name: str, **options: Any) -> list[dict[str, Any]]:
    report, given = find_report(name), Options(**options)
    check(report, given)
    query = report.build(given)
    return lake.ask(query.sql, query.params)


def test_fallbacks(lake: Lake) -> None:
    row, total = ask(lake, "fallbacks")
    assert row["models"] == "claude-fable-5 → claude-opus-5"
    # declined 100*10 + 10*50; served 1000*5 + 100*25; instead 1000*10 + 100*50 micro-dollars
    expected = ("0.0015", "0.0075", "0.015", "-0.006")
    money = ("declined_cost_usd", "served_cost_usd", "counterfactual_cost_usd", "net_cost_usd")
    assert [row[name] for name in money] == [total[name] for name in money] == [Decimal(text) for text in expected]
    assert (row["hops"], row["billed"], row["not_billed"], row["not_observed"]) == (1, 1, 0, 0)
    assert total["is_total"]
    assert ask(lake, "fallbacks", by="category")[0]["category"] == "cyber"
    assert [row["hops"] for row in ask(lake, "fallbacks", until=date(2026, 9, 1))] == [0]


def test_thinking(lake: Lake) -> None:
    row, _ = ask(lake, "thinking")
    assert (row["model"], row["turns"], row["thinking_turns"], row["exact_turns"]) == ("claude-opus-5", 2, 1, 1)
    assert (row["thinking_tokens"], row["thinking_usd"], row["cost_usd"]) == (40, Decimal("0.001"), Decimal("0.015"))
    assert [row["band"] for row in ask(lake, "thinking", by="band")] == ["low", "off", "total"]


def test_blocks(lake: Lake) -> None:
    rows = ask(lake, "blocks")
    assert [(row["state"], row["starts_at"], row["calls"]) for row in rows] == [
        ("block", at("2026-09-02 10:00:00"), 1),
        ("gap", at("2026-09-01 15:30:00"), 0),
        ("block", at("2026-09-01 10:00:00"), 1),
    ]
    assert rows[0]["cost_usd"] == Decimal("0.0075")
    assert [row["state"] for row in ask(lake, "blocks", since=date(2026, 9, 2))] == ["block"]
    assert len(ask(lake, "blocks", limit=2)) == 2


def test_quality(lake: Lake) -> None:
    (row,) = ask(lake, "quality")
    assert (row["session_id"], row["project"], row["archetype"]) == ("s1", "p", "marathon")
    assert (row["outcome"], row["confidence"], row["grade"], row["score"]) == ("completed", "high", "A", 100)
    assert ask(lake, "quality", project="q*") == []


@pytest.mark.parametrize(
    ("name", "option"), [("blocks", {"project": "p"}), ("quality", {"model": "x"}), ("blocks", {"by": "day"})]
)
def test_what_a_report_cannot_answer_is_refused(lake: Lake, name: str, option: dict[str, str]) -> None:
    with pytest.raises(UsageError, match=f"report {name} has no --"):
        ask(lake, name, **option)


@pytest.mark.parametrize("name", ["fallbacks", "thinking", "blocks", "quality"])
def test_an_empty_lake_is_no_error(tmp_path: Path, name: str) -> None:
    rows = ask(write_lake(tmp_path / "lake", {}), name)
    assert [row for row in rows if not row.get("is_total")] == []


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        (4, None, ["long", "late"]),
        (None, 2, ["long", "early"]),
        (3, 3, ["long"]),
        (5, None, ["late"]),
        (6, None, []),
    ],
)
def test_sessions_are_those_under_way_in_the_days_asked_for(tmp_path: Path, since, until, expected) -> None:
    spans = {"early": (1, 2), "long": (2, 4), "late": (5, 5)}
    rows = [
        {"session_id": name, "path": f"/p/{name}.jsonl", "line_no": n, "type": "user", "class": "message"}
        | {"timestamp": at(f"2026-09-0{day} 10:00:00")}
        for name, days in spans.items()
        for n, day in enumerate(days, 1)
    ]
    files = [
        {"session_id": name, "path": f"/p/{name}.jsonl", "kind": "main"}
        | {"start_time": at(f"2026-09-0{first} 10:00:00"), "end_time": at(f"2026-09-0{last} 10:00:00")}
        for name, (first, last) in spans.items()
    ]
    lake = write_lake(tmp_path / "lake", {"entries": rows, "files": files})
    options = Options(*(None if day is None else date(2026, 9, day) for day in (None, since, until)))
    query = find_report("sessions").build(options)
    found = {row["session_id"] for row in lake.ask(query.sql, query.params)}
    assert found == set(expected)
