"""`tracelake query --where` and `session --tree`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import SAMPLE
from tests.sql.lakes import write_lake

AVIARY = SAMPLE / "projects" / "-home-ada-aviary"
SESSION = "a3000000-0000-4000-8000-000000000003"
MAIN, AGENT = AVIARY / f"{SESSION}.jsonl", AVIARY / SESSION / "subagents" / "agent-a11c0de5.jsonl"


def lines(program, lake, *arguments):
    done = program("query", "--where", *arguments, "--lake", lake, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return [(row["path"], row["line_no"]) for row in json.loads(done.stdout)]


def expected(path: Path, accept):
    """Place of the entries of a file that are accepted, read apart from the program."""
    records = (json.loads(line) for line in path.read_text("utf-8").split("\n") if line)
    return [(str(path), number) for number, one in enumerate(records, 1) if one.get("uuid") and accept(one)]


def test_the_entries_of_one_file(program, sample_lake: Path):
    found = lines(program, sample_lake, "type = 'assistant'", "--path", MAIN)
    assert found == expected(MAIN, lambda one: one["type"] == "assistant")
    assert found
    with_name = "len(list_filter(message->>'$.content[*].name', lambda one: one = 'Agent')) > 0"
    calls = lines(program, sample_lake, with_name, "--path", MAIN)
    assert len(calls) == 1
    assert set(calls) <= set(found)


def test_sidechains_are_off_by_default(program, sample_lake: Path):
    assert lines(program, sample_lake, "true", "--path", AGENT) == []
    found = lines(program, sample_lake, "true", "--path", AGENT, "--include-sidechains")
    assert found == expected(AGENT, lambda one: True)


def test_the_whole_lake(program, sample_lake: Path):
    found = lines(program, sample_lake, "is_compact_summary")
    assert {path for path, _ in found} == {str(MAIN)}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--where", "type::INT = 1"], "on every one of"),
        (["--where", "type"], "gives VARCHAR, not true or false"),
        (["--where", "tool = 'x'"], "tool"),
        (["--where", "true", "--path", "../../x"], "is not in the lake"),
        (["--where", "true", "--path", "x" * 300], "is not in the lake"),
        (["--where", "true", "--path", "..\\..\\x"], "is not in the lake"),
        (["SELECT 1", "--where", "true"], "not both"),
        (["SELECT 1", "--path", "x"], "go with --where"),
        (["SELECT 1", "--include-sidechains"], "go with --where"),
        (["--where", "(SELECT count(*) FROM read_text('/etc/hostname')) > 0"], "hostname"),
    ],
)
def test_a_wrong_request_is_one_line(program, sample_lake: Path, arguments, words):
    done = program("query", *arguments, "--lake", sample_lake)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("tracelake: error: ")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_tree(program, sample_lake: Path):
    done = program("session", SESSION, "--tree", "--lake", sample_lake, "--json")
    rows = json.loads(done.stdout)
    assert [(row["depth"], row["path"], row["parent_path"]) for row in rows] == [
        (0, str(MAIN), None),
        (1, str(AGENT), str(MAIN)),
    ]
    shown = program("session", SESSION, "--tree", "--lake", sample_lake).stdout.splitlines()
    assert shown[2].startswith("main ")
    assert shown[3].startswith("  a11c0de5 ")


@pytest.mark.parametrize("session", ["../../x", "..\\x", "x" * 300, "' OR true --"])
def test_hostile_session_ids_are_refused_in_one_line(program, sample_lake: Path, session):
    done = program("session", session, "--tree", "--lake", sample_lake)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_an_empty_lake(program, tmp_path: Path):
    empty = write_lake(tmp_path / "empty", {}).paths.root
    assert lines(program, empty, "type::INT = 1") == []  # nothing was offered
    done = program("session", "x", "--tree", "--lake", empty)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
