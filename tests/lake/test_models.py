from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from tracelake.errors import LakeError, LakeWriteError
from tracelake.lake import model_files, models
from tracelake.lake.connect import open_lake, run_select
from tracelake.lake.layout import LakePaths
from tracelake.lake.manifest import Manifest
from tracelake.lake.manifest_files import load
from tracelake.lake.model_files import references
from tracelake.lake.models import init_script, load_models, write_database
from tracelake.lake.store import Store
from tracelake.tables import TABLES

from tests.sql.lakes import Lake, write_lake

CONSTANTS = {"thinking_factors"}
"""Views that list numbers of ours, whatever the lake holds."""
VIEWS = [model.name for model in load_models() if model.kind == "view"]


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    return write_lake(tmp_path_factory.mktemp("lake"), {})


@pytest.fixture(scope="module")
def columns(empty: Lake) -> dict[str, list[str]]:
    """The columns of every view, in order."""
    names = "SELECT table_name, list(column_name ORDER BY column_index) AS names FROM duckdb_columns() GROUP BY ALL"
    return {row["table_name"]: row["names"] for row in empty.ask(names)}


def test_on_an_empty_lake_every_view_has_no_rows(empty: Lake) -> None:
    with open_lake(empty.paths.root) as connection:
        for view in (*TABLES, *VIEWS):
            if view not in CONSTANTS:
                assert run_select(connection, f"FROM {view}").num_rows == 0, view


@pytest.mark.parametrize("view", VIEWS)
def test_every_column_has_a_sentence_and_every_sentence_a_column(columns: dict[str, list[str]], view: str) -> None:
    (model,) = [model for model in load_models() if model.name == view]
    assert [column.name for column in model.columns] == columns[view]
    assert [column.name for column in model.columns if not column.doc.endswith(".")] == []


@pytest.mark.parametrize("table", list(TABLES))
def test_a_view_named_like_each_table_shows_its_columns(columns: dict[str, list[str]], table: str) -> None:
    assert columns[table] == [column.name for column in TABLES[table].columns]


def test_the_types_of_an_empty_table_are_those_of_its_files(tmp_path: Path) -> None:
    rows = {name: [{"session_id": "s1"}] for name in TABLES}
    full, empty = write_lake(tmp_path / "full", rows), write_lake(tmp_path / "empty", {})
    for table in TABLES:
        assert full.ask(f"DESCRIBE {table}") == empty.ask(f"DESCRIBE {table}")


def test_no_view_shows_a_hugeint(empty: Lake) -> None:
    columns = (
        "SELECT table_name, column_name FROM duckdb_columns() WHERE database_name = 'lake' AND data_type = 'HUGEINT'"
    )
    assert empty.ask(columns) == []


def test_comments_carry_grain_sentence_and_unit(empty: Lake) -> None:
    assert empty.one("SELECT comment FROM duckdb_views() WHERE view_name = 'usage'")["comment"].startswith(
        "One row per API call"
    )
    columns = "SELECT comment FROM duckdb_columns() WHERE table_name = ? AND column_name = ?"
    assert empty.one(columns, ["usage", "input_tokens"]) == {
        "comment": "Uncached prompt tokens of the winner. [tokens]"
    }
    assert empty.one(columns, ["entries", "byte_offset"])["comment"].endswith("[bytes]")
    uncommented = (
        "SELECT count(*) AS n FROM duckdb_columns() WHERE comment IS NULL AND database_name = 'lake' "
        "AND table_name IN (SELECT view_name FROM duckdb_views() WHERE NOT internal) AND table_name NOT LIKE 'stored_%'"
    )
    assert empty.one(uncommented) == {"n": 0}


def test_a_lake_may_lie_anywhere(tmp_path: Path) -> None:
    lake = write_lake(tmp_path / 'it\'s [a] "lake" ü * %41', {"files": [{"bytes": 3}]})
    assert lake.one("SELECT bytes FROM files") == {"bytes": 3}


def test_any_session_id_is_found_again(tmp_path: Path) -> None:
    ids = ["a/b", "..", "", "it's", "%41", "A", "ü" * 200, "x|y"]
    lake = write_lake(tmp_path, {"files": [{"session_id": name, "path": f"/{n}"} for n, name in enumerate(ids)]})
    assert [row["session_id"] for row in lake.ask("SELECT session_id FROM files ORDER BY path")] == ids


def test_the_file_is_private_and_opens_in_a_plain_client(tmp_path: Path) -> None:
    lake = write_lake(tmp_path, {"token_usage": [{"message_id": "m", "output_tokens": 5}]})
    database = lake.paths.database
    assert database.stat().st_mode & 0o777 == 0o400
    assert sorted(file.name for file in tmp_path.glob("tracelake*")) == ["tracelake.duckdb"]
    with duckdb.connect(str(database), read_only=True) as connection:
        assert connection.execute("SELECT output_tokens FROM usage").fetchall() == [(5,)]
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{database}' AS other (READ_ONLY)")
        assert connection.execute("SELECT output_tokens FROM other.usage").fetchall() == [(5,)]
        (tags,) = connection.execute("SELECT tags FROM duckdb_databases() WHERE database_name = 'other'").fetchone()
    assert "v1.4" in str(tags), tags


