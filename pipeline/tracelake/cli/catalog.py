"""Everything that can be queried, with its documentation: the tables, views, price tables and macros of a lake."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tracelake.lake.model_files import Model, load_models
from tracelake.schema import DUCKDB_TYPES, Table
from tracelake.tables import TABLES


@dataclass(frozen=True)
class Field:
    """One documented column; `type` is empty where only an open database could tell it."""

    name: str
    type: str
    unit: str
    doc: str
    source: str


@dataclass(frozen=True)
class Entity:
    """One table, view or macro: what a row is (or what it answers) and its columns."""

    name: str
    kind: str
    grain: str
    source: str
    fields: tuple[Field, ...]
    arguments: str = ""


def entities() -> Iterator[Entity]:
    """Yield tables, price tables, views and macros; needs no lake. Types of view columns are empty."""
    from tracelake.lake.prices import PRICE_TABLES

    for table in TABLES.values():
        yield _table(table)
    for name, (_, sentence) in PRICE_TABLES.items():
        yield _prices(name, sentence)
    models = sorted(load_models(), key=lambda model: (model.kind != "view", model.file.parent.name, model.name))
    yield from map(_model, models)


def with_types(wanted: list[Entity]) -> Iterator[Entity]:
    """Yield the entities with the type of every view column, as an empty lake built for it tells them."""
    from tracelake.lake.connect import open_lake, run_select
    from tracelake.lake.layout import LakePaths
    from tracelake.lake.manifest import Manifest
    from tracelake.lake.models import write_database

    with tempfile.TemporaryDirectory(prefix="tracelake-") as folder:
        paths = LakePaths(Path(folder))
        write_database(paths, Manifest(), paths.database)
        with open_lake(paths.root) as connection:
            for entity in wanted:
                if entity.kind != "view":
                    yield entity
                    continue
                described = run_select(connection, f'DESCRIBE "{entity.name}"').to_pylist()
                types = {row["column_name"]: row["column_type"] for row in described}
                yield replace(entity, fields=tuple(_typed(entity, types)))


def _typed(entity: Entity, types: dict[str, str]) -> Iterator[Field]:
    documented = {field.name: field for field in entity.fields}
    for name, kind in types.items():
        yield replace(documented.get(name, Field(name, "", "", "", "")), type=kind)


def _table(table: Table) -> Entity:
    fields = (
        Field(column.name, DUCKDB_TYPES[column.type], column.unit, column.doc, column.source)
        for column in table.columns
    )
    return Entity(table.name, "table", f"one row per {table.grain.removeprefix('one ')}", "", tuple(fields))


def _prices(name: str, sentence: str) -> Entity:
    from tracelake.lake.prices import column_types

    fields = (Field(column, kind, "", "", "genai-prices") for column, kind in column_types(name).items())
    return Entity(name, "price table", sentence, "genai-prices", tuple(fields))


def _model(model: Model) -> Entity:
    fields = tuple(Field(column.name, "", column.unit, column.doc, model.source) for column in model.columns)
    if model.kind == "macro":
        arguments = model.sql[: model.sql.index(")") + 1].strip()
        return Entity(model.name, "macro", model.grain, model.source, fields, arguments)
    return Entity(model.name, "view", f"one row per {model.grain}", model.source, fields)
