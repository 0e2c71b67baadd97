"""docs/seed-map.md: every name has one row, and every answer exists."""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import Path

import pytest
from tracelake.cli.catalog import entities
from tracelake.cli.main import app

ROOT = Path(__file__).parents[1]
PACKAGES = ("transcript", "parser", "claudetranscript")
ANSWER = re.compile(r"(column|view|macro|command|function) `([^`]+)`")


@cache
def rows(package: str) -> list[tuple[str, str]]:
    """Name and answer of each row below the package's heading."""
    text = (ROOT / "docs" / "seed-map.md").read_text(encoding="utf-8")
    part = re.split(rf"^## {package}$", text, flags=re.MULTILINE)[1].split("\n## ")[0]
    cells = [line.split("|")[1:3] for line in part.splitlines() if line.startswith("|")]
    return [(name.strip(), answer.strip()) for name, answer in cells[2:]]


@cache
def known() -> dict[str, set[str]]:
    """What an answer can point at, by its kind."""
    items = list(entities())
    return {
        "column": {f"{item.name}.{field.name}" for item in items for field in item.fields},
        "view": {item.name for item in items if item.kind != "macro"},
        "macro": {item.name for item in items if item.kind == "macro"},
        "command": {command.callback.__name__ for command in app.registered_commands if command.callback},
    }


def exists(kind: str, target: str) -> bool:
    if kind != "function":
        return target in known()[kind]
    module, _, name = target.partition(":")
    try:
        return callable(getattr(importlib.import_module(module), name, None))
    except ImportError:
        return False


def is_sound(answer: str) -> bool:
    found = ANSWER.fullmatch(answer)
    return exists(*found.groups()) if found else bool(re.fullmatch(r"planned: [A-Za-z ]+", answer))


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_has_exactly_one_row(package: str):
    names = (ROOT / "tests" / "seed_names" / f"{package}.txt").read_text(encoding="utf-8").split()
    assert len(names) > 80
    assert sorted(name for name, _ in rows(package)) == sorted(names)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_answer_exists(package: str):
    assert [row for row in rows(package) if not is_sound(row[1])] == []


@pytest.mark.parametrize(
    "answer",
    [
        "column `entries.nothing`",
        "column `nothing.uuid`",
        "view `nothing`",
        "macro `entries`",
        "command `nothing`",
        "function `tracelake.config:nothing`",
        "function `tracelake.nothing:main`",
        "planned",
        "entries.uuid",
        "",
    ],
)
def test_a_row_without_an_answer_is_noticed(answer: str):
    assert not is_sound(answer)
