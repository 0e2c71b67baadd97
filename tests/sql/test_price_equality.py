"""SQL over the flat rate table prices a call as the price package does, to the last digit."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from genai_prices import Usage, calc_price
from genai_prices.data_snapshot import get_snapshot
from tracelake.lake.prices import Alias, Rate
from tracelake.pricing.genai import package_rates

from tests.sql.lakes import MakeLake

COUNT = 20_000
PROVIDERS = ("anthropic", "aws", "google", "openai")
BEGIN = datetime(2025, 6, 1, tzinfo=UTC)


def token_models(rates: list[Rate]) -> list[tuple[str, str, bool]]:
    """Return provider, model and whether it has a fast tariff; only models that bill input and output tokens."""
    fast = {(rate.provider, rate.model_id) for rate in rates if rate.variant == "speed=fast"}
    return sorted(
        (provider, model_id, (provider, model_id) in fast)
        for provider, model_id in {
            (rate.provider, rate.model_id)
            for rate in rates
            if rate.provider in PROVIDERS and rate.input is not None and rate.output is not None
        }
    )


def random_usages(models: list[tuple[str, str, bool]], searching: set[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    chance = random.Random(20_261_130)
    for number in range(COUNT):
        provider, model_id, fast = chance.choice(models)
        size = chance.choice([100, 60_000, 200_000, 300_000])
        short, long = (chance.choice([0, chance.randrange(size)]) for _ in range(2))
        yield {
            "line_no": number,
            "record_no": 0,
            "source_index": 0,
            "message_id": f"m{number}",
            "model": f"{provider} {model_id}",
            "occurred_at": BEGIN + timedelta(seconds=chance.randrange(700 * 86_400)),
            "speed": "fast" if fast and chance.random() < 0.5 else None,
            "input_tokens": chance.randrange(size),
            "output_tokens": chance.randrange(10_000),
            "cache_read_tokens": chance.choice([0, chance.randrange(size)]),
            "cache_write_tokens": short + long,
            "cache_write_5m_tokens": short,
            "cache_write_1h_tokens": long,
            "web_search_requests": chance.choice([0, 3]) if (provider, model_id) in searching else 0,
        }


def package_price(usage: dict[str, Any]) -> Decimal:
    provider, _, model_id = usage["model"].partition(" ")
    model = next(model for model in SNAPSHOT[provider].models if model.id == model_id)
    parts = ("cache_read_tokens", "cache_write_tokens", "cache_write_1h_tokens")
    counts = Usage(
        input_tokens=usage["input_tokens"] + usage["cache_read_tokens"] + usage["cache_write_tokens"],
        output_tokens=usage["output_tokens"],
        web_searches=usage["web_search_requests"],
        **{part: usage[part] for part in parts},
    )
    return model.calc_price(
        counts,
        SNAPSHOT[provider],
        genai_request_timestamp=usage["occurred_at"],
        price_context={"speed": usage["speed"]} if usage["speed"] else None,
    ).total_price


SNAPSHOT = {provider.id: provider for provider in get_snapshot().providers}


@pytest.mark.slow
def test_random_usages_cost_what_the_package_says(make_lake: MakeLake) -> None:
    rates = [rate for rate in package_rates() if rate.provider in PROVIDERS]
    models = token_models(rates)
    # A search without a known fee is free for the package and unpriced for us, so only models with a fee search.
    searching = {(provider, model_id) for provider, model_id, _ in models}
    searching -= {(rate.provider, rate.model_id) for rate in rates if rate.web_search is None}
    usages = list(random_usages(models, searching))
    aliases = [Alias(f"{provider} {model_id}", provider, model_id) for provider, model_id, _ in models]
    lake = make_lake({"token_usage": usages}, rates=rates, aliases=aliases)
    ours = {row["line_no"]: row["cost_usd"] for row in lake.ask("SELECT line_no, cost_usd FROM costs")}
    assert len(ours) == COUNT
    wrong = [usage for usage in usages if ours[usage["line_no"]] != package_price(usage)]
    assert wrong == []
    assert sum(usage["speed"] == "fast" for usage in usages) > 50


def test_the_package_agrees_with_the_worked_value() -> None:
    counts = Usage(input_tokens=150, output_tokens=1, cache_write_tokens=20, cache_read_tokens=30)
    assert calc_price(counts, "claude-fable-5", provider_id="anthropic").total_price == Decimal("0.00133")
