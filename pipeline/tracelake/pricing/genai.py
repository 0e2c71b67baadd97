"""genai-prices as two flat tables: rates by provider, model, date, prompt size and variant, and model aliases.

The only module that imports genai_prices, and only when something must be computed: the import takes 0.3 s. SQL
over the rates prices a call exactly as the package does (`flat_rates.py` says what is left out); what neither it nor
the project's override file has a price for stays unpriced.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from tracelake.lake.prices import Alias, PriceTables, Rate
from tracelake.pricing.flat_rates import model_rates
from tracelake.pricing.model_names import billing_guesses, canonical_name, plain_name, without_date
from tracelake.pricing.price_rows import ANY_PROVIDER, read_overrides, user_prices

if TYPE_CHECKING:
    from tracelake.lake.layout import LakePaths

OVERRIDES = Path(__file__).with_name("overrides.csv")


def refresh(tables: PriceTables, models: Sequence[str], overrides: Path = OVERRIDES) -> None:
    """Bring the price tables of a lake up to date for these model strings; do nothing when they are.

    `models` holds every string to be priced, those of advisor iterations too. Raises LakeWriteError, or LakeError
    when the override file is malformed.
    """
    own_prices = user_prices(tables.paths)
    stamp = lake_stamp(tables.paths, price_stamp(overrides))
    files = [file for file in (overrides, own_prices) if file.exists()]
    if tables.stamp("price_rates") != stamp:
        tables.write("price_rates", list(all_rates(*files)), stamp)
    known = tables.known_models() if tables.stamp("model_aliases") == stamp else None
    wanted = (known or set()) | {model for model in models if model}
    if wanted != known:
        own = [rate for file in files for rate in read_overrides(file)]
        tables.write("model_aliases", [alias_of(model, own) for model in sorted(wanted)], stamp)


def lake_stamp(paths: LakePaths, stamp: str | None = None) -> str:
    """Return what a lake's prices are made from: `stamp` (default: `price_stamp()`) and the user's own file."""
    own = user_prices(paths)
    mark = f", your prices {sha256(own.read_bytes()).hexdigest()[:12]}" if own.exists() else ""
    return (stamp or price_stamp()) + mark


def price_stamp(overrides: Path = OVERRIDES) -> str:
    """Return what prices are made from: the version of the package's snapshot and the hash of the overrides."""
    return f"{_package()}, overrides {sha256(overrides.read_bytes()).hexdigest()[:12]}"


def alias_of(model: str, own: Sequence[Rate] = ()) -> Alias:
    """Return whose rates a model string has, and its one name; nobody's when nobody prices it.

    A model that `own` prices under exactly this name (a date at its end aside) is taken from there. A row without a
    provider holds for the model whoever bills it and however it is spelt.
    """
    provider, price_model_id = _own_price(model, own) or _package_price(model)
    return Alias(model, provider, price_model_id, model_id_of(model))


def model_id_of(model: str) -> str:
    """Return the one name of a model: as the price package calls it where its maker's list has it."""
    from genai_prices.data_snapshot import get_snapshot

    name = canonical_name(model)
    if not name.startswith("claude"):
        return name
    try:
        return get_snapshot().find_provider_model(name, None, "anthropic", None)[1].id.removesuffix("-latest")
    except LookupError:
        return name


def _own_price(model: str, own: Sequence[Rate]) -> tuple[str, str] | None:
    wanted = canonical_name(model)
    for rate in own:
        if rate.provider == ANY_PROVIDER and plain_name(rate.model_id) == plain_name(model):
            return rate.provider, rate.model_id
    for rate in own:
        if rate.provider == ANY_PROVIDER and canonical_name(rate.model_id) == wanted:
            return rate.provider, rate.model_id
    for provider_id, name in billing_guesses(model):
        for rate in own:
            if rate.model_id in (name, without_date(name)) and provider_id in (None, rate.provider):
                return rate.provider, rate.model_id
    return None


def _package_price(model: str) -> tuple[str | None, str | None]:
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
            return next(seller.id for seller in sellers if found in seller.models), found.id
    return None, None


def all_rates(*files: Path) -> Iterator[Rate]:
    """Yield every rate: the package's, then those of each file, each replacing what came before it.

    Without any file that of the project is meant.
    """
    layers = [list(package_rates()), *map(read_overrides, files or (OVERRIDES,))]
    for number, layer in enumerate(layers):
        replaced = {_tariff(rate) for later in layers[number + 1 :] for rate in later}
        yield from (rate for rate in layer if _tariff(rate) not in replaced)


def _tariff(rate: Rate) -> tuple[str, str, str]:
    return rate.provider, rate.model_id, rate.variant


def package_rates() -> Iterator[Rate]:
    """Yield the package's rates, one per provider, model, variant, window of time and prompt size."""
    from genai_prices.data_snapshot import get_snapshot

    for provider in get_snapshot().providers:
        for model in provider.models:
            yield from model_rates(provider.id, model, _package())


@cache
def _package() -> str:
    return f"genai-prices {version('genai-prices')}"
