"""Parquet files that are gone, damaged or too short are found."""

import pyarrow.parquet as pq
import pytest
from tracelake.build import extract
from tracelake.lake.layout import LakePaths
from tracelake.lake.manifest import load_manifest
from tracelake.lake.verify import damaged_partitions

from tests.conftest import SAMPLE


@pytest.fixture
def paths(tmp_path):
    extract([SAMPLE], tmp_path / "lake", engine="serial", with_raw=False)
    return LakePaths(tmp_path / "lake")


def shorten(file):
    table = pq.read_table(file)
    pq.write_table(table.slice(1), file)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda file: file.unlink(), "missing"),
        (lambda file: file.write_bytes(b"x"), "Parquet"),
        (shorten, "were written"),
    ],
)
def test_damage_is_found(paths, damage, reason):
    manifest = load_manifest(paths)
    assert list(damaged_partitions(paths, manifest)) == []
    session_id = next(name for name, session in sorted(manifest.sessions.items()) if session.rows.get("token_usage"))
    damage(paths.partition_file("token_usage", session_id))
    (found,) = damaged_partitions(paths, manifest)
    assert (found.session_id, found.table) == (session_id, "token_usage")
    assert reason in found.reason


def test_check_says_so_and_a_full_extraction_heals_it(paths, program):
    manifest = load_manifest(paths)
    session_id = next(name for name, session in sorted(manifest.sessions.items()) if session.rows.get("token_usage"))
    paths.partition_file("token_usage", session_id).write_bytes(b"x")
    done = program("check", "--lake", paths.root, "--json")
    assert (done.returncode, session_id in done.stdout) == (1, True)
    assert "extract --full" in done.stderr
    healed = program("extract", SAMPLE, "--full", "--lake", paths.root, "--no-raw", "--quiet")
    assert healed.returncode == 0, healed.stderr
    assert program("check", "--lake", paths.root).returncode == 0
