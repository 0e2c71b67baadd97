"""Tokens and money over two real trees equal what an independent program reports (expected_usage.json)."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest


@pytest.fixture(scope="session")
def expected(real_data):
    path = real_data.parent / "expected_usage.json"
    if not path.exists():
        pytest.skip("no expected_usage.json beside the real data")
    return json.loads(path.read_text())


@pytest.mark.parametrize("tree", ["erk", "packmind"])
def test_tokens_and_cost_by_model(real, real_data, expected, tree):
    rows = real(
        "SELECT model, sum(input_tokens)::BIGINT, sum(output_tokens)::BIGINT, sum(cache_write_tokens)::BIGINT,"
        " sum(cache_read_tokens)::BIGINT FROM usage WHERE is_api_call AND starts_with(path, ?) GROUP BY model",
        f"{real_data}/{tree}/",
    )
    names = ("inputTokens", "outputTokens", "cacheCreationTokens", "cacheReadTokens")
    by_model = expected[tree]["by_model"]
    assert {row[0]: row[1:] for row in rows} == {m: tuple(e[name] for name in names) for m, e in by_model.items()}
    costs = real(
        "SELECT model, sum(cost_usd) FROM costs WHERE priced AND starts_with(path, ?) GROUP BY model",
        f"{real_data}/{tree}/",
    )
    for model, cost in costs:
        assert abs(cost - Decimal(by_model[model]["cost"])) < Decimal("0.005"), model
    assert len(costs) == len(by_model)


def test_every_figure_of_the_programs_themselves_agrees_or_is_explained(real):
    rows = real("SELECT explained_by, count(*) FROM cost_reconciliation GROUP BY ALL")
    assert sum(count for _, count in rows) > 20
    assert "unexplained" not in dict(rows)
