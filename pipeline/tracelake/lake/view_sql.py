"""The texts of the statements that make the database file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from tracelake.lake.layout import LakePaths
from tracelake.lake.model_files import Model, ModelColumn
from tracelake.schema import DUCKDB_TYPES, Column, Table
from tracelake.tables import TABLES


def quote_text(text: str) -> str:
    """Return a text as a SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def quote_name(name: str) -> str:
    """Return a name as a SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def typed_nulls(columns: Iterable[Column]) -> str:
    """Return a query with the columns' names and types and no rows."""
    typed = ", ".join(f'NULL::{DUCKDB_TYPES[column.type]} AS "{column.name}"' for column in columns)
    return f"SELECT {typed} WHERE false"


def segments_query(paths: LakePaths, table: str, bundles: Sequence[str], condition: str = "") -> str:
    """Return a query for the rows of some bundles (at least one) of a table, all stored columns.

    The list of files says once what they share: many whole paths take long to bind.
    """
    scan = _scan(paths, table, bundles, by_name=False)
    return f"SELECT {_stored_names(table)} FROM {scan} AS stored {condition}".rstrip()


def older_segments_query(paths: LakePaths, table: str, bundles: Sequence[str], condition: str = "") -> str:
    """Return the same for bundles that were written with other columns: what they lack is NULL."""
    scan = _scan(paths, table, bundles, by_name=True)
    both = f"({typed_nulls(TABLES[table].stored_columns)} UNION ALL BY NAME SELECT * FROM {scan})"
    return f"SELECT {_stored_names(table)} FROM {both} AS stored {condition}".rstrip()


def _stored_names(table: str) -> str:
    return ", ".join(f"stored.{quote_name(column.name)}" for column in TABLES[table].stored_columns)


def _scan(paths: LakePaths, table: str, bundles: Sequence[str], *, by_name: bool) -> str:
    folder = f"{paths.segments / table}/"
    files = (
        f"list_transform(string_split({quote_text('/'.join(bundles))}, '/'), "
        f"lambda name: {quote_text(folder)} || name || '.parquet')"
    )
    return f"read_parquet({files}, hive_partitioning = false, union_by_name = {str(by_name).lower()})"


class Holders(NamedTuple):
    """The bundles that hold rows of a table: wholly live, with dead parts, and written with other columns."""

    clean: list[str]
    mixed: list[str]
    older: list[str]


def stored_view(paths: LakePaths, table: Table, holders: Holders) -> str:
    """Return the view over the live rows of a table, all stored columns."""
    alive = "ANTI JOIN dead_parts USING (part_id)"
    queries = []
    if holders.clean:
        queries.append(segments_query(paths, table.name, holders.clean))
    if holders.mixed:
        queries.append(segments_query(paths, table.name, holders.mixed, alive))
    if holders.older:
        queries.append(older_segments_query(paths, table.name, holders.older, alive))
    rows = " UNION ALL ".join(queries) or typed_nulls(table.stored_columns)
    return f"CREATE OR REPLACE VIEW stored_{table.name} AS {rows}"


def table_view(table: Table, shaping: str | None) -> str:
    """Return the view that shows a table; `shaping` is the query that makes its columns out of the stored ones.

    Names are qualified: DuckDB takes a bare name for the parameter of that name when a macro reads the view.
    """
    columns = ", ".join(f"shown.{quote_name(column.name)}" for column in table.columns)
    rows = f"({shaping})" if shaping else f"stored_{table.name}"
    return f"CREATE VIEW {table.name} AS SELECT {columns} FROM {rows} AS shown"


def created_table(name: str, columns: dict[str, str]) -> str:
    """Return what makes an empty table that lies in the database file."""
    return f"CREATE TABLE {name} ({', '.join(f'{quote_name(column)} {kind}' for column, kind in columns.items())})"


def filled_table(name: str, file: Path) -> str:
    """Return what puts the rows of a Parquet file into such a table."""
    return f"INSERT INTO {name} BY NAME SELECT * FROM read_parquet({quote_text(str(file))}, hive_partitioning = false)"


def definition(model: Model) -> str:
    """Return what makes a view or macro."""
    if model.kind == "macro":
        return f"CREATE MACRO {model.name}{model.sql}"
    return f"CREATE VIEW {model.name} AS {model.sql}"


def model_comments(model: Model) -> str:
    """Return the comments of a view and its columns, or of a macro."""
    if model.kind == "view":
        return view_comments(model.name, model.grain, model.columns)
    kind = "MACRO TABLE" if " TABLE" in model.sql.upper().split("SELECT", 1)[0] else "MACRO"
    return f"COMMENT ON {kind} {model.name} IS {quote_text(model.grain)}"


def view_comments(name: str, grain: str, columns: Iterable[Column | ModelColumn]) -> str:
    """Return the comments of a view: its grain, and each column's sentence with its unit in brackets."""
    statements = [f"COMMENT ON VIEW {name} IS {quote_text(f'One row per {grain}.')};"]
    for column in columns:
        sentence = f"{column.doc} [{column.unit}]" if column.unit else column.doc
        statements.append(f'COMMENT ON COLUMN {name}."{column.name}" IS {quote_text(sentence)};')
    return "".join(statements)
