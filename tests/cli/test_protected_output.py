"""`--output` replaces no transcript and no file of the lake, whatever name leads to it."""

import json
import os
import shutil
from pathlib import Path

import pytest

PROMPT = {"type": "user", "uuid": "u1", "sessionId": "s1", "message": {"role": "user", "content": "hi"}}


@pytest.fixture
def lake(program, tmp_path: Path) -> Path:
    home = tmp_path / "home" / "projects" / "-w"
    home.mkdir(parents=True)
    (home / "a.jsonl").write_text(json.dumps(PROMPT) + "\n")
    (home / "notes.txt").write_text("notes")
    assert program("extract", tmp_path / "home", "--lake", tmp_path / "lake", "-q").returncode == 0
    return tmp_path / "lake"


def files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


TARGETS = {
    "a transcript": lambda home, lake: home / "a.jsonl",
    "another file of the source": lambda home, lake: home / "notes.txt",
    "the database of the lake": lambda home, lake: lake / "tracelake.duckdb",
    "a new file in the lake": lambda home, lake: lake / "new.csv",
}
LINKS = {
    "by its name": lambda target, link: target,
    "by a symbolic link": lambda target, link: link.symlink_to(target) or link,
    "by a hard link": lambda target, link: os.link(target, link) or link,
}


@pytest.mark.parametrize("way", LINKS)
@pytest.mark.parametrize("what", TARGETS)
def test_it_is_refused_and_nothing_is_changed(program, lake: Path, tmp_path: Path, what: str, way: str):
    target = TARGETS[what](tmp_path / "home" / "projects" / "-w", lake)
    if way == "by a hard link" and not target.exists():
        pytest.skip("a file that does not exist has no hard link")
    output = LINKS[way](target, tmp_path / "out.csv")
    before = files(tmp_path)
    done = program("query", "SELECT 1 AS x", "--lake", lake, "--output", output)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"tracelake: error: --output {output} ")
    assert done.stderr.count("\n") == 1
    assert {name: data for name, data in files(tmp_path).items() if "lock" not in name} == {
        name: data for name, data in before.items() if "lock" not in name
    }


@pytest.mark.parametrize("command", [("report", "cost"), ("status",), ("schema",), ("check",), ("session", "s1")])
def test_every_command_refuses(program, lake: Path, tmp_path: Path, command):
    target = tmp_path / "home" / "projects" / "-w" / "a.jsonl"
    before = target.read_bytes()
    assert program(*command, "--lake", lake, "--output", target).returncode == 2
    assert target.read_bytes() == before


def test_a_transcript_that_no_lake_knows(program, tmp_path: Path, lake: Path):
    target = shutil.copy(tmp_path / "home" / "projects" / "-w" / "a.jsonl", tmp_path / "elsewhere.jsonl")
    assert program("query", "SELECT 1 AS x", "--lake", lake, "--output", target).returncode == 2
