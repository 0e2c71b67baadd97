"""`tracelake schema` and `tracelake status`."""

import json
from pathlib import Path

import pytest
from tracelake.cli.catalog import entities
from tracelake.tables import TABLES


def test_schema_lists_everything_without_a_lake(program, tmp_path: Path):
    done = program("schema", "--lake", tmp_path / "none", "--json")
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert set(TABLES) <= set(rows)
    assert {"sessions", "projects", "usage", "usage_audit", "costs", "cost_daily", "tool_usage", "coverage"} <= set(
        rows
    )
    assert rows["entries"] == {"name": "entries", "kind": "table", "grain": "one row per physical line"}


def test_schema_of_a_table(program):
    rows = json.loads(program("schema", "token_usage", "--json").stdout)
    assert [row["column"] for row in rows] == [column.name for column in TABLES["token_usage"].columns]
    (speed,) = (row for row in rows if row["column"] == "speed")
    assert speed == {
        "column": "speed",
        "type": "VARCHAR",
        "unit": "",
        "description": "standard or fast as written; NULL when absent.",
        "source": "parser.md 8.5",
    }


def test_schema_of_a_view_has_types(program):
    rows = {row["column"]: row for row in json.loads(program("schema", "costs", "--json").stdout)}
    assert rows["cost_usd"]["type"].startswith("DECIMAL")
    assert rows["cost_usd"]["unit"] == "USD"
    assert rows["day"]["type"] == "DATE"


def test_everything_is_documented():
    for item in entities():
        assert item.grain, item.name
        for field in item.fields:
            assert field.doc or item.kind == "price table", (item.name, field.name)


@pytest.mark.parametrize("name", ["nothing", "'; DROP VIEW usage"])
def test_schema_of_nothing(program, name: str):
    done = program("schema", name)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1


def test_status_of_the_sample(program, sample_lake: Path):
    answer = json.loads(program("status", "--lake", sample_lake, "--json").stdout)
    assert (answer["lake"], answer["state"], answer["sessions"]) == (str(sample_lake), "ready", 7)
    assert (answer["files"]["main"], answer["files"]["journal"], answer["vanished"]) == (7, 1, 0)
    tables = {row["table"]: row for row in answer["tables"]}
    assert tables["entries"]["rows"] == 88
    on_disk = sum(file.stat().st_size for file in (sample_lake / "segments" / "entries").rglob("*.parquet"))
    assert tables["entries"]["bytes"] == on_disk
    assert answer["prices"].startswith("genai-prices ")
    assert [run["sessions_changed"] for run in answer["runs"]] == [7]


def test_status_in_words(program, sample_lake: Path):
    shown = program("status", "--lake", sample_lake).stdout
    assert str(sample_lake) in shown
    assert "last runs" in shown


@pytest.mark.parametrize("name", ["json", "csv", "jsonl", "markdown", "table"])
def test_an_absent_lake_is_said_and_is_no_failure(program, tmp_path: Path, name: str):
    done = program("status", "--lake", tmp_path / "none", "--format", name)
    assert (done.returncode, done.stderr) == (0, "")
    assert "absent" in done.stdout
    assert not (tmp_path / "none").exists()


def test_an_empty_lake_is_said(program, tmp_path: Path):
    (tmp_path / "home" / "projects").mkdir(parents=True)
    assert program("extract", tmp_path / "home", "--lake", tmp_path / "lake").returncode == 0
    answer = json.loads(program("status", "--lake", tmp_path / "lake", "--json").stdout)
    assert (answer["state"], answer["sessions"]) == ("empty", 0)


def test_a_vanished_file_is_counted_and_its_rows_stay(program, tmp_path: Path):
    import shutil

    from tests.conftest import SAMPLE

    home = Path(shutil.copytree(SAMPLE, tmp_path / "home"))
    program("extract", home, "--lake", tmp_path / "lake")
    next(home.rglob("b2000000*.jsonl")).unlink()
    program("extract", home, "--lake", tmp_path / "lake")
    answer = json.loads(program("status", "--lake", tmp_path / "lake", "--json").stdout)
    assert (answer["sessions"], answer["vanished"]) == (7, 1)
    assert {row["table"]: row["rows"] for row in answer["tables"]}["entries"] == 88
