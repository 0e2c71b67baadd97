"""`tracelake check --survey`: what a client version brought."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

LINES = [
    {"type": "user", "uuid": "1", "version": "2.1.9", "message": {"role": "user", "content": "a"}},
    {"type": "user", "uuid": "2", "version": "2.1.10", "message": {"role": "user", "content": "a"}, "mood": "good"},
    {"type": "brand-new", "payload": {"x": 1}},
    {"type": "user", "uuid": "3", "version": "2.1.11", "message": {"role": "user", "content": "a"}, "mood": 5},
    {"type": "user", "uuid": "4", "version": "[trimmed]", "message": {"role": "user", "content": "a"}, "mood": 5},
    {"type": "brand-new"},
]


@pytest.fixture(scope="module")
def lake(program, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("survey")
    source = folder / "projects" / "-w" / "5e550000-0000-4000-8000-000000000001.jsonl"
    source.parent.mkdir(parents=True)
    source.write_text("".join(json.dumps({**line, "sessionId": source.stem}) + "\n" for line in LINES))
    done = program("extract", folder, "--lake", folder / "lake", "--engine", "serial", "--json")
    assert done.returncode == 0, done.stderr
    return folder / "lake"


def new(program, lake: Path, *options: str):
    done = program("check", "--survey", *options, "--lake", lake, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_the_newest_version_is_the_default(program, lake: Path):
    answer = new(program, lake)
    assert answer["versions"] == [{"agent": "claude", "version": "2.1.11"}]
    found = [(row["what"], row["type"], row["key_path"], row["json_type"], row["seen_later"]) for row in answer["new"]]
    assert found == [("key", "user", "mood", "number", False)]


def test_a_version_that_is_named(program, lake: Path):
    answer = new(program, lake, "--version", "2.1.10")
    assert answer["versions"] == [{"agent": "claude", "version": "2.1.10"}]
    found = [
        (row["what"], row["class"], row["type"], row["key_path"], row["count"], row["example_line_no"])
        for row in answer["new"]
    ]
    assert found == [("type", "unknown", "brand-new", None, 2, 3), ("key", "message", "user", "mood", 1, 2)]


def test_a_table_for_people(program, lake: Path):
    shown = program("check", "--survey", "--lake", lake).stdout.splitlines()
    assert shown[2].split() == ["claude", "2.1.11"]
    assert shown[-1].split() == ["claude", "key", "message", "user", "-", "mood", "number", "2", "false"]


def test_without_raw_lines_it_says_that_keys_are_not_known(program, tmp_path: Path):
    source = tmp_path / "projects" / "-w" / "5e550000-0000-4000-8000-000000000001.jsonl"
    source.parent.mkdir(parents=True)
    source.write_text(json.dumps({**LINES[0], "sessionId": source.stem}) + "\n")
    program("extract", tmp_path / "projects", "--lake", tmp_path / "lake", "--no-raw", "--engine", "serial")
    done = program("check", "--survey", "--lake", tmp_path / "lake")
    assert (done.returncode, "--no-raw" in done.stderr) == (0, True)


def test_what_cannot_be_answered_is_one_line(program, lake: Path):
    done = program("check", "--survey", "--version", "9.9", "--lake", lake)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"tracelake: error: no line in {lake} was written by version '9.9'\n"
    done = program("check", "--version", "2.1.9", "--lake", lake)
    assert (done.returncode, done.stderr) == (2, "tracelake: error: --version needs --survey\n")
