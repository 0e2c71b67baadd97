"""Prices written by hand: the project's override file and a user's own, as CSV.

Both have the columns of the flat rate table. All rows of a (provider, model_id, variant) replace the package's rows
of the same three, a user's also those of the project.
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


def _require_columns(file: Path, found: Iterable[str]) -> None:
    missing = [name for name in column_types("price_rates") if name not in set(found)]
    if missing:
        raise LakeError(f"{file}: no prices; the first line must name the columns, missing: {', '.join(missing)}")


def _rate(row: dict[str, str]) -> Rate:
    values: dict[str, Any] = {
        name: _value(kind, row[name]) if row[name] or name == "variant" else None
        for name, kind in column_types("price_rates").items()
    }
    missing = [name for name in ("provider", "model_id", "source", "reason") if not values[name]]
    if missing:
        raise ValueError(f"no {', '.join(missing)}")
    return Rate(**values)


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