def test_init_sql_opens_the_lake(tmp_path: Path) -> None:
    lake = write_lake(tmp_path / "it's", {"files": [{"bytes": 3}]})
    with duckdb.connect() as connection:
        connection.execute(init_script(lake.paths).decode())
        assert connection.execute("SELECT bytes FROM files").fetchall() == [(3,)]


def test_an_open_connection_outlives_a_new_file(tmp_path: Path) -> None:
    lake = write_lake(tmp_path, {"files": [{"bytes": 3}]})
    with duckdb.connect(str(lake.paths.database), read_only=True) as connection:
        write_database(lake.paths, Manifest(number=2), tmp_path / "new")
        (tmp_path / "new").replace(lake.paths.database)
        assert connection.execute("SELECT bytes FROM files").fetchall() == [(3,)]
    assert lake.ask("SELECT bytes FROM files") == []


def test_a_missing_segment_says_what_to_do(tmp_path: Path) -> None:
    lake = write_lake(tmp_path, {"files": [{"bytes": 3}]})
    shutil.rmtree(lake.paths.segments / "files")
    with pytest.raises(LakeError, match=r"a segment is missing: .*files/b\.parquet.*run tracelake check") as caught:
        write_database(lake.paths, load(lake.paths, 1), tmp_path / "new")
    assert "\n" not in str(caught.value)


def test_an_unwritable_lake_is_one_clear_line(tmp_path: Path) -> None:
    store = Store(LakePaths(tmp_path / "absent"), Manifest())
    with pytest.raises(LakeWriteError, match=r"cannot write .*: No such file or directory") as caught:
        store.rebuild_database()
    assert "\n" not in str(caught.value)


DAMAGES = {
    "cut short": lambda content: content[:-5000],
    "a flipped bit": lambda content: content[:50_000] + bytes([content[50_000] ^ 4]) + content[50_001:],
    "empty": lambda content: b"",
    "something else": lambda content: b"x" * len(content),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_template_in_the_cache_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    write_lake(tmp_path / "first", {})
    (kept,) = (tmp_path / "cache").rglob("models-*.duckdb")
    assert kept.stat().st_mode & 0o777 == 0o600
    content = kept.read_bytes()
    kept.write_bytes(DAMAGES[damage](content))
    lake = write_lake(tmp_path / "lake", {"files": [{"bytes": 3}]})
    assert lake.one("SELECT bytes FROM files") == {"bytes": 3}
    assert len(kept.read_bytes()) == len(content)


def test_a_template_of_another_user_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    write_lake(tmp_path / "first", {})
    (kept,) = (tmp_path / "cache").rglob("models-*.duckdb")
    monkeypatch.setattr(models.os, "getuid", lambda: kept.stat().st_uid + 1)
    with pytest.raises(ValueError, match="another user"):
        models._checked(kept)
    lake = write_lake(tmp_path / "lake", {"files": [{"bytes": 3}]})
    assert lake.one("SELECT bytes FROM files") == {"bytes": 3}


def test_a_cache_that_cannot_be_written_is_no_hindrance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    lake = write_lake(tmp_path / "lake", {"files": [{"bytes": 3}]})
    assert lake.one("SELECT bytes FROM files") == {"bytes": 3}


def test_models_come_after_what_they_read() -> None:
    seen: set[str] = set()
    names = {model.name for model in load_models()}
    for model in load_models():
        assert references(model.sql) & names <= seen, model.name
        seen.add(model.name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT 1 AS a", "first line"),
        ("-- other: one row per thing.\nSELECT 1 AS a", "first line"),
        ("-- odd: one row per thing.\n-- no sentence here\nSELECT 1 AS a", "not a column sentence"),
    ],
)
def test_a_malformed_header_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str) -> None:
    (tmp_path / "marts").mkdir()
    (tmp_path / "marts" / "odd.sql").write_text(text)
    monkeypatch.setattr(model_files, "sql_dir", lambda: tmp_path)
    with pytest.raises(LakeError, match=message):
        load_models.__wrapped__()


def test_headers_are_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "macros").mkdir()
    header = "-- odd: one row per thing.\n-- source: E-1\n-- a [bytes]: First\n--    and second.\n"
    text = header + "(x) AS TABLE SELECT x AS a;\n"
    (tmp_path / "macros" / "odd.sql").write_text(text)
    monkeypatch.setattr(model_files, "sql_dir", lambda: tmp_path)
    (model,) = load_models.__wrapped__()
    assert (model.name, model.kind, model.grain, model.source) == ("odd", "macro", "thing", "E-1")
    assert [(column.name, column.unit, column.doc) for column in model.columns] == [("a", "bytes", "First and second.")]
    assert model.sql == "(x) AS TABLE SELECT x AS a"


def test_models_are_found_without_a_data_library() -> None:
    code = (
        "import sys; from tracelake.lake.model_files import load_models; load_models(); "
        "sys.exit(bool({'duckdb', 'pyarrow', 'polars'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
