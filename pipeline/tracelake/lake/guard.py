"""What SQL may run: one SELECT that writes nothing, however it is wrapped.

The statement type alone is not enough. In DuckDB 2.0 a WITH clause may hold COPY or INSERT and is still a SELECT, and
`json_execute_serialized_sql` and `query` run a text of their own. So the parsed tree is looked at: its nodes must be
plain queries, its table functions known to only read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tracelake.errors import QueryError
from tracelake.lake.model_files import load_models

if TYPE_CHECKING:
    import duckdb

_QUERY_NODES = {"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"}
_READERS = re.compile(
    r"range|generate_series|unnest|repeat|repeat_row|json_each|json_tree|glob|sniff_csv|summary|query_table"
    r"|(?:read|parquet|duckdb|pragma|icu|pg)_\w+"
)


def require_select(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Raise QueryError unless the text is exactly one SELECT that only reads; a DuckDB error when it does not parse."""
    import duckdb

    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        raise QueryError(f"exactly one SELECT can run, this text has {len(statements)} statements")
    if statements[0].type != duckdb.StatementType.SELECT:
        raise QueryError(f"only a SELECT can run, this is {statements[0].type.name}")
    for node in _walk(_parse(connection, sql)):
        _check(node)


def _parse(connection: duckdb.DuckDBPyConnection, sql: str) -> Any:
    (row,) = connection.execute("SELECT json_serialize_sql(?)", [sql]).fetchall()
    try:
        tree = json.loads(row[0])
    except RecursionError as error:
        raise QueryError("the query is nested too deeply") from error
    if tree["error"]:
        raise QueryError("only a plain SELECT can run (PIVOT cannot: use FILTER and GROUP BY)")
    return tree


def _walk(tree: Any) -> Iterator[dict[str, Any]]:
    """Yield every object of a JSON tree."""
    waiting = [tree]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield value
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)


def _check(node: dict[str, Any]) -> None:
    kind = node.get("type")
    if isinstance(kind, str) and kind.endswith("_NODE") and kind not in _QUERY_NODES:
        raise QueryError(f"only a SELECT can run, this one holds {kind.removesuffix('_NODE').removesuffix('_QUERY')}")
    if kind == "TABLE_FUNCTION":
        name = str(node["function"].get("function_name", "")).lower()
        if not _READERS.fullmatch(name) and not any(name == model.name for model in load_models()):
            raise QueryError(f"the table function {name} cannot be used here")
