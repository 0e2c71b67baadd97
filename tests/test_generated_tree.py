"""A generated tree costs what its generator says: forks, partial outputs, agents, workflows, advisors, fallbacks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tracelake.build import extract
from tracelake.lake.connect import open_lake

from tests.generated_tree import UNKNOWN, Tree, generate, write


@pytest.fixture(scope="module", params=[1, 2026])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Tree, Any]]:
    """The tree and a connection to the lake made of it."""
    folder = tmp_path_factory.mktemp("generated")
    tree = generate(request.param)
    write(tree, folder / "home")
    extract([folder / "home"], folder / "lake", engine="serial")
    with open_lake(folder / "lake") as connection:
        yield tree, connection


def test_the_total_and_every_model_to_the_last_digit(made: tuple[Tree, Any]) -> None:
    tree, lake = made
    found = lake.sql("SELECT model, sum(cost_usd) FROM costs WHERE priced GROUP BY model").fetchall()
    assert dict(found) == dict(tree.usd)
    assert lake.sql("SELECT sum(cost_usd) FROM costs").fetchall() == [(sum(tree.usd.values()),)]
    assert sum(tree.usd.values()) > 1


def test_calls_are_counted_once_and_the_unknown_stay_unpriced(made: tuple[Tree, Any]) -> None:
    tree, lake = made
    assert lake.sql("SELECT count(*) FROM usage WHERE is_api_call").fetchall() == [(tree.calls,)]
    unpriced = "SELECT count(*), min(model), max(cost_usd) FROM costs WHERE is_api_call AND NOT priced"
    assert lake.sql(unpriced).fetchall() == [(tree.unpriced, UNKNOWN, None)]


def test_declined_attempts_are_money_apart(made: tuple[Tree, Any]) -> None:
    tree, lake = made
    found = lake.sql("SELECT count(*), sum(declined_cost_usd), sum(net_cost_usd) FROM fallback_costs").fetchall()
    assert found == [(tree.hops, tree.declined_usd, tree.net_usd)]
    assert tree.hops == 18
    assert lake.sql("SELECT count(*) FROM fallback_hops WHERE is_copy").fetchall() == [(6,)]  # of the two forks


def test_views_of_the_same_money_agree(made: tuple[Tree, Any]) -> None:
    tree, lake = made
    for view in (
        "cost_daily",
        "cost_by_model",
        "cost_by_session",
        "cost_by_project",
        "sessions",
        "daily_usage",
        "usage_blocks",
    ):
        assert lake.sql(f"SELECT sum(cost_usd) FROM {view}").fetchall() == [(sum(tree.usd.values()),)], view
