"""`tracelake extract`: the summary in every format, and how it refuses."""

import csv
import io
import json
import shutil
from pathlib import Path

import polars
import pytest
from tracelake.build import extract as build
from tracelake.lake import manifest_files, models

from tests.conftest import SAMPLE

# What data/sample/README.md describes: seven sessions, their agents, four meta files and a journal.
FILES = {"main": 7, "subagent": 2, "workflow_subagent": 2, "legacy_subagent": 1, "journal": 1, "sidecar": 4}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the sample that a test may change."""
    return Path(shutil.copytree(SAMPLE, tmp_path / "home"))


def test_the_summary_counts_what_the_sample_holds(program, tmp_path: Path):
    done = program("extract", SAMPLE, "--lake", tmp_path / "lake", "--json")
    summary = json.loads(done.stdout)
    assert (done.returncode, summary["exit_code"]) == (0, 0)
    assert summary["files"] == FILES
    assert (summary["sessions_seen"], summary["sessions_changed"]) == (7, 7)
    lines = sum(len(file.read_bytes().split(b"\n")) - file.read_bytes().endswith(b"\n") for file in transcripts())
    assert summary["lines"] == summary["rows"]["entries"] == sum(summary["statuses"].values()) == lines
    assert (summary["statuses"]["torn"], summary["statuses"]["blank"], summary["statuses"]["glued"]) == (1, 1, 1)
    assert summary["failures"] == []


def transcripts() -> list[Path]:
    return [file for file in SAMPLE.rglob("*.jsonl") if file.name != "journal.jsonl"]


def test_a_second_run_changes_nothing(program, tmp_path: Path):
    program("extract", SAMPLE, "--lake", tmp_path / "lake")
    before = {file: file.read_bytes() for file in (tmp_path / "lake").glob("manifest-*")}
    summary = json.loads(program("extract", SAMPLE, "--lake", tmp_path / "lake", "--json").stdout)
    assert (summary["sessions_seen"], summary["sessions_changed"]) == (7, 0)
    assert {file: file.read_bytes() for file in (tmp_path / "lake").glob("manifest-*")} == before
    assert len(before) == 1


def test_only_a_grown_session_is_read_again(program, tree: Path, tmp_path: Path):
    program("extract", tree, "--lake", tmp_path / "lake")
    grown = next(tree.rglob("a1000000*.jsonl"))
    with grown.open("a") as file:
        file.write('{"type":"mode","mode":"plan"}\n')
    summary = json.loads(program("extract", tree, "--lake", tmp_path / "lake", "--json").stdout)
    # a1 has 13 lines and got one more.
    assert (summary["sessions_changed"], summary["lines"]) == (1, 14)


def test_full_reads_everything_again(program, tmp_path: Path):
    program("extract", SAMPLE, "--lake", tmp_path / "lake")
    summary = json.loads(program("extract", SAMPLE, "--lake", tmp_path / "lake", "--full", "--json").stdout)
    assert summary["sessions_changed"] == 7


def test_dry_run_writes_nothing(program, tmp_path: Path):
    done = program("extract", SAMPLE, "--lake", tmp_path / "lake", "--dry-run")
    assert done.returncode == 0
    assert "7 seen, 7 would be read" in done.stdout
    assert not (tmp_path / "lake").exists()


def test_without_raw_lines(program, tmp_path: Path):
    done = program("extract", SAMPLE, "--lake", tmp_path / "lake", "--no-raw", "--json")
    assert json.loads(done.stdout)["rows"].get("raw_lines", 0) == 0


def test_table_and_flat_formats_tell_the_same(program, tmp_path: Path):
    run = ("extract", SAMPLE, "--full", "--lake", tmp_path / "lake")
    shown = program(*run).stdout
    for words in ("sessions  7 seen, 7 changed", "files by kind", "rows by table", "lines by status"):
        assert words in shown
    rows = list(csv.DictReader(io.StringIO(program(*run, "--format", "csv").stdout)))
    assert {row["name"]: int(row["count"]) for row in rows if row["section"] == "files"} == FILES
    assert program(*run, "--format", "markdown").stdout.startswith("| run |")
    as_lines = program(*run, "--format", "jsonl").stdout.splitlines()
    assert {"section": "files", "name": "main", "count": 7, "text": None} in map(json.loads, as_lines)
    raw = program(*run, "--format", "parquet", text=False).stdout
    assert polars.read_parquet(io.BytesIO(raw)).filter(name="main")["count"].item() == 7


def test_nothing_on_stderr_that_is_not_a_note(program, tmp_path: Path):
    assert program("extract", SAMPLE, "--lake", tmp_path / "lake").stderr == ""


def test_a_missing_source_is_one_line(program, tmp_path: Path):
    done = program("extract", tmp_path / "none", "--lake", tmp_path / "lake")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("tracelake: error: ")
    assert str(tmp_path / "none") in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "lake").exists()


def test_without_agent_homes_it_says_where_it_looked(program, tmp_path: Path):
    done = program("extract", "--lake", tmp_path / "lake", env={"CLAUDE_CONFIG_DIR": f"{tmp_path}/a,{tmp_path}/b"})
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{tmp_path}/a/projects, {tmp_path}/b/projects" in done.stderr


def test_agent_homes_are_the_default(program, tree: Path, tmp_path: Path):
    done = program("extract", "--lake", tmp_path / "lake", "--json", env={"CLAUDE_CONFIG_DIR": str(tree)})
    assert json.loads(done.stdout)["sessions_changed"] == 7


def test_the_lake_can_be_named_by_the_environment(program, tmp_path: Path):
    program("extract", SAMPLE, env={"TRACELAKE_HOME": str(tmp_path / "there")})
    assert (tmp_path / "there" / "tracelake.duckdb").is_file()


def test_one_bad_source_among_good_ones_is_partial(program, tmp_path: Path):
    done = program("extract", SAMPLE, tmp_path / "none", "--lake", tmp_path / "lake")
    assert done.returncode == 4
    assert str(tmp_path / "none") in done.stdout
    assert program("query", "SELECT count(*) FROM sessions", "--lake", tmp_path / "lake").returncode == 0


def test_an_unwritable_lake_is_one_line(program, tmp_path: Path):
    (tmp_path / "file").write_text("not a folder")
    done = program("extract", SAMPLE, "--lake", tmp_path / "file")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert (tmp_path / "file").read_text() == "not a folder"


def test_a_lake_of_a_newer_version_is_left_alone(program, tmp_path: Path, monkeypatch):
    lake = tmp_path / "lake"
    monkeypatch.setattr(manifest_files, "LAKE_VERSION", 99)
    monkeypatch.setattr(models, "LAKE_VERSION", 99)
    build([SAMPLE], lake, engine="serial", partitions="none")
    before = {file: file.read_bytes() for file in lake.rglob("*") if file.is_file() and file.suffix != ".lock"}
    for command in (["extract", SAMPLE], ["query", "SELECT 1"], ["report", "cost"], ["status"]):
        done = program(*command, "--lake", lake)
        assert (done.returncode, done.stdout) == (2, ""), command
        assert "99" in done.stderr
        assert done.stderr.count("\n") == 1
    assert {file: file.read_bytes() for file in lake.rglob("*") if file.is_file() and file.suffix != ".lock"} == before
