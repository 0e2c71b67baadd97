"""One model of the price package -> flat rate rows.

The package resolves a price in code: the last window that has begun, per price key the first variant that fits, per
key a tier by the size of the whole prompt, and for a part without a price that of the part it belongs to. Here all
combinations are written out, so that a join finds the same rate.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

from tracelake.lake.prices import Rate

_KEYS = {
    "input": ("input_mtok",),
    "output": ("output_mtok",),
    "cache_read": ("cache_read_mtok", "input_mtok"),
    "cache_write_5m": ("cache_write_5m_mtok", "cache_write_mtok", "input_mtok"),
    "cache_write_1h": ("cache_write_1h_mtok", "cache_write_mtok", "input_mtok"),
}
"""Price keys that give each rate, the first that the model has."""

_NOT_BY_TOKEN = {"requests_kcount", "input_mchars", "output_reasoning_mtok", "output_citation_mtok"}
"""Price keys of models whose calls cost other than their plain tokens say."""

_STEP = Decimal("0.000000001")
_ALWAYS = datetime(1970, 1, 1, tzinfo=UTC)


def model_rates(provider_id: str, model: Any, source: str) -> Iterator[Rate]:
    """Yield the rates of a genai_prices ModelInfo: one per variant, window of time and prompt size.

    Nothing for a model priced by the time of day, or by more than tokens and web searches. A variant has rows only
    for the time it is in force.
    """
    if not _is_flat(model):
        return
    for context in _contexts(model):
        variant = ",".join(f"{key}={value}" for key, value in sorted(context.items()))
        for begin, end in _windows(model, context):
            moment = datetime.combine(begin, time(), UTC) if begin else _ALWAYS
            if context and not any(_in_force(part, context, moment) for part in model.price_variants):
                continue
            prices = model.get_prices(moment, context)
            for over, upto in _sizes(prices):
                rates = _rates(prices, 0 if over is None else over + 1)
                yield Rate(provider_id, model.id, variant, begin, end, over, upto, **rates, source=source, reason=None)


def _is_flat(model: Any) -> bool:
    windows = model.prices if isinstance(model.prices, list) else []
    lists = [window.prices for window in windows] or [model.prices]
    keys = {key for prices in lists for key, value in vars(prices).items() if value is not None}
    conditions = [part.constraint for part in (*windows, *(model.price_variants or ()))]
    by_date = all(condition is None or hasattr(condition, "start_date") for condition in conditions)
    return by_date and not keys & _NOT_BY_TOKEN and bool(keys & {"input_mtok", "output_mtok"})


def _contexts(model: Any) -> list[dict[str, str]]:
    """Return the standard tariff's empty context and each different condition of a variant."""
    contexts: list[dict[str, str]] = [{}]
    contexts += [part.when for part in model.price_variants or () if part.when not in contexts]
    return [context for number, context in enumerate(contexts) if context not in contexts[:number]]


def _windows(model: Any, context: dict[str, str]) -> list[tuple[date | None, date | None]]:
    """Return the spans between the days on which some price of the context changes; the outer ends are open."""
    parts = list(model.prices) if isinstance(model.prices, list) else []
    parts += [part for part in model.price_variants or () if part.when == context]
    days: list[date | None] = sorted({part.constraint.start_date for part in parts if part.constraint})
    return list(zip([None, *days], [*days, None], strict=True))


def _in_force(part: Any, context: dict[str, str], moment: datetime) -> bool:
    return part.when == context and (part.constraint is None or part.constraint.active(moment))


def _sizes(prices: Any) -> list[tuple[int | None, int | None]]:
    """Return the ranges of prompt size between which some rate changes: above, and up to with."""
    tiers = (tier.start for value in vars(prices).values() for tier in getattr(value, "tiers", ()))
    starts: list[int | None] = sorted(set(tiers))
    return list(zip([None, *starts], [*starts, None], strict=True))


def _rates(prices: Any, prompt: int) -> dict[str, Decimal | None]:
    rates = {name: _first(prices, keys, prompt) for name, keys in _KEYS.items()}
    searches = _first(prices, ("web_searches_kcount",), prompt)
    # USD for 1,000 searches, times 1,000, is micro-dollars for one.
    rates["web_search"] = None if searches is None else searches * 1000
    return {name: None if rate is None else rate.quantize(_STEP) for name, rate in rates.items()}


def _first(prices: Any, keys: tuple[str, ...], prompt: int) -> Decimal | None:
    value = next((value for key in keys if (value := vars(prices).get(key)) is not None), None)
    if value is None or isinstance(value, Decimal):
        return value
    reached = [tier.price for tier in value.tiers if prompt > tier.start]
    price: Decimal = reached[-1] if reached else value.base
    return price
