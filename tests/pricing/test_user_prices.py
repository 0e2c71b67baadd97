"""Prices of the user's own: kept in the lake, before the package's and the project's, forgotten on request."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest
from tracelake.build import extract
from tracelake.errors import LakeError
from tracelake.lake.connect import open_lake
from tracelake.lake.layout import LakePaths
from tracelake.lake.prices import column_types
from tracelake.pricing.price_rows import read_overrides, user_prices

HEADER = ",".join(column_types("price_rates")) + "\n"
UNKNOWN = "anthropic,claude-nightjar-1,,,,,,4,20,,,,,price list,ours\n"
CHEAP = "anthropic,claude-opus-5,,,,,,1,2,,,,,contract,ours\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A session of two calls, 1000 in and 100 out each: opus and a model nobody prices."""
    file = tmp_path / "home" / "projects" / "-p" / "00000000-0000-4000-8000-000000000001.jsonl"
    file.parent.mkdir(parents=True)
    usage = {"input_tokens": 1000, "output_tokens": 100}
    lines = [
        {
            "type": "assistant",
            "uuid": name,
            "timestamp": "2026-09-01T10:00:00Z",
            "message": {"id": name, "model": name, "usage": usage},
        }
        for name in ("claude-opus-5", "claude-nightjar-1")
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path / "home"


def costs(home: Path, prices: str | None = None) -> list[Decimal | None]:
    """Extract and return the cost of opus and of the unknown model."""
    lake = home.parent / "lake"
    extract([home], lake, engine="serial", prices=prices)
    with open_lake(lake) as connection:
        return [usd for (usd,) in connection.sql("SELECT cost_usd FROM costs ORDER BY model DESC").fetchall()]


def test_own_prices_stay_until_they_are_forgotten(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(HEADER + "# ours\n" + UNKNOWN + CHEAP)
    assert costs(home) == [Decimal("0.0075"), None]  # 1000 * 5 + 100 * 25
    assert costs(home, str(file)) == [Decimal("0.0012"), Decimal("0.006")]  # 1000 + 200; 4000 + 2000
    file.unlink()
    assert costs(home) == [Decimal("0.0012"), Decimal("0.006")]
    assert costs(home, "none") == [Decimal("0.0075"), None]
    assert not user_prices(LakePaths(tmp_path / "lake")).exists()


def test_the_copy_in_the_lake_is_private(home: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text(HEADER + CHEAP)
    costs(home, str(tmp_path / "mine.csv"))
    assert user_prices(LakePaths(tmp_path / "lake")).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("model,price\nx,1\n", "missing: input, output"),
        ("model,input,output,price\nx,1,1,1\n", "unknown: price"),
        ("", "missing: model, input, output"),
        (HEADER + "anthropic,claude-x,,,,,,dear,2,,,,,page,test\n", "price row 1 is malformed"),
        (HEADER + CHEAP + "anthropic,claude-x,,,,,,-1,2,,,,,page,test\n", "price row 2 is malformed: -1 is no price"),
        (HEADER + "anthropic,claude-x,,,,,,NaN,2,,,,,page,test\n", "NaN is no price"),
        (HEADER + "anthropic,claude-x,,,,,,1e12,2,,,,,page,test\n", "1e12 is no price"),
        (HEADER + CHEAP + CHEAP, "two rows of anthropic claude-opus-5 hold for the same day and prompt size"),
        ("\udcff", "cannot be read as prices"),
    ],
)
def test_a_wrong_file_is_one_clear_line_and_no_lake(home: Path, tmp_path: Path, content: str, reason: str) -> None:
    file = tmp_path / "mine.csv"
    file.write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(LakeError) as caught:
        costs(home, str(file))
    assert reason in str(caught.value)
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "lake").exists()


def test_a_missing_file_is_one_clear_line(home: Path, tmp_path: Path) -> None:
    with pytest.raises(LakeError, match="cannot be read as prices"):
        costs(home, str(tmp_path / "nothing.csv"))


def test_rows_that_follow_each_other_are_no_overlap(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    rows = (
        "a,m,,,2026-01-01,,,1,2,,,,,page,test\n"
        "a,m,,2026-01-01,,,200000,1,2,,,,,page,test\n"
        "a,m,,2026-01-01,,200000,,3,4,,,,,page,test\n"
        "a,m,speed=fast,,,,,1,2,,,,,page,test\n"
    )
    file.write_text(HEADER + rows)
    assert len(read_overrides(file)) == 4


@pytest.mark.parametrize("name", ["claude-nightjar-1", "CLAUDE-NIGHTJAR-1[1m]", "anthropic/claude-nightjar-1"])
def test_three_columns_are_enough(home: Path, tmp_path: Path, name: str) -> None:
    """4 and 20 USD per million tokens, however the model is spelt: (1000 * 4 + 100 * 20) / 1e6."""
    file = tmp_path / "mine.csv"
    file.write_text(f"model,input,output\n{name},4,20\n")
    assert costs(home, str(file)) == [Decimal("0.0075"), Decimal("0.006")]


def test_a_plan_costs_nothing(home: Path, tmp_path: Path) -> None:
    """0 is a price: the call is priced and adds nothing, cache and searches included."""
    file = tmp_path / "mine.csv"
    file.write_text("model,input,output\nclaude-opus-5,0,0\n")
    assert costs(home, str(file)) == [Decimal(0), None]
    (rate,) = read_overrides(file)
    assert (rate.cache_read, rate.cache_write_5m, rate.cache_write_1h, rate.web_search) == (0, 0, 0, 0)


def test_cache_tokens_without_a_price_of_their_own_cost_what_input_costs(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("model,input,output,cache_read\nm,4,20,0.5\n")
    (rate,) = read_overrides(file)
    assert (rate.cache_read, rate.cache_write_5m, rate.web_search) == (Decimal("0.5"), Decimal(4), None)
