from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from tracelake.errors import LakeError
from tracelake.lake.layout import LakePaths
from tracelake.lake.prices import PriceTables, Rate
from tracelake.pricing.genai import OVERRIDES, alias_of, all_rates, package_rates, read_overrides, refresh

HEADER = (
    "provider,model_id,variant,valid_from,valid_to,over_input_tokens,upto_input_tokens,"
    "input,output,cache_read,cache_write_5m,cache_write_1h,web_search,source,reason\n"
)


@pytest.fixture(scope="module")
def rates() -> list[Rate]:
    return list(package_rates())


def of_model(rates: list[Rate], model_id: str, variant: str = "") -> list[Rate]:
    return [r for r in rates if (r.provider, r.model_id, r.variant) == ("anthropic", model_id, variant)]


def test_rates_of_a_model_with_one_price(rates: list[Rate]) -> None:
    # accounting.md 6: input 10, output 50, cache read 1, writes 12.5 and 20; searches 10 USD per thousand.
    (fable,) = of_model(rates, "claude-fable-5")
    assert (fable.input, fable.output, fable.cache_read) == (10, 50, 1)
    assert (fable.cache_write_5m, fable.cache_write_1h) == (Decimal("12.5"), 20)
    assert fable.web_search == 10_000
    assert (fable.valid_from, fable.valid_to, fable.over_input_tokens, fable.upto_input_tokens) == (None,) * 4


def test_windows_and_tiers(rates: list[Rate]) -> None:
    # opus-4-6 lost its tier above 200,000 tokens on 2026-03-13.
    found = [
        (r.valid_from, r.valid_to, r.over_input_tokens, r.upto_input_tokens, r.input, r.output)
        for r in of_model(rates, "claude-opus-4-6")
    ]
    change = date(2026, 3, 13)
    assert found == [
        (None, change, None, 200_000, 5, 25),
        (None, change, 200_000, None, 10, Decimal("37.5")),
        (change, None, None, None, 5, 25),
    ]


def test_only_models_with_a_fast_tariff_have_fast_rates(rates: list[Rate]) -> None:
    assert {r.model_id for r in rates if r.variant == "speed=fast"} == {
        "claude-opus-4-8",
        "claude-opus-5",
        "claude-opus-5-5",
        "claude-fable-5-2",
        "claude-mythos-5-2",
    }
    (standard,), (fast,) = of_model(rates, "claude-opus-4-8"), of_model(rates, "claude-opus-4-8", "speed=fast")
    assert (fast.input, fast.output) == (2 * standard.input, 2 * standard.output)
    assert fast.web_search == standard.web_search


def test_a_variant_has_rates_only_while_it_is_in_force(rates: list[Rate]) -> None:
    (batch,) = of_model(rates, "claude-fable-5", "processing=batch")
    assert (batch.valid_from, batch.input) == (date(2026, 10, 14), 5)


def test_a_part_without_a_price_is_billed_as_what_it_is_part_of(rates: list[Rate]) -> None:
    (old,) = of_model(rates, "claude-2")
    assert (old.input, old.cache_read, old.cache_write_5m, old.cache_write_1h) == (8, 8, 8, 8)


def test_one_rate_at_most_for_a_call(rates: list[Rate]) -> None:
    keys = Counter((r.provider, r.model_id, r.variant, r.valid_from, r.over_input_tokens) for r in rates)
    assert [key for key, count in keys.items() if count > 1] == []


def test_models_priced_by_the_time_of_day_are_left_out(rates: list[Rate]) -> None:
    assert not [r for r in rates if (r.provider, r.model_id) == ("deepseek", "deepseek-chat")]


@pytest.mark.parametrize(
    ("model", "provider", "model_id"),
    [
        ("claude-opus-4-6", "anthropic", "claude-opus-4-6"),
        ("Claude-Opus-4-6", "anthropic", "claude-opus-4-6"),
        ("claude-opus-5[1m]", "anthropic", "claude-opus-5"),
        ("claude-opus-4-8[1m]", "anthropic", "claude-opus-4-8"),
        ("claude-haiku-4-5-20251001", "anthropic", "claude-haiku-4-5"),
        ("claude-fable-5-20260101", "anthropic", "claude-fable-5"),
        ("anthropic/claude-opus-4.8", "anthropic", "claude-opus-4-8"),
        ("anthropic/claude-opus-4.6-fast", "openrouter", "anthropic/claude-opus-4.6-fast"),
        ("deepseek/deepseek-r1:free", "openrouter", "deepseek/deepseek-r1:free"),
        ("us.anthropic.claude-opus-4-6-v1:0", "aws", "regional.anthropic.claude-opus-4-6-v1:0"),
        ("global.anthropic.claude-opus-4-6-v1:0", "aws", "global.anthropic.claude-opus-4-6-v1:0"),
        ("anthropic.claude-opus-4-6-v1:0", "aws", "regional.anthropic.claude-opus-4-6-v1:0"),
        (
            "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-opus-4-6-v1:0",
            "aws",
            "regional.anthropic.claude-opus-4-6-v1:0",
        ),
        ("claude-opus-5-5@20261014", "google", "claude-opus-5-5"),
        ("claude-sonnet-4@20250514", "google", "claude-4-sonnet"),
        ("claude-sonnet-5@20260101", "anthropic", "claude-sonnet-5"),
        ("gpt-5.2-codex", "openai", "gpt-5.2"),
        ("gpt-5.2-20251211", "openai", "gpt-5.2"),
        ("o3", "openai", "o3"),
        ("gemini-2.5-pro", "google", "gemini-2.5-pro"),
    ],
)
def test_alias(model: str, provider: str, model_id: str) -> None:
    alias = alias_of(model)
    assert (alias.model, alias.provider, alias.price_model_id) == (model, provider, model_id)


