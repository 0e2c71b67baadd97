"""C-11, C-12."""

import json
import os
from pathlib import Path

import pytest
from tracelake.citations.calls import CallJudge
from tracelake.citations.harness_text import looks_like_transcript
from tracelake.citations.reads import TranscriptReads, command_paths

RECORD = json.dumps({"type": "user", "uuid": "u", "sessionId": "s", "parentUuid": None, "version": "2"})


def test_path_like_words_of_a_command():
    words = command_paths("cat x.output >out/y --log=/a/b.jsonl # see /c")
    assert list(words) == ["x.output", "out/y", "/a/b.jsonl"]


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("make all", []),
        ("cat 'a b'/c \"d/e\" f\\ g/h", ["a b/c", "d/e", "f g/h"]),
        ("(cat /p/q); `cat /r` |x", ["/p/q", "/r"]),
        ("cat</in 2>/err", ["/in", "/err"]),
        ("ls -x/y a#/b", ["a#/b"]),
        ("# /a\ncat /b", ["/b"]),
        ("cat '/open", ["/open"]),
        ("cat 'a\\'/b", ["a\\/b"]),
        ("cat /x\x1c/y", ["/x\x1c/y"]),
    ],
)
def test_words_as_the_rule_cuts_them(command: str, paths: list[str]):
    assert list(command_paths(command)) == paths


@pytest.fixture
def home(tmp_path: Path) -> Path:
    project = tmp_path / "home" / "projects" / "-w"
    project.mkdir(parents=True)
    (project / "s.jsonl").write_text(RECORD + "\n")
    (project / "notes.md").write_text("notes")
    (tmp_path / "home" / "settings.json").write_text("{}")
    return tmp_path / "home"


@pytest.fixture
def reads(home: Path) -> TranscriptReads:
    return TranscriptReads([home])


def test_what_lies_in_projects_is_a_transcript(reads: TranscriptReads, home: Path):
    assert reads.live(f"{home}/projects/-w/s.jsonl", None)
    assert reads.live(f"{home}/projects/-w/notes.md", None)
    assert not reads.live(f"{home}/projects/-w/gone.jsonl", None)
    assert not reads.live(f"{home}/settings.json", None)
    assert not reads.live(f"{home}/projects2", None)


def test_a_relative_path_needs_a_working_directory(reads: TranscriptReads, home: Path):
    assert reads.live("-w/s.jsonl", f"{home}/projects")
    assert not reads.live("-w/s.jsonl", None)
    assert not reads.live("-w/s.jsonl", str(home))


def test_a_pattern_is_judged_by_the_folder_before_it(reads: TranscriptReads, home: Path):
    assert reads.live(f"{home}/projects/*/gone.jsonl", None)
    assert reads.live(f"{home}/projects/-w/[x", None)
    assert not reads.live(f"{home}/*/s.jsonl", None)


def test_symlinks_are_followed(reads: TranscriptReads, home: Path, tmp_path: Path):
    tasks = tmp_path / "tasks"
    tasks.mkdir()
    (tasks / "a1.output").symlink_to(home / "projects" / "-w" / "s.jsonl")
    (tmp_path / "alias").symlink_to(home / "projects")
    assert reads.live(str(tasks / "a1.output"), None)
    assert reads.live(f"{tmp_path}/alias/*", None)


def test_a_file_elsewhere_is_known_by_its_first_twenty_lines(reads: TranscriptReads, tmp_path: Path):
    early, late, data = tmp_path / "early", tmp_path / "late", tmp_path / "data.jsonl"
    early.write_text("x\n" * 19 + RECORD)
    late.write_text("x\n" * 20 + RECORD)
    data.write_text(json.dumps({"uuid": "u", "sessionId": "s", "value": 1}) + "\n")
    assert reads.live(str(early), None)
    assert not reads.live(str(late), None)
    assert not reads.live(str(data), None)


def test_a_pipe_is_not_opened(reads: TranscriptReads, tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    assert not reads.live(str(tmp_path / "pipe"), None)


def test_an_overlong_line_ends_the_look(reads: TranscriptReads, tmp_path: Path):
    long = tmp_path / "long"
    long.write_text("x" * (4 * 1024 * 1024 + 1) + "\n" + RECORD)
    assert not reads.live(str(long), None)


def verdict(home: Path, name: str, cwd: str | None = "/w", **given: str):
    found = CallJudge(TranscriptReads([home])).judge(name, json.dumps(given).encode(), cwd)
    return found.reads_transcript_live, found.reads_transcript_static, found.reads_transcript


@pytest.mark.parametrize("key", ["file_path", "path", "notebook_path"])
def test_the_inputs_that_name_files(home: Path, key: str):
    assert verdict(home, "Read", **{key: f"{home}/projects/-w/s.jsonl"}) == (True, True, True)
    assert verdict(home, "Read", other=f"{home}/projects/-w/s.jsonl") == (False, False, False)


def test_a_transcript_that_is_gone_is_known_by_its_folder(home: Path):
    assert verdict(home, "Read", file_path="/Users/x/.claude/projects/-p/s.jsonl") == (False, True, True)
    assert verdict(home, "Bash", command="jq . /old/projects/-home-x/s.jsonl") == (False, True, True)
    assert verdict(home, "Read", file_path=f"{home}/projects/-w/gone.jsonl") == (False, True, True)
    assert verdict(home, "Read", file_path="/w/projects/app/x.py") == (False, False, False)


def test_the_name_of_a_task_s_output_decides_nothing(home: Path):
    assert verdict(home, "Read", file_path="/tmp/c/tasks/b7.output") == (False, True, False)


def test_a_comment_that_mentions_the_folder_is_no_reading(home: Path):
    assert verdict(home, "Bash", command=f"make # see {home}/projects/-w/s.jsonl") == (False, False, False)


def test_input_that_is_no_object(home: Path):
    assert CallJudge(TranscriptReads([home])).judge("Bash", b'"git log"', None).echo is False
    assert CallJudge(TranscriptReads([home])).judge("Bash", b'{"command":', None).echo is True


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ('grep:{"type":"user","uuid":"u","sessionId":"s","parentUuid":null,"version":"2"}', True),
        ('grep:{"type":"user","uuid":"u","sessionId":"s","parentUuid":null}', False),
        ('{"type":"user","uuid":"u","sessionId":"s","parentUuid":null,"userType":"external"}', True),
        ('     3\t{"type":"system","uuid":"u","sessionId":"s","parentUuid":"p","version":"2"}', True),
        ('text\n{"type":"attachment","uuid":"u","sessionId":"s","parentUuid":"p","version":"2"} \ntext', True),
        ('{"type":"progress","uuid":"u","sessionId":"s","parentUuid":"p","version":"2"}', False),
        ('{"type":"user","uuid":"","sessionId":"s","parentUuid":"p","version":"2"}', False),
        ('{"type":"user","uuid":"u","sessionId":"","parentUuid":"p","version":"2"}', False),
        ('{"type":"user","uuid":"u","sessionId":"s","version":"2"}', False),
        ('{"type":"user","UUID":"u","sessionId":"s","parentUuid":"p","version":"2"}', False),
        ('{"type":"user","uuid":"u","sessionId":"s","parentUuid":"p","version":"2"} tail', False),
        ('{"type":"user","uuid":"u","sessionId":"s","parentUuid":"p","version":"2"', False),
    ],
)
def test_looks_like_a_transcript(body: str, found: bool):
    assert looks_like_transcript(body) is found
