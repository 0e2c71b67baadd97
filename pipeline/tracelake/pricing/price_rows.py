"""Prices written by hand: the project's override file and a user's own, as CSV.

Both have columns of the flat rate table. All rows of a (provider, model_id, variant) replace the package's rows
of the same three, a user's also those of the project. A user's file needs no more than three columns: model (or
model_id), input and output, in USD per million tokens, 0 for what a plan covers; cache reads and writes without a
price cost what input costs, as in the price package.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import date
from decimal import Decimal, InvalidOperation
from itertools import combinations
from pathlib import Path
from typing import Any

from tracelake.errors import LakeError
from tracelake.lake.durable import make_private_dir, reason_of, replace_private, writing
from tracelake.lake.layout import LakePaths
from tracelake.lake.prices import Rate, column_types

ANY_PROVIDER = "your prices"
"""Provider of a user's row that names none: it holds for the model whoever bills it."""
NO_PRICES = "none"
"""What stands for "no prices of my own" where a file is asked for."""

_DEAREST = 10**9
_NUMBERS: dict[str, Callable[[str], Any]] = {"VARCHAR": str, "DATE": date.fromisoformat, "BIGINT": int}


def user_prices(paths: LakePaths) -> Path:
    """Return where a lake keeps the prices its user gave; the file need not exist."""
    return paths.prices / "user.csv"


def keep_user_prices(paths: LakePaths, given: str) -> None:
    """Keep a copy of the price file `given` in the lake, or forget the one there where `given` is `none`.

    Raises LakeError for a file that cannot be used, LakeWriteError when the lake cannot be written.
    """
    kept = user_prices(paths)
    with writing(kept):
        if given == NO_PRICES:
            kept.unlink(missing_ok=True)
            return
        read_overrides(Path(given).expanduser())
        make_private_dir(paths.prices)
        replace_private(kept, Path(given).expanduser().read_bytes())


def check_user_prices(given: str) -> None:
    """Raise LakeError, one line, where `given` is neither `none` nor a price file that can be used."""
    if given != NO_PRICES:
        read_overrides(Path(given).expanduser())


def read_overrides(file: Path) -> list[Rate]:
    """Return the rows of a price file; lines starting with # are notes. Raises LakeError on a malformed one."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise LakeError(f"{file}: cannot be read as prices: {reason_of(error)}") from error
    except UnicodeDecodeError as error:
        raise LakeError(f"{file}: cannot be read as prices: not UTF-8 text") from error
    lines = csv.DictReader(line for line in text.splitlines() if line.strip() and not line.startswith("#"))
    _require_columns(file, lines.fieldnames or ())
    try:
        rates = [_rate(row) for row in lines]
    except (TypeError, ValueError, InvalidOperation, csv.Error) as error:
        raise LakeError(f"{file}: price row {lines.line_num - 1} is malformed: {error}") from error
    _refuse_overlaps(file, rates)
    return rates


_SIMPLE = ("model", "input", "output")
"""The columns that are enough."""


def _require_columns(file: Path, found: Iterable[str]) -> None:
    columns = {"model" if name == "model_id" else name for name in found}
    missing = [name for name in _SIMPLE if name not in columns]
    unknown = sorted(columns - {"model", *column_types("price_rates")})
    if missing or unknown:
        wrong = f"missing: {', '.join(missing)}" if missing else f"unknown: {', '.join(map(str, unknown))}"
        wanted = f"{', '.join(_SIMPLE)} (USD per million tokens), and any of those `tracelake schema prices` shows"
        raise LakeError(f"{file}: no prices; its first line must name the columns {wanted}; {wrong}")


def _rate(row: dict[str, str]) -> Rate:
    given = {"model_id": row.pop("model", ""), **{name: text for name, text in row.items() if text}}
    values: dict[str, Any] = {
        name: _value(kind, given[name]) if given.get(name) else None
        for name, kind in column_types("price_rates").items()
    }
    missing = [name for name in ("model_id", "input", "output") if values[name] is None or values[name] == ""]
    if missing:
        raise ValueError(f"no {', '.join(missing)}")
    if not values["provider"]:
        _fill_simple(values)
    values["variant"] = values["variant"] or ""
    values["source"] = values["source"] or ANY_PROVIDER
    return Rate(**values)


def _fill_simple(values: dict[str, Any]) -> None:
    """Fill in what a row without a provider leaves open."""
    values["provider"] = ANY_PROVIDER
    for name in ("cache_read", "cache_write_5m", "cache_write_1h"):
        values[name] = values["input"] if values[name] is None else values[name]
    if values["web_search"] is None and not values["input"] and not values["output"]:
        values["web_search"] = values["input"]


def _value(kind: str, text: str) -> Any:
    if kind in _NUMBERS:
        return _NUMBERS[kind](text)
    price = Decimal(text)
    if not price.is_finite() or not 0 <= price < _DEAREST:
        raise ValueError(f"{text} is no price")
    return price.quantize(Decimal("0.000000001"))


def _refuse_overlaps(file: Path, rates: Iterable[Rate]) -> None:
    """Refuse two rows that could price the same call: it would be counted twice."""
    groups: dict[tuple[str, str, str], list[Rate]] = defaultdict(list)
    for rate in rates:
        groups[rate.provider, rate.model_id, rate.variant].append(rate)
    for key, group in groups.items():
        for one, other in combinations(group, 2):
            if _meet(one, other):
                raise LakeError(f"{file}: two rows of {' '.join(key).strip()} hold for the same day and prompt size")


def _meet(one: Rate, other: Rate) -> bool:
    begin = max(one.valid_from or date.min, other.valid_from or date.min)
    end = min(one.valid_to or date.max, other.valid_to or date.max)
    over = max(one.over_input_tokens or -1, other.over_input_tokens or -1)
    upto = min(rate.upto_input_tokens or 2**63 for rate in (one, other))
    return begin < end and over < upto
