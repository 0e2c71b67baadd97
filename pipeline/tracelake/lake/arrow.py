"""Declared columns -> Arrow types, schemas and arrays."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from struct import pack
from typing import Any, NamedTuple

import pyarrow as pa
from msgspec.structs import astuple

from tracelake.schema import Table
from tracelake.tables import TABLES

FILE_TEXTS = ("session_id", "agent", "path")
"""The file constants that are texts."""

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


_PER_FILE = pa.dictionary(pa.int32(), pa.string())
"""Type of the file constants: one value for all rows of a file, so the rows hold only its number."""


class FileKey(NamedTuple):
    """The file constants of one reading of a file: what all of its rows share, in the order they are stored."""

    session_id: str
    agent: str
    path: str
    part_id: int


Run = tuple[FileKey, int]
"""So many rows in a row are of this file."""


def arrow_type(name: str) -> pa.DataType:
    """Return the Arrow type of a declared type name."""
    return _TYPES[name]


@lru_cache(maxsize=64)
def arrow_schema(table: str) -> pa.Schema:
    """Return the Arrow schema of a table, columns as segments store them."""
    constants = dict.fromkeys(FILE_TEXTS, _PER_FILE)
    columns = TABLES[table].stored_columns
    return pa.schema([(column.name, constants.get(column.name, _TYPES[column.type])) for column in columns])


def record_batch(table: Table, rows: Sequence[Any], runs: Sequence[Run]) -> pa.RecordBatch:
    """Return rows as a batch; `runs` say which of them are of which file, and count `len(rows)` rows together.

    Timestamps in rows are microseconds since 1970 in UTC.
    """
    arrays = _constants(runs, len(rows))
    columns = zip(*map(astuple, rows), strict=True)
    for column, values in zip(table.own_columns, columns, strict=True):
        if not column.computed:
            arrays.append(_array(values, column.type))
    return pa.RecordBatch.from_arrays(arrays, schema=arrow_schema(table.name))


def _constants(runs: Sequence[Run], size: int) -> list[pa.Array]:
    numbers = b"".join(pack("=i", number) * count for number, (_, count) in enumerate(runs))
    indices = pa.Array.from_buffers(pa.int32(), size, [None, pa.py_buffer(numbers)])
    keys = [key for key, _ in runs]
    texts = ([key.session_id for key in keys], [key.agent for key in keys], [key.path for key in keys])
    arrays = [_repeated(indices, values) for values in texts]
    part_ids = b"".join(pack("=q", key.part_id) * count for key, count in runs)
    return [*arrays, pa.Array.from_buffers(pa.int64(), size, [None, pa.py_buffer(part_ids)])]


def _repeated(indices: pa.Array, values: list[str]) -> pa.DictionaryArray:
    if len(set(values)) == len(values):
        return pa.DictionaryArray.from_arrays(indices, pa.array(values, pa.string()))
    once = {value: number for number, value in enumerate(dict.fromkeys(values))}
    renumbered = pa.array([once[value] for value in values], pa.int32()).take(indices)
    return pa.DictionaryArray.from_arrays(renumbered, pa.array(list(once), pa.string()))


def _array(values: tuple[Any, ...], type_name: str) -> pa.Array:
    if values[0] is None and values.count(None) == len(values):
        return pa.nulls(len(values), _TYPES[type_name])
    if type_name == "timestamp":
        return pa.array(values, pa.int64()).view(_TYPES["timestamp"])
    return pa.array(values, _TYPES[type_name])
