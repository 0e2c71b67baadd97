"""Row classes are the declared columns, in order, and no value can be given by place."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tracelake.schema import Column, Table
from tracelake.tables import TABLES, rows

from tests.conftest import ROOT, clean_environment

sys.path.insert(0, str(ROOT / "pipeline"))
from make_rows import class_name, field_name, lines


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.name)
def test_the_fields_of_a_row_are_the_columns_in_their_order(table: Table):
    """Rows become columns by their place: `record_batch` pairs the fields with the columns."""
    row = getattr(rows, class_name(table))
    assert list(row.__struct_fields__) == [field_name(column.name) for column in table.own_columns]


def test_the_module_is_fresh(tmp_path: Path):
    command = [sys.executable, ROOT / "pipeline" / "make_rows.py", tmp_path / "rows.py"]
    subprocess.run(command, check=True, env=clean_environment(tmp_path))
    assert (tmp_path / "rows.py").read_text() == Path(rows.__file__).read_text(), "run make rows"


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.name)
def test_values_cannot_be_given_by_place(table: Table):
    with pytest.raises(TypeError, match="positional"):
        getattr(rows, class_name(table))("a value")


def test_a_column_can_stand_anywhere():
    """A column more, between two others, changes the class by one line and no other field."""
    first, last = Column("first", "string", "."), Column("class", "timestamp", ".", required=True)
    before = list(lines(Table("stories", "tale", (first, last))))
    assert before == [
        "class StoryRow(Struct, kw_only=True, gc=False):",
        '    """A row of `stories`: one per tale."""',
        "",
        "    first: str | None = None",
        "    class_: int",
    ]
    more = list(lines(Table("stories", "tale", (first, Column("new", "list<string>", "."), last))))
    assert more == [*before[:4], "    new: list[str] | None = None", *before[4:]]


def test_type_checkers_refuse_wrong_rows(tmp_path: Path):
    api = pytest.importorskip("mypy.api")
    program = tmp_path / "program.py"
    program.write_text(
        "from tracelake.tables.rows import EntryRow\n"
        "row = EntryRow(status='ok', line_no='1')\n"
        "row.cwd = 3\n"
        "row.no_column = 3\n"
        "EntryRow('ok')\n"
        "EntryRow(line_no=1)\n",
        encoding="utf-8",
    )
    config = tmp_path / "mypy.ini"
    config.write_text(f"[mypy]\nstrict = True\nmypy_path = {ROOT}/pipeline\n", encoding="utf-8")
    told, _, _ = api.run(["--config-file", str(config), "--cache-dir", str(tmp_path / "cache"), str(program)])
    assert set(re.findall(r"program\.py:(\d+): error: ", told)) == {"2", "3", "4", "5", "6"}
