"""Requests that are refused before anything is read or written."""

import os
import shutil
from pathlib import Path

import pytest

from tests.conftest import SAMPLE

EMPTY = [
    ["extract", ""],
    ["extract", str(SAMPLE), ""],
    ["extract", str(SAMPLE), "--prices", ""],
    ["status", "--lake", ""],
    ["status", "--lake="],
    ["schema", "--output", ""],
    ["schema", ""],
    ["query", "--file", ""],
    ["query", "SELECT 1", "--path", ""],
    ["export", "attachments", "--to", ""],
    ["bodies", "lift", "", "--folder", "x"],
    ["bodies", "lift", "x", "--folder", ""],
    ["session", ""],
    ["where", ""],
]


@pytest.mark.parametrize("arguments", EMPTY, ids=" ".join)
def test_an_empty_argument_is_never_the_current_folder(program, tmp_path: Path, arguments: list[str]):
    done = program(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("tracelake: error: ")
    assert "it is empty" in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("seconds", ["inf", "nan", "1e10", "1000001"])
def test_a_timeout_beyond_measure(program, seconds: str):
    done = program("query", "SELECT 1", "--timeout", seconds)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--timeout" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", [["status"], ["report", "cost"], ["extract", str(SAMPLE)], ["check"]])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        (b"a?b", "question mark"),
        (b"a\\b", "backslash"),
        (b"a\xff", "must be UTF-8"),
        (b"file", "is not a folder"),
    ],
)
def test_a_lake_that_cannot_be_one(program, tmp_path: Path, command: list[str], name: bytes, words: str):
    (tmp_path / "file").write_text("")
    done = program(*command, "--lake", os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_survey_and_issues_contradict_each_other(program, tmp_path: Path):
    done = program("check", "--survey", "--issues", "--lake", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--survey and --issues contradict" in done.stderr


def test_a_price_file_that_is_not_there(program, tmp_path: Path):
    done = program("extract", SAMPLE, "--lake", tmp_path / "lake", "--prices", "nosuch.csv")
    assert done.returncode == 2
    assert done.stderr == "tracelake: error: nosuch.csv: cannot be read as prices: No such file or directory\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_source_does_not_stop_the_others(program, tmp_path: Path):
    (tmp_path / "shut").mkdir(mode=0)
    done = program("extract", SAMPLE, tmp_path / "shut", "--lake", tmp_path / "lake")
    assert done.returncode == 4, done.stderr
    assert "shut: Permission denied" in done.stdout


def test_the_type_of_a_source_leaves_reading_to_discovery():
    from tracelake.cli.main import app

    for command in app.registered_commands:
        if command.callback and command.callback.__name__ in ("extract", "bodies"):
            (argument,) = command.callback.__annotations__["sources"].__metadata__
            assert argument.readable is False


def test_status_of_a_lake_without_its_database(program, sample_lake: Path, tmp_path: Path):
    lake = shutil.copytree(sample_lake, tmp_path / "lake")
    (lake / "tracelake.duckdb").unlink()
    shown = program("status", "--lake", lake).stdout
    assert "incomplete: run tracelake extract" in shown
    assert "files by kind" in shown


def test_what_was_not_read_is_said_with_its_reason(program, tmp_path: Path):
    (tmp_path / "in").mkdir()
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / "in" / name).write_text("")
    done = program("extract", SAMPLE, tmp_path / "in", "--lake", tmp_path / "lake", "--dry-run")
    assert done.returncode == 0
    shown = done.stdout.split("not read")[1]
    # Four sidecars and the journal of the sample, and two files that are empty.
    for kind, count in (("sidecar: ", "4"), ("unrecognised: ", "2"), ("journal: ", "1")):
        (row,) = (line for line in shown.splitlines() if line.startswith(kind))
        assert row.split()[-1] == count
