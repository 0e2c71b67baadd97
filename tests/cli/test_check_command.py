"""`tracelake check`: sections, issues, exit codes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.conftest import SAMPLE
from tests.sql.lakes import write_lake


@pytest.fixture
def own(program, tmp_path: Path):
    """A copy of the sample tree and a lake made of it."""
    source = tmp_path / "claude"
    shutil.copytree(SAMPLE, source)
    lake = tmp_path / "lake"
    done = program("extract", source, "--lake", lake, "--engine", "serial", "-q")
    assert done.returncode == 0, done.stderr
    return source, lake


def check(program, lake, code=0):
    done = program("check", "--lake", lake, "--json")
    assert (done.returncode, done.stderr) == (code, "")
    return json.loads(done.stdout)


def lines_of(folder: Path) -> int:
    """Physical lines of all transcripts, counted apart from the program."""
    contents = [path.read_bytes() for path in folder.rglob("*.jsonl") if path.name != "journal.jsonl"]
    return sum(content.count(b"\n") + (content[-1:] not in (b"\n", b"")) for content in contents)


def test_every_line_is_accounted_for(program, own):
    source, lake = own
    found = check(program, lake)
    lines = lines_of(source)
    assert found["ok"] is True
    assert (found["coverage"]["physical_lines"], found["coverage"]["entries"]) == (lines, lines)
    assert (found["coverage"]["difference"], found["coverage"]["missing_bytes"]) == (0, 0)
    sources = found["sources"]
    assert (sources["recounted_lines"], sources["changed"], sources["gone"], sources["mismatches"]) == (lines, 0, 0, [])
    assert sources["unchanged"] == found["coverage"]["files"]


def test_sources_that_changed_or_went_are_counted_apart(program, own):
    source, lake = own
    files = sorted(source.glob("projects/*/*.jsonl"))
    with files[0].open("a") as stream:
        stream.write("{}\n")
    files[1].unlink()
    sources = check(program, lake)["sources"]
    assert (sources["changed"], sources["gone"]) == (1, 1)


def test_the_identity_survey(program, sample_lake: Path):
    found = check(program, sample_lake)
    assert (
        sum(found["identity"][name] for name in ("ok", "missing", "runaway", "no_origin", "unreadable"))
        == (found["identity"]["files"])
    )
    assert found["identity"]["files"] == len(list(SAMPLE.glob("projects/*/*.jsonl")))
    assert {Path(row["project_dir"]).name for row in found["projects"]} == {"-home-ada-aviary", "-home-ada-tide-clock"}


def faulty(tmp_path: Path) -> Path:
    """A lake with a line without a row, and a warning."""
    main = {"path": "/p/s1.jsonl", "kind": "main", "bytes": 3, "lf_count": 2, "ends_with_lf": True}
    entry = {"path": "/p/s1.jsonl", "line_no": 1, "status": "ok", "uuid": "u", "byte_len": 3}
    files = [{**main, "strict_error": "line 2: \x1b[31m"}]
    return write_lake(tmp_path / "lake", {"files": files, "entries": [entry]}).paths.root


def test_an_error_ends_with_one_and_a_warning_does_not(program, tmp_path: Path):
    lake = faulty(tmp_path)
    found = check(program, lake, code=1)
    assert found["ok"] is False
    assert {(row["severity"], row["check_id"], row["count"]) for row in found["issues"]} == {
        ("error", "coverage", 1),
        ("warning", "strict_error", 1),
    }
    shown = program("check", "--lake", lake)
    assert shown.returncode == 1
    assert "there are errors" in shown.stdout


def test_issues_are_listed_the_severe_ones_first(program, tmp_path: Path):
    lake = faulty(tmp_path)
    done = program("check", "--issues", "--lake", lake, "--format", "jsonl")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert [(row["severity"], row["check_id"], row["path"]) for row in rows] == [
        ("error", "coverage", "/p/s1.jsonl"),
        ("warning", "strict_error", "/p/s1.jsonl"),
    ]
    assert "\x1b" not in program("check", "--issues", "--lake", lake).stdout


def test_every_format(program, sample_lake: Path):
    for name in ("table", "markdown", "csv", "jsonl"):
        done = program("check", "--lake", sample_lake, "--format", name)
        assert (done.returncode, done.stderr) == (0, "")
        assert "physical_lines" in done.stdout


def test_an_empty_lake_is_sound_and_none_is_refused(program, tmp_path: Path):
    empty = write_lake(tmp_path / "empty", {}).paths.root
    assert check(program, empty)["coverage"]["files"] == 0
    done = program("check", "--lake", tmp_path / "none")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
