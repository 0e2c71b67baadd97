"""The SQL models: every file below `sql/` is one view or macro, its grain and columns in the header comment.

A file reads

    -- name: one row per <grain>.
    -- source: <rule it follows>
    -- column [unit]: One sentence; a line indented by three blanks continues it.
    SELECT ...

The name is the file's stem. Files below `macros/` hold what follows the name in CREATE MACRO.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from hashlib import sha256
from pathlib import Path
from typing import Literal

from tracelake.errors import LakeError

TABLES_FOLDER = "tables"
_TITLE = re.compile(r"-- (?P<name>\w+): (?:one row per )?(?P<grain>.+)")
_SOURCE = re.compile(r"-- source: (?P<source>.+)")
_COLUMN = re.compile(r"-- (?P<name>\w+)(?: \[(?P<unit>[^\]]+)\])?: (?P<doc>.+)")
_CONTINUED = re.compile(r"--   +(?P<text>\S.*)")
_NO_NAMES = re.compile(r"--[^\n]*|'(?:[^']|'')*'")
_REFERENCE = re.compile(r"\b(?:FROM|JOIN)\s+(\w+)|\b(\w+)\s*\(", re.IGNORECASE)
_GIVEN = re.compile(r"\b\w+\('(\w+)'\)")
"""A name in quotes as all that a macro is given: the view that it is to read."""


@dataclass(frozen=True, slots=True)
class ModelColumn:
    """One documented column of a view or table macro."""

    name: str
    doc: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Model:
    """One view or macro: what it is called, what a row is, its columns, and the SQL after the header."""

    name: str
    kind: Literal["view", "macro"]
    grain: str
    source: str
    columns: tuple[ModelColumn, ...]
    sql: str
    file: Path


def sql_dir() -> Path:
    """Return the folder of the models: inside an installed wheel, else at the top of the checkout."""
    package = Path(__file__).parents[1]
    installed = package / "_sql"
    return installed if installed.is_dir() else package.parents[1] / "sql"


@cache
def table_queries() -> dict[str, str]:
    """Return, by table, the query that makes its shown columns out of the stored ones; most tables need none.

    These files, below `sql/tables`, have no header: the columns are those of the table.
    """
    files = sorted((sql_dir() / TABLES_FOLDER).glob("*.sql"))
    return {file.stem: _split(file.read_text(encoding="utf-8"))[1] for file in files}


@cache
def load_models() -> tuple[Model, ...]:
    """Return every model, each after those it reads from. Raises LakeError on a file whose header is malformed."""
    files = [file for file in sorted(sql_dir().glob("*/*.sql")) if file.parent.name != TABLES_FOLDER]
    models = {model.name: model for model in map(_load, files)}
    needs = {name: references(model.sql) & models.keys() - {name} for name, model in models.items()}
    return tuple(models[name] for name in TopologicalSorter(needs).static_order())


def models_stamp() -> str:
    """Return a hash of all model files, by which a database file built from others is known to be stale."""
    digest = sha256()
    for file in sorted(sql_dir().glob("*/*.sql")):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def references(sql: str) -> set[str]:
    """Return the names that a SQL text reads from or calls; may hold names that are no models."""
    called = (name for pair in _REFERENCE.findall(_NO_NAMES.sub("", sql)) for name in pair if name)
    return {*called, *_GIVEN.findall(sql)}


def _load(file: Path) -> Model:
    header, sql = _split(file.read_text(encoding="utf-8"))
    title = _TITLE.fullmatch(header[0]) if header else None
    if title is None or title["name"] != file.stem:
        raise LakeError(f"{file}: the first line must read '-- {file.stem}: one row per ...'")
    source = _SOURCE.fullmatch(header[1]) if len(header) > 1 else None
    columns = tuple(_column(file, line) for line in header[2 if source else 1 :])
    return Model(
        name=file.stem,
        kind="macro" if file.parent.name == "macros" else "view",
        grain=title["grain"].removesuffix("."),
        source=source["source"] if source else "",
        columns=columns,
        sql=sql,
        file=file,
    )


def _split(text: str) -> tuple[list[str], str]:
    """Return the header's lines, continued ones joined, and the SQL without its final semicolon."""
    header: list[str] = []
    lines = text.splitlines()
    while lines and lines[0].startswith("--"):
        line = lines.pop(0)
        continued = _CONTINUED.fullmatch(line)
        if continued and header:
            header[-1] += " " + continued["text"]
        else:
            header.append(line)
    return header, "\n".join(lines).strip().removesuffix(";")


def _column(file: Path, line: str) -> ModelColumn:
    found = _COLUMN.fullmatch(line)
    if found is None:
        raise LakeError(f"{file}: not a column sentence: {line}")
    return ModelColumn(found["name"], found["doc"], found["unit"] or "")
