"""Model fallbacks in SQL: merging by parser.md 5.4, hops by 5.6, money by accounting.md 4."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tracelake.lake.prices import Alias

from tests.fold.folding import fold
from tests.sql.lakes import Lake, at, rate, write_lake

CORPUS = Path(__file__).parents[1] / "corpus"
FABLE = rate("claude-fable-5", "10", "50", cache_read="1", cache_write_5m="12.5", cache_write_1h="20")
OPUS = rate("claude-opus-5", "5", "25", cache_read="0.5", cache_write_5m="6.25", cache_write_1h="10")
ALIASES = [Alias(item.model_id, "anthropic", item.model_id) for item in (FABLE, OPUS)]
TABLES = ("fallbacks", "token_usage", "messages")
Fallen = Callable[..., Lake]


@pytest.fixture
def fallen(tmp_path: Path) -> Fallen:
    """`fallen({path: lines})`: a lake of files, each the session named by its stem."""

    def make(files: dict[str, list[dict[str, Any]] | bytes]) -> Lake:
        rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
        for path, lines in files.items():
            data = lines if isinstance(lines, bytes) else "".join(json.dumps(line) + "\n" for line in lines).encode()
            folded = fold(data)
            for name in TABLES:
                rows[name] += [{**row, "path": path, "session_id": Path(path).stem} for row in folded[name]]
        return write_lake(tmp_path / "lake", rows, [FABLE, OPUS], ALIASES)

    return make


def message(number: int, chain: list[dict[str, Any]], **usage: Any) -> dict[str, Any]:
    """An answer of claude-opus-5 after the declined attempts of `chain`."""
    serving = {"type": "fallback_message", "model": "claude-opus-5"}
    return {
        "type": "assistant",
        "requestId": f"r{number}",
        "timestamp": f"2026-09-0{number}T10:00:00Z",
        "message": {
            "id": f"m{number}",
            "model": "claude-opus-5",
            "content": [{"type": "text", "text": "done"}],
            "usage": {**usage, "iterations": [*chain, serving]},
        },
    }


def declined(model: str = "claude-fable-5", **counts: int) -> dict[str, Any]:
    return {"type": "message", "model": model, **counts}


WORKED = {"input_tokens": 100, "output_tokens": 1, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 30}
MERGED = """SELECT from_model, to_model, trigger, refusal_category, message_ordinal, occurred_at, declined_observed,
    [declined_input_tokens, declined_output_tokens, declined_cache_write_tokens, declined_cache_read_tokens] AS declined
    FROM model_fallbacks ORDER BY line_no"""
EXAMPLE = {
    "from_model": "big-1",
    "to_model": "small-1",
    "trigger": "refusal",
    "refusal_category": "cyber",
    "message_ordinal": 0,
    "occurred_at": at("2031-05-01 00:00:05"),
    "declined_observed": True,
    "declined": [150, 3, 20, 30],
}


def test_the_worked_example_is_one_fallback(fallen: Fallen) -> None:
    rows = fallen({"/s1.jsonl": (CORPUS / "f1" / "in.jsonl").read_bytes()}).ask(MERGED)
    assert rows[0] == EXAMPLE
    second = {name: rows[1][name] for name in ("from_model", "to_model", "declined_observed", "declined")}
    assert second == {"from_model": None, "to_model": "small-2", "declined_observed": True, "declined": [0, 0, 0, 0]}
    assert [row["from_model"] for row in rows] == ["big-1", None, "x", "x"]  # without a key nothing merges
    assert rows[2]["declined"] == [None] * 4


def test_the_order_of_the_two_sides_does_not_matter(fallen: Fallen) -> None:
    system, answer, *_ = (CORPUS / "f1" / "in.jsonl").read_bytes().splitlines(keepends=True)
    assert fallen({"/s1.jsonl": answer + system}).ask(MERGED) == [EXAMPLE]


def test_hops_carry_the_reason_of_the_system_line(fallen: Fallen) -> None:
    lake = fallen({"/s1.jsonl": (CORPUS / "f1" / "in.jsonl").read_bytes()})
    sql = """SELECT hop_index, is_last_hop, from_model, to_model, refusal_category, declined_input_tokens AS tokens
        FROM fallback_hops WHERE fallback_id = 'rq' ORDER BY 1"""
    assert [tuple(row.values()) for row in lake.ask(sql)] == [
        (0, False, "big-1", "small-1", "cyber", 100),
        (1, True, "small-1", "small-2", None, 50),
    ]


def test_a_system_line_alone_is_a_hop_that_nobody_measured(fallen: Fallen) -> None:
    system = (CORPUS / "f1" / "in.jsonl").read_bytes().splitlines()[0]
    lake = fallen({"/s1.jsonl": system + b"\n"})
    sql = "SELECT from_model, declined_billed, declined_cost_usd, served_cost_usd, net_cost_usd FROM fallback_costs"
    assert list(lake.one(sql).values()) == ["big-1", "unknown", None, None, None]


def test_worked_money(fallen: Fallen) -> None:
    hour = {"cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 20}}
    lake = fallen({"/s1.jsonl": [message(1, [declined(**WORKED)]), message(2, [declined(**WORKED) | hour])]})
    rows = lake.ask("SELECT declined_cost_usd AS usd, declined_billed FROM fallback_costs ORDER BY line_no")
    assert [(row["usd"], row["declined_billed"]) for row in rows] == [
        (Decimal("0.00133"), "yes"),
        (Decimal("0.00148"), "yes"),
    ]


def test_what_a_chain_cost_beyond_its_first_model(fallen: Fallen) -> None:
    # Declined: opus 200 in, no output; fable as worked. Served by opus: 1000 in, 100 out.
    chain = [declined("claude-fable-5", **WORKED), declined("claude-opus-5", input_tokens=200)]
    lake = fallen({"/s1.jsonl": [message(1, chain, input_tokens=1000, output_tokens=100)]})
    sql = """SELECT declined_billed AS billed, declined_cost_usd AS declined, served_cost_usd AS served,
        counterfactual_cost_usd AS instead, net_cost_usd AS net FROM fallback_costs ORDER BY hop_index"""
    first, last = ([*row.values()] for row in lake.ask(sql))
    assert first == ["yes", Decimal("0.00133"), None, None, Decimal("0.00133")]
    # 200*5; 1000*5 + 100*25; 1000*10 + 100*50; an attempt without output is not billed: 7500 - 15000 micro-dollars
    assert last == ["no", Decimal("0.001"), Decimal("0.0075"), Decimal("0.015"), Decimal("-0.0075")]
    assert lake.one("SELECT sum(cost_usd) AS usd FROM costs")["usd"] == Decimal("0.0075")  # declined is not in costs


def test_unpriced_is_null_never_zero(fallen: Fallen) -> None:
    lake = fallen({"/s1.jsonl": [message(1, [declined("nobody-1", **WORKED)], input_tokens=10, output_tokens=1)]})
    sql = "SELECT declined_billed, declined_cost_usd, counterfactual_cost_usd, net_cost_usd FROM fallback_costs"
    assert list(lake.one(sql).values()) == ["yes", None, None, None]


def test_a_fork_costs_nothing_again(fallen: Fallen) -> None:
    line = message(1, [declined(**WORKED)], input_tokens=10, output_tokens=1)
    lake = fallen({"/s1.jsonl": [line], "/s2.jsonl": [line]})
    assert lake.ask("SELECT session_id, is_copy FROM model_fallbacks ORDER BY 1") == [
        {"session_id": "s1", "is_copy": False},
        {"session_id": "s2", "is_copy": True},
    ]
    assert lake.one("SELECT count(*) AS hops, sum(declined_cost_usd) AS usd FROM fallback_costs") == {
        "hops": 1,
        "usd": Decimal("0.00133"),
    }


def test_the_file_that_owns_the_answer_owns_the_fallback(fallen: Fallen) -> None:
    line = message(1, [declined(**WORKED)], input_tokens=10, output_tokens=1)
    lake = fallen({"/s1.jsonl": [{**line, "forkedFrom": {"sessionId": "s2"}}], "/s2.jsonl": [line]})
    assert lake.one("SELECT session_id FROM model_fallbacks WHERE NOT is_copy") == {"session_id": "s2"}


def test_lines_of_one_message_are_one_fallback(fallen: Fallen) -> None:
    line = message(1, [declined(**WORKED)], input_tokens=10, output_tokens=1)
    lake = fallen({"/s1.jsonl": [line, line, line]})
    assert lake.one("SELECT count(*) AS n, any_value(declined_input_tokens) AS t FROM model_fallbacks") == {
        "n": 1,
        "t": 100,
    }
    assert lake.one("SELECT count(*) AS n FROM fallback_hops")["n"] == 1


def test_a_declined_attempt_on_another_day_has_that_days_price(tmp_path: Path) -> None:
    early = rate("claude-fable-5", "10", "50", valid_to=at("2026-09-02 00:00:00").date())
    late = rate("claude-fable-5", "20", "50", valid_from=at("2026-09-02 00:00:00").date())
    lines = [message(day, [declined(input_tokens=100, output_tokens=0)]) for day in (1, 2)]
    rows = fold("".join(json.dumps(line) + "\n" for line in lines).encode())
    lake = write_lake(tmp_path / "lake", {"fallbacks": rows["fallbacks"]}, [early, late], ALIASES)
    found = lake.ask("SELECT declined_cost_usd AS usd FROM fallback_costs ORDER BY line_no")
    assert [row["usd"] for row in found] == [Decimal("0.001"), Decimal("0.002")]
