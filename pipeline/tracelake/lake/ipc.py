"""Arrow tables out of the program: as an IPC stream, or made of rows that no query gave."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, BinaryIO

import pyarrow as pa

from tracelake.errors import UsageError


def write_stream(table: pa.Table, out: BinaryIO) -> None:
    """Write a table as one Arrow IPC stream. Raises OSError as `out` does."""
    with pa.ipc.new_stream(pa.PythonFile(out, mode="w"), table.schema) as stream:
        stream.write_table(table)


def table_of(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> pa.Table:
    """Return rows as a table; the type of a column is that of its values, text where they do not agree.

    Raises UsageError for values that Arrow cannot hold.
    """
    values: list[list[Any]] = [[] for _ in names]
    for row in rows:
        for column, value in zip(values, row, strict=True):
            column.append(value)
    return pa.table([_array(column) for column in values], names=list(names))


def _array(values: list[Any]) -> pa.Array:
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if value is None else str(value) for value in values], pa.string())
    except (pa.ArrowException, OverflowError) as error:
        raise UsageError(f"this answer cannot be written as arrow: {error}") from error
