"""genai-prices as two flat tables: rates by provider, model, date, prompt size and variant, and model aliases.

The only module that imports genai_prices, and only when something must be computed: the import takes 0.3 s. SQL
over the rates prices a call exactly as the package does (`pipeline.flat_rates` says what is left out); what neither
it nor the project's override file has a price for stays unpriced.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.errors import LakeError
from pipeline.flat_rates import model_rates
from pipeline.lake.prices import Alias, Rate, column_types, known_models, price_file, stamp_of, write_table
from pipeline.model_names import billing_guesses, without_date

if TYPE_CHECKING:
    from pipeline.lake.layout import LakePaths

OVERRIDES = Path(__file__).parent / "prices" / "overrides.csv"
_READERS: dict[str, Callable[[str], Any]] = {
    "VARCHAR": str,
    "DATE": date.fromisoformat,
    "BIGINT": int,
    "DECIMAL(18,9)": Decimal,
}


def refresh(paths: LakePaths, models: Sequence[str], overrides: Path = OVERRIDES) -> None:
    """Bring the lake's price tables up to date for these model strings; do nothing when they are.

    `models` holds every string to be priced, those of advisor iterations too. Raises LakeWriteError, or LakeError
    when the override file is malformed.
    """
    stamp = price_stamp(overrides)
    if stamp_of(price_file(paths, "price_rates")) != stamp:
        write_table(paths, "price_rates", list(all_rates(overrides)), stamp)
    known = known_models(paths) if stamp_of(price_file(paths, "model_aliases")) == stamp else None
    wanted = (known or set()) | {model for model in models if model}
    if wanted != known:
        write_table(paths, "model_aliases", [alias_of(model) for model in sorted(wanted)], stamp)


def price_stamp(overrides: Path = OVERRIDES) -> str:
    """Return what prices are made from: the version of the package's snapshot and the hash of the overrides."""
    return f"{_package()}, overrides {sha256(overrides.read_bytes()).hexdigest()[:12]}"


def alias_of(model: str) -> Alias:
    """Return whose rates a model string has; provider and model_id are None when nobody prices it."""
    from genai_prices.data_snapshot import get_snapshot

    snapshot = get_snapshot()
    for provider_id, name in billing_guesses(model):
        for candidate in dict.fromkeys((name, without_date(name))):
            try:
                provider, found = snapshot.find_provider_model(candidate, None, provider_id, None)
            except LookupError:
                continue
            # Google and Azure hand on models of others that they have no price of their own for.
            sellers = [provider, *snapshot.providers]
            return Alias(model, next(seller.id for seller in sellers if found in seller.models), found.id)
    return Alias(model, None, None)


def all_rates(overrides: Path = OVERRIDES) -> Iterator[Rate]:
    """Yield every rate: the package's but for those that an override replaces, then the overrides."""
    replacing = read_overrides(overrides)
    replaced = {(rate.provider, rate.model_id, rate.variant) for rate in replacing}
    for rate in package_rates():
        if (rate.provider, rate.model_id, rate.variant) not in replaced:
            yield rate
    yield from replacing


def package_rates() -> Iterator[Rate]:
    """Yield the package's rates, one per provider, model, variant, window of time and prompt size."""
    from genai_prices.data_snapshot import get_snapshot

    for provider in get_snapshot().providers:
        for model in provider.models:
            yield from model_rates(provider.id, model, _package())


def read_overrides(file: Path = OVERRIDES) -> list[Rate]:
    """Return the rows of an override file (lines starting with # are notes). Raises LakeError on a malformed one."""
    with file.open(encoding="utf-8", newline="") as stream:
        lines = csv.DictReader(line for line in stream if not line.startswith("#"))
        try:
            return [_override(row) for row in lines]
        except (KeyError, TypeError, ValueError, InvalidOperation) as error:
            raise LakeError(f"{file}: row before line {lines.line_num + 1} is malformed: {error}") from error


def _override(row: dict[str, str]) -> Rate:
    values: dict[str, Any] = {
        name: _READERS[kind](row[name]) if row[name] or name == "variant" else None
        for name, kind in column_types("price_rates").items()
    }
    missing = [name for name in ("provider", "model_id", "source", "reason") if not values[name]]
    if missing:
        raise ValueError(f"no {', '.join(missing)}")
    return Rate(**values)


def _package() -> str:
    return f"genai-prices {version('genai-prices')}"
