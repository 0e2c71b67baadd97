"""The two price tables of a lake: their columns, and reading and writing them as Parquet.

`price_rates` is the flat rate table, `model_aliases` says which rates a model string has. Both are small, and are
loaded into the database file as real tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from tracelake.lake.durable import make_private_dir, replace_private, writing
from tracelake.lake.layout import LakePaths

STAMP = b"tracelake.prices"
"""Key of the Parquet metadata that says which prices a file was made from."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Rates of one model in one window, prompt size and variant, in USD per million tokens (micro-dollars a token)."""

    provider: str
    model_id: str
    variant: str
    valid_from: date | None
    valid_to: date | None
    over_input_tokens: int | None
    upto_input_tokens: int | None
    input: Decimal | None
    output: Decimal | None
    cache_read: Decimal | None
    cache_write_5m: Decimal | None
    cache_write_1h: Decimal | None
    web_search: Decimal | None
    source: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class Alias:
    """Where the rates of one model string are, and the model's one name.

    provider and price_model_id are None when nobody prices it.
    """

    model: str
    provider: str | None
    price_model_id: str | None
    model_id: str | None = None


TYPES: dict[str, str] = {
    "str": "VARCHAR",
    "date": "DATE",
    "int": "BIGINT",
    "Decimal": "DECIMAL(18,9)",
}
"""DuckDB types of the fields of `Rate` and `Alias`."""

PRICE_TABLES: dict[str, tuple[type, str]] = {
    "price_rates": (Rate, "Rates as loaded from prices/prices.parquet; the view prices shows them."),
    "model_aliases": (Alias, "Model string as transcripts write it, and where its rates are (NULL: nowhere)."),
}
"""Row class and sentence of each price table."""


def price_file(paths: LakePaths, table: str) -> Path:
    """Return the Parquet file of a price table."""
    return paths.prices / ("prices.parquet" if table == "price_rates" else "model_aliases.parquet")


def column_types(table: str) -> dict[str, str]:
    """Return the columns of a price table with their DuckDB types."""
    row_class, _ = PRICE_TABLES[table]
    return {field.name: TYPES[str(field.type).removesuffix(" | None")] for field in fields(row_class)}


def stamp_of(file: Path) -> str | None:
    """Return what a price file was made from; None where it is absent or unreadable."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_schema(file).metadata or {}
    except (OSError, pa.ArrowException):
        return None
    return metadata[STAMP].decode() if STAMP in metadata else None


def newest_rate(paths: LakePaths) -> date | None:
    """Return the latest day on which a rate of the lake begins: how new its prices are at least."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    file = price_file(paths, "price_rates")
    if not file.is_file():
        return None
    newest: date | None = pc.max(pq.read_table(file, columns=["valid_from"]).column(0)).as_py()
    return newest


def known_models(paths: LakePaths) -> set[str]:
    """Return the model strings that the alias file already answers for."""
    import pyarrow.parquet as pq

    return set(pq.read_table(price_file(paths, "model_aliases"), columns=["model"]).column(0).to_pylist())


def write_table(paths: LakePaths, table: str, rows: Sequence[Any], stamp: str) -> None:
    """Replace a price table's file atomically, mode 0600. Raises LakeWriteError."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = list(zip(*map(astuple, rows), strict=True)) or [()] * len(column_types(table))
    schema = pa.schema(
        [(name, _arrow_type(kind)) for name, kind in column_types(table).items()], metadata={STAMP: stamp.encode()}
    )
    arrays = [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), sink, compression="zstd")
    with writing(paths.prices):
        make_private_dir(paths.prices)
        replace_private(price_file(paths, table), sink.getvalue().to_pybytes())


def _arrow_type(kind: str) -> Any:
    import pyarrow as pa

    return {
        "VARCHAR": pa.string(),
        "DATE": pa.date32(),
        "BIGINT": pa.int64(),
        "DECIMAL(18,9)": pa.decimal128(18, 9),
    }[kind]
