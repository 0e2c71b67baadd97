"""A database file that is gone, damaged or from another place is built again, without the sources."""

import shutil

import pytest
from tracelake.build import extract
from tracelake.lake.connect import open_lake

from tests.conftest import SAMPLE


@pytest.fixture
def lake(tmp_path):
    folder = tmp_path / "lake"
    extract([SAMPLE], folder, engine="serial", with_raw=False)
    return folder


def entries(lake):
    with open_lake(lake) as con:
        return con.execute("SELECT count(*) FROM entries").fetchall()[0][0]


def test_a_moved_lake_answers_from_its_new_place(lake, tmp_path):
    before = entries(lake)
    lake.rename(tmp_path / "moved")
    assert entries(tmp_path / "moved") == before


def test_a_copy_does_not_answer_from_the_original(lake, tmp_path):
    before = entries(lake)
    shutil.copytree(lake, tmp_path / "copy")
    shutil.rmtree(lake / "tables")
    assert entries(tmp_path / "copy") == before


@pytest.mark.parametrize("damage", [lambda file: file.unlink(), lambda file: file.write_bytes(b"garbage" * 9)])
def test_a_missing_or_damaged_database_is_built_again(lake, damage):
    before = entries(lake)
    damage(lake / "tracelake.duckdb")
    assert entries(lake) == before


def test_an_extraction_repairs_it_too(lake, tmp_path):
    before = entries(lake)
    lake.rename(tmp_path / "moved")
    extract([SAMPLE], tmp_path / "moved", engine="serial", with_raw=False)
    assert str(lake) not in (tmp_path / "moved" / "init.sql").read_text()
    assert entries(tmp_path / "moved") == before


def test_a_lake_reached_through_a_link_is_left_alone(lake, tmp_path):
    (tmp_path / "link").symlink_to(lake)
    before = (lake / "tracelake.duckdb").stat().st_mtime_ns
    assert entries(tmp_path / "link") > 0
    assert (lake / "tracelake.duckdb").stat().st_mtime_ns == before