@pytest.mark.parametrize("model", ["<synthetic>", "opus", "claude-opus-9", "gpt-6", "__proto__", "[1m]", "", "big-1"])
def test_an_unknown_model_belongs_to_nobody(model: str) -> None:
    assert (alias_of(model).provider, alias_of(model).price_model_id) == (None, None)


def test_every_alias_leads_to_rates(rates: list[Rate]) -> None:
    priced = {(r.provider, r.model_id) for r in rates}
    for model in (
        "claude-opus-4-6",
        "claude-sonnet-5@20260101",
        "us.anthropic.claude-opus-5",
        "gpt-5.4",
        "google/gemini-2.5-pro",
    ):
        alias = alias_of(model)
        assert (alias.provider, alias.price_model_id) in priced, model


def test_the_projects_own_overrides_are_well_formed() -> None:
    assert all(rate.reason and rate.source for rate in read_overrides(OVERRIDES))


def test_an_override_replaces_all_rows_of_its_variant(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(HEADER + "# a note\nanthropic,claude-opus-4-6,,2026-01-01,,,,1.5,2,,,,,price page,test\n")
    rates = list(all_rates(file))
    (found,) = of_model(rates, "claude-opus-4-6")
    assert (found.valid_from, found.input, found.cache_read, found.source) == (
        date(2026, 1, 1),
        Decimal("1.5"),
        None,
        "price page",
    )
    assert of_model(rates, "claude-opus-4-6", "processing=batch")


@pytest.mark.parametrize(
    "row",
    [
        "anthropic,claude-x,,,,,,dear,2,,,,,page,test",
        "anthropic,claude-x,,soon,,,,1,2,,,,,page,test",
        "anthropic,claude-x",
    ],
)
def test_a_malformed_override_is_one_clear_line(tmp_path: Path, row: str) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(HEADER + row + "\n")
    with pytest.raises(LakeError, match="malformed") as caught:
        read_overrides(file)
    assert "\n" not in str(caught.value)


def files_of(tables: PriceTables) -> dict[str, str]:
    return {table: one.name for table, one in tables.derived.items()}


def test_refresh_writes_once_and_again_for_new_models_only(tmp_path: Path) -> None:
    tables = PriceTables(LakePaths(tmp_path / "lake"))
    refresh(tables, ["claude-opus-4-6"])
    before = files_of(tables)
    written = {name: (tables.paths.segments / name).stat() for name in before.values()}
    assert {status.st_mode & 0o777 for status in written.values()} == {0o600}
    refresh(tables, ["claude-opus-4-6"])
    assert files_of(tables) == before
    assert [(tables.paths.segments / name).stat() for name in before.values()] == list(written.values())
    refresh(tables, ["nobody-knows"])
    assert files_of(tables)["price_rates"] == before["price_rates"]
    assert files_of(tables)["model_aliases"] != before["model_aliases"]
    assert tables.known_models() == {"claude-opus-4-6", "nobody-knows"}
    assert (tables.paths.segments / before["model_aliases"]).exists(), (
        "readers may still have the snapshot that it is of"
    )


def test_refresh_follows_a_change_of_the_overrides(tmp_path: Path) -> None:
    tables, file = PriceTables(LakePaths(tmp_path / "lake")), tmp_path / "mine.csv"
    file.write_text(HEADER)
    refresh(tables, ["claude-opus-4-6"], file)
    before = files_of(tables)["price_rates"]
    file.write_text(HEADER + "anthropic,claude-opus-4-6,speed=fast,,,,,30,150,,,,,price page,test\n")
    refresh(tables, ["claude-opus-4-6"], file)
    assert files_of(tables)["price_rates"] != before


@pytest.mark.parametrize("damage", [lambda file: file.unlink(), lambda file: file.write_bytes(b"x")])
def test_a_lost_table_of_aliases_is_made_again(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    tables = PriceTables(LakePaths(tmp_path / "lake"))
    refresh(tables, ["claude-opus-4-6", "nobody-knows"])
    damage(tables.paths.segments / files_of(tables)["model_aliases"])
    refresh(tables, ["claude-opus-4-6"])
    assert tables.known_models() == {"claude-opus-4-6"}


def test_an_up_to_date_lake_does_not_load_the_package(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib; from tracelake.pricing.genai import refresh\n"
        "from tracelake.lake.layout import LakePaths; from tracelake.lake.prices import PriceTables\n"
        f"paths = LakePaths(pathlib.Path({str(tmp_path)!r})); tables = PriceTables(paths)\n"
        "refresh(tables, ['claude-opus-4-6'])\n"
        "loaded = [name for name in sys.modules if name.split('.')[0] == 'genai_prices']\n"
        "assert loaded; [sys.modules.pop(name) for name in loaded]\n"
        "refresh(PriceTables(paths, tables.derived), ['claude-opus-4-6'])\n"
        "sys.exit('genai_prices' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
