"""Declared columns -> Arrow types, schemas and arrays."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import pyarrow as pa
from msgspec.structs import astuple

from tracelake.schema import Table
from tracelake.tables import TABLES

_ITERATION = pa.struct(
    [("type", pa.string()), ("model", pa.string())]
    + [
        (name, pa.int64())
        for name in (
            "input_tokens",
            "output_tokens",
            "cache_read_tokens",
            "cache_write_tokens",
            "cache_write_5m_tokens",
            "cache_write_1h_tokens",
        )
    ]
)
_TYPES: dict[str, pa.DataType] = {
    "string": pa.string(),
    "int64": pa.int64(),
    "int32": pa.int32(),
    "bool": pa.bool_(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "binary": pa.binary(),
    "decimal": pa.decimal128(18, 9),
    "list<string>": pa.list_(pa.string()),
    "iterations": pa.list_(_ITERATION),
}


def arrow_type(name: str) -> pa.DataType:
    """Return the Arrow type of a declared type name."""
    return _TYPES[name]


@lru_cache(maxsize=64)
def arrow_schema(table: str) -> pa.Schema:
    """Return the Arrow schema of a table, columns in stored order."""
    return pa.schema([(column.name, _TYPES[column.type]) for column in TABLES[table].columns])


def record_batch(table: Table, rows: Sequence[Any], constants: Sequence[str | list[str]]) -> pa.RecordBatch:
    """Return rows as a batch; `constants` are the values of the file constants, one each or one per row.

    Timestamps in rows are microseconds since 1970 in UTC.
    """
    arrays = [_constant(value, len(rows)) for value in constants]
    columns = zip(*map(astuple, rows), strict=True)
    for column, values in zip(table.own_columns, columns, strict=True):
        arrays.append(_array(values, column.type))
    return pa.RecordBatch.from_arrays(arrays, schema=arrow_schema(table.name))


def _constant(value: str | list[str], size: int) -> pa.Array:
    if isinstance(value, list):
        return pa.array(value, pa.string())
    return pa.repeat(pa.scalar(value, pa.string()), size)


def _array(values: tuple[Any, ...], type_name: str) -> pa.Array:
    if values[0] is None and values.count(None) == len(values):
        return pa.nulls(len(values), _TYPES[type_name])
    if type_name == "timestamp":
        return pa.array(values, pa.int64()).view(_TYPES["timestamp"])
    return pa.array(values, _TYPES[type_name])
