"""The two price tables of a lake: their columns, and reading and writing them as files of a snapshot.

`price_rates` is the flat rate table, `model_aliases` says which rates a model string has. Both are small, and are
loaded into the database file as real tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from datetime import date
from decimal import Decimal
from typing import Any

from tracelake.lake.derived import store_derived
from tracelake.lake.durable import writing
from tracelake.lake.layout import LakePaths
from tracelake.lake.manifest import Derived


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
    "price_rates": (Rate, "Rates that the lake was given; the view prices shows them."),
    "model_aliases": (Alias, "Model string as transcripts write it, and where its rates are (NULL: nowhere)."),
}
"""Row class and sentence of each price table."""


def column_types(table: str) -> dict[str, str]:
    """Return the columns of a price table with their DuckDB types."""
    row_class, _ = PRICE_TABLES[table]
    return {field.name: TYPES[str(field.type).removesuffix(" | None")] for field in fields(row_class)}


class PriceTables:
    """The price tables of a snapshot, and those that a run makes in their place."""

    def __init__(self, paths: LakePaths, derived: Mapping[str, Derived] | None = None) -> None:
        """Start from what the manifest says; `derived` is changed with every table that is written."""
        self.paths = paths
        self.derived = dict(derived or {})

    def stamp(self, table: str) -> str | None:
        """Return what a table was made from; None where there is none."""
        one = self.derived.get(table)
        return None if one is None else one.stamp

    def known_models(self) -> set[str]:
        """Return the model strings that the aliases already answer for; none where their file is lost or damaged."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        one = self.derived.get("model_aliases")
        if one is None:
            return set()
        try:
            column = pq.read_table(self.paths.segments / one.name, columns=["model"]).column(0)
        except (OSError, pa.ArrowException):
            return set()
        return set(column.to_pylist())

    def write(self, table: str, rows: Sequence[Any], stamp: str) -> None:
        """Put a table in the place of the present one. Raises LakeWriteError."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns = list(zip(*map(astuple, rows), strict=True)) or [()] * len(column_types(table))
        schema = pa.schema([(name, _arrow_type(kind)) for name, kind in column_types(table).items()])
        arrays = [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
        sink = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_arrays(arrays, schema=schema), sink, compression="zstd")
        with writing(self.paths.segments):
            content = sink.getvalue().to_pybytes()
            self.derived[table] = store_derived(self.paths, "_prices", table, content, len(rows), stamp)


def _arrow_type(kind: str) -> Any:
    import pyarrow as pa

    return {
        "VARCHAR": pa.string(),
        "DATE": pa.date32(),
        "BIGINT": pa.int64(),
        "DECIMAL(18,9)": pa.decimal128(18, 9),
    }[kind]
