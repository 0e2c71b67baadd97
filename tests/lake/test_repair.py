"""A database file that is gone, damaged or from another place is built again, without the sources."""

import shutil

import duckdb
import pytest
from tracelake.errors import LakeError
from tracelake.lake import repair
from tracelake.lake.connect import open_lake
from tracelake.lake.layout import LakePaths
from tracelake.lake.locks import writer_lock

from tests.settings import two_sessions

COUNT = "SELECT count(*) FROM entries"


@pytest.fixture
def setting(tmp_path):
    made = two_sessions(tmp_path)
    made.run()
    return made


@pytest.fixture
def lake(setting):
    shutil.rmtree(setting.source)
    return setting.paths.root


def entries(lake):
    with open_lake(lake) as con:
        return con.execute(COUNT).fetchall()[0][0]


def plainly(lake):
    """The same asked with a client that knows nothing of tracelake."""
    with duckdb.connect(str(lake / "tracelake.duckdb"), read_only=True) as con:
        return con.execute(COUNT).fetchall()[0][0]


def test_a_moved_lake_answers_from_its_new_place_plain_clients_after_that(lake, tmp_path):
    lake.rename(tmp_path / "moved")
    with pytest.raises(duckdb.Error):
        plainly(tmp_path / "moved")
    assert entries(tmp_path / "moved") == 4
    assert plainly(tmp_path / "moved") == 4


def test_a_copy_does_not_answer_from_the_original(lake, tmp_path):
    shutil.copytree(lake, tmp_path / "copy")
    shutil.rmtree(lake / "segments")
    assert entries(tmp_path / "copy") == 4
    assert plainly(tmp_path / "copy") == 4


@pytest.mark.parametrize("name", ["source=x/run=1", "it's [a] *", "%41 b\u00fc", "a,b{c}"])
def test_a_lake_may_lie_below_any_name(setting, tmp_path, name):
    setting.paths = LakePaths(tmp_path / name / "lake")
    setting.run()
    assert entries(setting.paths.root) == plainly(setting.paths.root) == 4
    columns = setting.ask(
        "SELECT column_name FROM duckdb_columns() WHERE column_name IN ('source', 'run') ORDER BY ALL"
    )
    assert columns.count(("run",)) == 0
    assert setting.ask("SELECT DISTINCT source FROM files") == [(str(setting.source),)]


DAMAGES = {
    "missing": lambda content: None,
    "empty": lambda content: b"",
    "something else": lambda content: b"garbage" * 9,
    "cut short": lambda content: content[: len(content) // 2],
    "no header": lambda content: b"\0" * 8192 + content[8192:],
}


def damage_database(lake, how):
    file = lake / "tracelake.duckdb"
    content = DAMAGES[how](file.read_bytes())
    file.unlink()
    if content is not None:
        file.write_bytes(content)


@pytest.mark.parametrize("how", DAMAGES)
def test_a_missing_or_damaged_database_is_built_again(lake, how):
    damage_database(lake, how)
    assert entries(lake) == plainly(lake) == 4


@pytest.mark.parametrize("how", ["missing", "cut short"])
def test_while_another_process_writes_a_file_aside_serves(lake, how):
    damage_database(lake, how)
    with writer_lock(LakePaths(lake)):
        assert entries(lake) == 4
    assert (lake / "tracelake.duckdb").exists() == (how != "missing"), "the writer's own affair"


def test_a_lake_that_cannot_be_written_is_read_from_a_file_aside(lake, tmp_path, monkeypatch):
    lake.rename(tmp_path / "moved")

    def refused(paths):
        raise repair.LakeWriteError("cannot write: Read-only file system")

    monkeypatch.setattr(repair, "writer_lock", refused)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "moved").rglob("*")}
    assert entries(tmp_path / "moved") == 4
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "moved").rglob("*")} == before


def test_a_write_ahead_log_that_a_client_left_is_no_part_of_the_lake(setting):
    setting.paths.database.with_name("tracelake.duckdb.wal").write_bytes(b"garbage")
    setting.write("new.jsonl", "t9")
    setting.run()
    assert not setting.paths.database.with_name("tracelake.duckdb.wal").exists()
    assert plainly(setting.paths.root) == 5


def test_an_extraction_repairs_it_too(setting, tmp_path):
    old = setting.paths.root
    setting.paths = LakePaths(old.rename(tmp_path / "moved"))
    setting.run()
    assert str(old) not in (setting.paths.root / "init.sql").read_text()
    assert plainly(setting.paths.root) == 4


def test_a_lake_reached_through_a_link_is_left_alone(lake, tmp_path):
    (tmp_path / "link").symlink_to(lake)
    before = (lake / "tracelake.duckdb").stat().st_mtime_ns
    assert entries(tmp_path / "link") == 4
    assert (lake / "tracelake.duckdb").stat().st_mtime_ns == before


def test_without_anything_to_build_it_from_it_says_so(tmp_path):
    (tmp_path / "lake" / "segments").mkdir(parents=True)
    assert entries(tmp_path / "lake") == 0
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "manifest-00000001").mkdir()
    with pytest.raises(LakeError, match=r"missing, damaged or from another place.*Is a directory"):
        entries(tmp_path / "other")
