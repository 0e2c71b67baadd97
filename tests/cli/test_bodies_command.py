"""`tracelake bodies`: lift, list, restore, and what it says when it cannot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


def transcript(path: Path, text: str) -> bytes:
    block = {"type": "tool_result", "tool_use_id": "t1", "content": text}
    line = {
        "type": "user",
        "sessionId": "s",
        "uuid": "u",
        "cwd": "/owl",
        "message": {"role": "user", "content": [block]},
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(line) + "\n")
    return path.read_bytes()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    transcript(tmp_path / "home" / "projects" / "p" / "a.jsonl", "owl")
    transcript(tmp_path / "home" / "projects" / "p" / "b.jsonl", "eagle owl")
    (tmp_path / "home" / "projects" / "p" / "notes.txt").write_text("an owl\n")
    return tmp_path / "home"


def test_lift_list_restore(program, home: Path, tmp_path: Path):
    sources = {path: path.read_bytes() for path in home.rglob("*.jsonl")}
    folder = tmp_path / "folder"
    done = program("bodies", "lift", home, "--folder", folder, "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [(Path(row["path"]).name, row["bodies"], row["agent"]) for row in rows] == [
        ("a.jsonl", 1, "claude"),
        ("b.jsonl", 1, "claude"),
    ]
    assert all(b"__akari_cas__" in path.read_bytes() for path in sources)

    listed = json.loads(program("bodies", "list", home, "--json").stdout)
    assert [(row["line_no"], row["bytes"], row["media_type"], row["is_lifted"]) for row in listed] == [
        (1, 3, "text/plain", True),
        (1, 9, "text/plain", True),
    ]
    records = json.loads(program("bodies", "list", "--folder", folder, "--json").stdout)
    assert [(Path(row["path"]).name, row["bodies"], row["source_bytes"]) for row in records] == [
        (path.name, 1, len(source)) for path, source in sorted(sources.items())
    ]

    assert program("bodies", "restore", home, "--folder", folder).returncode == 0
    assert {path: path.read_bytes() for path in sources} == sources
    again = program("bodies", "restore", home, "--folder", folder, "--json")
    assert (again.returncode, [row["bodies"] for row in json.loads(again.stdout)]) == (0, [0, 0])


def test_bodies_that_look_like_transcripts_are_not_lifted_out_of_their_folder(program, home: Path):
    inner = transcript(home / "inner.jsonl", "owl").decode()
    transcript(home / "projects" / "p" / "a.jsonl", inner)
    (home / "inner.jsonl").unlink()
    folder = home / "projects" / "p" / "bodies"
    for _ in range(2):
        done = program("bodies", "lift", home, "--folder", folder)
        assert done.returncode == 0, done.stderr
    assert program("bodies", "restore", home, "--folder", folder).returncode == 0
    assert json.dumps(inner) in (home / "projects" / "p" / "a.jsonl").read_text()


def test_some_that_fail_are_exit_code_4_and_the_rest_is_done(program, home: Path, tmp_path: Path):
    good = home / "projects" / "p" / "a.jsonl"
    done = program("bodies", "lift", home / "none.jsonl", good, "--folder", tmp_path / "folder", "--json")
    assert done.returncode == 4
    assert "cannot read" in done.stderr
    assert "none.jsonl" in done.stderr
    assert [row["bodies"] for row in json.loads(done.stdout)] == [1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["lift"], "--folder"),
        (["lift", "x.jsonl"], "--folder"),
        (["lift", "--folder", "f"], "name a transcript"),
        (["lift", "x.jsonl", "--folder", "f"], "cannot read x.jsonl: No such file"),
        (["restore", "x.jsonl", "--folder", "nowhere"], "nowhere is no folder"),
        (["list"], "name transcripts"),
        (["list", "x.jsonl", "--folder", "f"], "name transcripts"),
        (["list", "--folder", "nowhere"], "nowhere is no folder"),
        (["list", "x.jsonl"], "cannot read x.jsonl"),
        (["drop", "x.jsonl"], "'drop'"),
        ([], "action"),
    ],
)
def test_wrong_requests_are_one_line_and_exit_code_2(program, tmp_path: Path, arguments: list[str], words: str):
    done = program("bodies", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert words.lower() in done.stderr.lower()


def test_a_transcript_lifted_elsewhere_is_not_restored(program, home: Path, tmp_path: Path):
    path = home / "projects" / "p" / "a.jsonl"
    program("bodies", "lift", path, "--folder", tmp_path / "one")
    (tmp_path / "two").mkdir()
    done = program("bodies", "restore", path, "--folder", tmp_path / "two")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no record in" in done.stderr
