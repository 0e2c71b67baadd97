"""Table and Column: every column of the lake is declared once, with a sentence.

A table is stored in segments and shown by a view of the same name. Most columns are both stored and shown. Some are
stored only (`hidden`: what ties rows together), some are shown only (`computed`: the view makes them out of others, so
that no text is stored twice).

The Arrow schema, the empty typed fallback of a view, the comments in the database file, the data
dictionary and the row classes (`make rows`) all derive from these declarations. This module imports no data
library, so `tracelake schema` starts fast; `tracelake.lake.arrow` turns the type names into Arrow types.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Literal

TypeName = Literal["string", "int64", "int32", "bool", "timestamp", "binary", "decimal", "list<string>", "iterations"]

DUCKDB_TYPES: dict[str, str] = {
    "string": "VARCHAR",
    "int64": "BIGINT",
    "int32": "INTEGER",
    "bool": "BOOLEAN",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
    "binary": "BLOB",
    "decimal": "DECIMAL(18,9)",
    "list<string>": "VARCHAR[]",
    "iterations": (
        "STRUCT(type VARCHAR, model VARCHAR, input_tokens BIGINT, output_tokens BIGINT, "
        "cache_read_tokens BIGINT, cache_write_tokens BIGINT, cache_write_5m_tokens BIGINT, "
        "cache_write_1h_tokens BIGINT)[]"
    ),
}
"""How each type name is written in DuckDB."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, type, one sentence, unit and source rule."""

    name: str
    type: TypeName
    doc: str
    unit: str = ""
    source: str = ""
    few_values: bool = False
    """True for low-cardinality columns, which are dictionary-encoded on disk."""
    hidden: bool = False
    """True for columns that are stored but not shown by the view."""
    computed: bool = False
    """True for columns that the view shows but no segment stores."""
    required: bool = False
    """True for columns that every row is made with; in the others a row begins with NULL."""


FILE_CONSTANTS = (
    Column("session_id", "string", "Session the row belongs to; also the partition key.", few_values=True),
    Column("agent", "string", "Program that wrote the file: claude, codex or pi.", few_values=True),
    Column("path", "string", "Absolute path of the file as read.", few_values=True),
    Column("part_id", "int64", "Part that the row belongs to: one reading of one file.", hidden=True),
)
"""Columns that are the same for all rows of one reading of a source file; every table starts with them."""


@dataclass(frozen=True)
class Table:
    """One table: its name, grain and columns (the file constants are added in front)."""

    name: str
    grain: str
    own_columns: tuple[Column, ...]

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns that the table's view shows, in order."""
        return tuple(column for column in FILE_CONSTANTS + self.own_columns if not column.hidden)

    @cached_property
    def stored_columns(self) -> tuple[Column, ...]:
        """The columns that segments hold, in order; the file constants come first."""
        return FILE_CONSTANTS + self.row_columns

    @cached_property
    def row_columns(self) -> tuple[Column, ...]:
        """The stored columns that rows give values for: all but the file constants."""
        return tuple(column for column in self.own_columns if not column.computed)


def schema_stamp(tables: Iterable[Table]) -> str:
    """Return a short hash of the stored columns of tables: segments with another one are of another tracelake."""
    text = ";".join(f"{table.name}:{column.name}:{column.type}" for table in tables for column in table.stored_columns)
    return sha256(text.encode()).hexdigest()[:16]
