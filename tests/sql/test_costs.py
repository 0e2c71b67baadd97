"""accounting.md section 3: every price axis by itself, with numbers worked out by hand."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from tracelake.lake.prices import Alias

from tests.sql.lakes import Lake, MakeLake, at, day, rate

FABLE = rate(
    "claude-fable-5", "10", "50", cache_read="1", cache_write_5m="12.5", cache_write_1h="20", web_search="10000"
)
PARTS = "input_usd, output_usd, cache_read_usd, cache_write_5m_usd, cache_write_1h_usd, web_search_usd"


def priced_lake(
    make_lake: MakeLake, *usage: dict[str, Any], rates: Any = (FABLE,), model: str = "claude-fable-5"
) -> Lake:
    defaults = {"record_no": 0, "source_index": 0, "model": model, "occurred_at": at("2026-05-01 10:00:00")}
    rows = [
        {**defaults, "line_no": n, "message_id": f"m{n}", "request_id": "r", **row} for n, row in enumerate(usage, 1)
    ]
    names = {rate.model_id for rate in rates}
    return make_lake({"token_usage": rows}, rates=rates, aliases=[Alias(name, "anthropic", name) for name in names])


def cost(lake: Lake) -> Decimal | None:
    value: Decimal | None = lake.one("SELECT cost_usd FROM costs WHERE part_of IS NULL")["cost_usd"]
    return value


WORKED = {"input_tokens": 100, "output_tokens": 1, "cache_read_tokens": 30, "cache_write_tokens": 20}


def test_worked_value_with_five_minute_writes(make_lake: MakeLake) -> None:
    assert cost(priced_lake(make_lake, {**WORKED, "cache_write_5m_tokens": 20})) == Decimal("0.00133")


def test_worked_value_with_one_hour_writes(make_lake: MakeLake) -> None:
    usage = {**WORKED, "cache_write_5m_tokens": 0, "cache_write_1h_tokens": 20}
    assert cost(priced_lake(make_lake, usage)) == Decimal("0.00148")


def test_writes_without_a_split_are_five_minute_writes(make_lake: MakeLake) -> None:
    assert cost(priced_lake(make_lake, WORKED)) == Decimal("0.00133")


def test_writes_that_the_split_leaves_over_are_five_minute_writes(make_lake: MakeLake) -> None:
    usage = {"cache_write_tokens": 20, "cache_write_5m_tokens": 0, "cache_write_1h_tokens": 8}
    lake = priced_lake(make_lake, usage)
    assert lake.one("SELECT cache_write_5m_tokens AS short, cache_write_1h_tokens AS long FROM costs") == {
        "short": 12,
        "long": 8,
    }
    assert cost(lake) == Decimal("0.00031")  # (12 * 12.5 + 8 * 20) / 1e6


def test_the_parts_add_up(make_lake: MakeLake) -> None:
    usage = {**WORKED, "cache_write_5m_tokens": 20, "web_search_requests": 2}
    assert priced_lake(make_lake, usage).one(f"SELECT {PARTS}, cost_usd, priced, unpriced_reason FROM costs") == {
        "input_usd": Decimal("0.001"),
        "output_usd": Decimal("0.00005"),
        "cache_read_usd": Decimal("0.00003"),
        "cache_write_5m_usd": Decimal("0.00025"),
        "cache_write_1h_usd": Decimal("0"),
        "web_search_usd": Decimal("0.02"),
        "cost_usd": Decimal("0.02133"),
        "priced": True,
        "unpriced_reason": None,
    }


DATED = (
    rate("claude-fable-5", "1", "0", valid_to=day("2026-05-02")),
    rate("claude-fable-5", "2", "0", valid_from=day("2026-05-02"), valid_to=day("2026-06-01")),
    rate("claude-fable-5", "3", "0", valid_from=day("2026-06-01")),
)


@pytest.mark.parametrize(
    ("time", "dollars"),
    [
        ("2025-01-01 00:00:00", 1),
        ("2026-05-01 23:59:59", 1),
        ("2026-05-02 00:00:00", 2),
        ("2026-05-31 23:59:59", 2),
        ("2026-06-01 00:00:00", 3),
        (None, 1),
    ],
)
def test_date(make_lake: MakeLake, time: str | None, dollars: int) -> None:
    usage = {"input_tokens": 1_000_000, "occurred_at": at(time) if time else None}
    assert cost(priced_lake(make_lake, usage, rates=DATED)) == dollars


TIERED = (
    rate(
        "claude-fable-5", "1", "10", cache_read="1", cache_write_5m="1", cache_write_1h="1", upto_input_tokens=200_000
    ),
    rate(
        "claude-fable-5", "2", "30", cache_read="1", cache_write_5m="1", cache_write_1h="1", over_input_tokens=200_000
    ),
)


@pytest.mark.parametrize(
    ("prompt", "output_dollars"),
    [
        ({"input_tokens": 0}, 10),
        ({"input_tokens": 200_000}, 10),
        ({"input_tokens": 200_001}, 30),
        ({"cache_read_tokens": 200_001}, 30),
        ({"input_tokens": 1, "cache_read_tokens": 100_000, "cache_write_tokens": 100_000}, 30),
        ({"cache_write_tokens": 200_000, "cache_write_1h_tokens": 200_000}, 10),
    ],
)
def test_a_long_prompt_raises_the_whole_call(make_lake: MakeLake, prompt: dict[str, int], output_dollars: int) -> None:
    lake = priced_lake(make_lake, {**prompt, "output_tokens": 1_000_000}, rates=TIERED)
    assert lake.one("SELECT output_usd FROM costs") == {"output_usd": output_dollars}


def test_fast_has_its_own_tariff(make_lake: MakeLake) -> None:
    fast = rate("claude-fable-5", "60", "300", variant="speed=fast")
    usage = ({"output_tokens": 10_000, "speed": speed} for speed in ("fast", "standard", None))
    lake = priced_lake(make_lake, *usage, rates=(FABLE, fast))
    assert [row["cost_usd"] for row in lake.ask("SELECT cost_usd FROM costs ORDER BY line_no")] == [
        Decimal("3"),
        Decimal("0.5"),
        Decimal("0.5"),
    ]


@pytest.mark.parametrize("speed", ["fast", "faster"])
def test_a_speed_without_a_tariff_is_unpriced_not_standard(make_lake: MakeLake, speed: str) -> None:
    lake = priced_lake(make_lake, {"output_tokens": 10, "speed": speed})
    assert lake.one("SELECT cost_usd, output_usd, priced, unpriced_reason FROM costs") == {
        "cost_usd": None,
        "output_usd": None,
        "priced": False,
        "unpriced_reason": f"no price for speed={speed}",
    }


def test_web_search_costs_and_fetch_does_not(make_lake: MakeLake) -> None:
    lake = priced_lake(make_lake, {"web_search_requests": 3, "web_fetch_requests": 5})
    assert lake.one("SELECT web_search_usd, cost_usd FROM costs") == {
        "web_search_usd": Decimal("0.03"),
        "cost_usd": Decimal("0.03"),
    }


def test_a_part_without_a_rate_leaves_the_call_unpriced_only_where_it_occurs(make_lake: MakeLake) -> None:
    plain = rate("claude-fable-5", "10", "50")
    lake = priced_lake(make_lake, {"input_tokens": 100}, {"input_tokens": 100, "cache_read_tokens": 1}, rates=(plain,))
    assert lake.ask("SELECT cost_usd, input_usd, unpriced_reason FROM costs ORDER BY line_no") == [
        {"cost_usd": Decimal("0.001"), "input_usd": Decimal("0.001"), "unpriced_reason": None},
        {"cost_usd": None, "input_usd": Decimal("0.001"), "unpriced_reason": "no price for a part of the call"},
    ]


@pytest.mark.parametrize(
    ("model", "reason", "is_api_call"),
    [
        ("claude-opus-99", "unknown model", True),
        (None, "no model on the line", True),
        ("<synthetic>", "not an API call", False),
    ],
)
def test_unknown_models_are_null_never_zero(
    make_lake: MakeLake, model: str | None, reason: str, is_api_call: bool
) -> None:
    lake = priced_lake(make_lake, {"input_tokens": 0, "model": model})
    assert lake.one("SELECT cost_usd, priced, unpriced_reason, is_api_call FROM costs") == {
        "cost_usd": None,
        "priced": False,
        "unpriced_reason": reason,
        "is_api_call": is_api_call,
    }


def test_an_advisor_is_billed_beside_its_call_at_its_own_rate(make_lake: MakeLake) -> None:
    usage = {
        "input_tokens": 100,
        "speed": "standard",
        "iterations": [
            {"type": "message", "model": "claude-fable-5", "input_tokens": 100},
            {
                "type": "advisor_message",
                "model": "adviser",
                "input_tokens": 7,
                "output_tokens": 3,
                "cache_write_tokens": 2,
            },
            {"type": "fallback_message", "model": "adviser", "input_tokens": 1_000},
        ],
    }
    adviser = rate("adviser", "1", "2", cache_write_5m="4")
    lake = priced_lake(make_lake, usage, rates=(FABLE, adviser))
    assert lake.ask("SELECT call_id, part_of, model, cost_usd FROM costs ORDER BY part_of NULLS FIRST") == [
        {"call_id": "m1:r", "part_of": None, "model": "claude-fable-5", "cost_usd": Decimal("0.001")},
        {"call_id": "m1:r#advisor2", "part_of": "m1:r", "model": "adviser", "cost_usd": Decimal("0.000021")},
    ]
    assert lake.ask("SELECT model, calls, input_tokens, cost_usd FROM cost_by_model ORDER BY model") == [
        {"model": "adviser", "calls": 0, "input_tokens": 7, "cost_usd": Decimal("0.000021")},
        {"model": "claude-fable-5", "calls": 1, "input_tokens": 100, "cost_usd": Decimal("0.001")},
    ]


def test_a_fast_call_keeps_its_advisor_at_the_standard_rate(make_lake: MakeLake) -> None:
    advisor = {"type": "advisor_message", "model": "claude-fable-5", "output_tokens": 1_000}
    lake = priced_lake(make_lake, {"output_tokens": 1, "speed": "fast", "iterations": [advisor]})
    assert lake.ask("SELECT cost_usd FROM costs ORDER BY part_of NULLS FIRST") == [
        {"cost_usd": None},
        {"cost_usd": Decimal("0.05")},
    ]


def test_the_smallest_rates_are_exact(make_lake: MakeLake) -> None:
    tiny = rate("claude-fable-5", "0.000000001", "0")
    assert cost(priced_lake(make_lake, {"input_tokens": 1}, rates=(tiny,))) == Decimal("1E-15")


def test_damaged_counts_do_not_break_the_sums(make_lake: MakeLake) -> None:
    most = 2**63 - 1
    lake = priced_lake(
        make_lake, {"input_tokens": most, "cache_read_tokens": most}, {"input_tokens": most}, {"input_tokens": 1}
    )
    row = lake.one("SELECT calls, input_tokens, cost_usd FROM cost_by_model")
    # 2 * (2^63 - 1) + 1 tokens at 10, and 2^63 - 1 at 1 micro-dollars.
    assert row == {"calls": 3, "input_tokens": None, "cost_usd": Decimal(21 * most + 10) / 10**6}


SUMS = "calls, unpriced_calls, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, tokens, cost_usd"


@pytest.mark.parametrize(
    ("view", "key", "value"),
    [
        ("cost_by_model", "model", "claude-fable-5"),
        ("cost_by_session", "session_id", "s1"),
        ("cost_by_project", "project", None),
        ("cost_by_agent_type", "agent_type", "unknown"),
        ("cost_daily", "day::VARCHAR", "2026-05-01"),
    ],
)
def test_sums_count_the_priced_and_say_how_many_are_not(
    make_lake: MakeLake, view: str, key: str, value: str | None
) -> None:
    usage = ({**WORKED}, {**WORKED, "speed": "fast"}, {"input_tokens": 1, "output_tokens": 2})
    lake = priced_lake(make_lake, *usage, {"model": "<synthetic>", "output_tokens": 0})
    assert lake.one(f"SELECT {key} AS key, {SUMS} FROM {view}") == {
        "key": value,
        "calls": 3,
        "unpriced_calls": 1,
        "input_tokens": 201,
        "output_tokens": 4,
        "cache_read_tokens": 60,
        "cache_write_tokens": 40,
        "tokens": 305,
        "cost_usd": Decimal("0.00144"),  # 0.00133 + (1 * 10 + 2 * 50) / 1e6
    }


def test_sums_are_plain_integers_and_decimals(make_lake: MakeLake) -> None:
    lake = priced_lake(make_lake, WORKED)
    for view in ("costs", "cost_daily", "cost_by_model", "cost_by_session", "cost_by_project", "cost_by_agent_type"):
        types = {row["column_type"] for row in lake.ask(f"DESCRIBE {view}")}
        assert "HUGEINT" not in types and "DOUBLE" not in types, view
        assert "DECIMAL(38,15)" in types, view


def test_the_unpriced_alone_sum_to_null(make_lake: MakeLake) -> None:
    lake = priced_lake(make_lake, {"input_tokens": 1, "model": "claude-opus-99"})
    assert lake.one("SELECT calls, unpriced_calls, cost_usd FROM cost_by_model") == {
        "calls": 1,
        "unpriced_calls": 1,
        "cost_usd": None,
    }
