"""`tracelake cite`: what it prints and how it ends."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.citations.records import MAIN, OTHER, Tree, bash, block, call, result, transcript, user

ROOT, A = f"{MAIN}.jsonl", f"{MAIN}/subagents/agent-a.jsonl"
ASKED = 'The user answered: "Pick a port?"="8081". Read the answers'


class Asked:
    """The command over one lake."""

    def __init__(self, program, tree: Tree) -> None:
        self._program, self.tree = program, tree
        self.root = tree.path(ROOT)

    def __call__(self, *arguments, out=None, **options):
        done = self._program("cite", *arguments, "--lake", self.tree.lake, **options)
        if out is not None:
            assert done.stdout == out, done.stderr
        return done


@pytest.fixture(scope="module")
def ask(program, tmp_path_factory) -> Asked:
    tree = Tree(tmp_path_factory.mktemp("cite"))
    tree.write(
        {
            ROOT: transcript(
                user("please retry the build"), user("retry once more"),
                call("q1", "AskUserQuestion"), result("q1", ASKED),
                bash("b1", "make"), result("b1", "built ok"), bash("g1", "git log"), result("g1", "subject line"),
                user([{"type": "text", "text": "beside"}, block("b1", "nothing else")]),
            ),
            A: transcript(user("count the boxes"), bash("b1", "ls"), result("b1", "boxes: 3"), isSidechain=True),
            f"{OTHER}.jsonl": transcript(user("an older wish")),
        }
    )  # fmt: skip
    done = program("extract", tree.home, "--lake", tree.lake, "--engine", "serial", "--quiet")
    assert done.returncode == 0, done.stderr
    return Asked(program, tree)


def test_one_entry_is_path_and_line(ask: Asked):
    assert ask("retry the  build", out=f"{ask.root}:1\n").returncode == 0
    assert ask("8081", "--from", ask.root, out=f"{ask.root}:4\n").returncode == 0
    assert ask("8081", "--from", MAIN, out=f"{ask.root}:4\n").returncode == 0
    assert ask("boxes: 3", "--from", ask.root, "--pool", "tool_result", out=f"{ask.tree.path(A)}:3\n").returncode == 0


def test_none(ask: Asked):
    done = ask("never said", "--from", ask.root, out="")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert ask("subject line", "--from", ask.root, "--pool", "tool_result", out="").returncode == 1


def test_hints_follow_the_error(ask: Asked):
    done = ask("count the boxes", "--from", ask.tree.path(A), out="")
    assert done.returncode == 1
    assert "dispatched" in done.stderr and "You are a sub-agent" in done.stderr
    assert ask("count the boxes", "--from", ask.tree.path(A), "--quiet").stderr.count("\n") == 1


def test_several_are_listed(ask: Asked):
    done = ask("retry", "--from", ask.root, out=f"{ask.root}:1\n{ask.root}:2\n")
    assert done.returncode == 2
    assert json.loads(ask("retry", "--json").stdout)["sameEntry"] is False


def test_asked_of_a_sub_agent(ask: Asked):
    assert ask("retry the build", "--from", ask.tree.path(A), "--as-subagent", out=f"{ask.root}:1\n").returncode == 0
    assert ask("retry the build", "--from", ask.root, "--as-subagent", out="").returncode == 3


@pytest.mark.parametrize(
    "arguments",
    [
        [], [""], ["x", "--pool", "users"], ["x", "--from", "/nowhere.jsonl"], ["x", "--as-subagent"],
        ["x", "--across"],
        ["x", "--at", "/p:1"], ["--at", "nowhere"], ["--at", "/nowhere:1"], ["x", "--bogus"], ["x", "y"],
        ["x", "--json", "--format", "csv"], ["x", "--lake", "/nowhere"],
    ],
)  # fmt: skip
def test_wrong_usage_is_64(ask: Asked, arguments):
    done = ask._program("cite", "--lake", ask.tree.lake, *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (64, "", 1), done.stderr


def test_the_record_as_json_and_csv(ask: Asked):
    record = json.loads(ask("built", "--pool", "user,tool_result", "--format", "json").stdout)
    assert record == {
        "quote": "built", "sourceTypes": ["tool_result"], "path": ask.root, "line": 6, "message": "built ok",
        "call": "Bash: make",
    }  # fmt: skip
    answer = json.loads(ask("8081", "--json").stdout)
    assert list(answer) == ["quote", "sourceTypes", "path", "line", "message"]
    assert answer["message"] == ASKED
    rows = list(csv.DictReader(io.StringIO(ask("8081", "--format", "csv").stdout)))
    assert [(row["path"], row["line"], row["message"]) for row in rows] == [(ask.root, "4", ASKED)]


def test_explain_lists_every_text_with_its_reasons(ask: Asked):
    done = ask("subject line", "--pool", "tool_result", "--from", ask.root, "--explain", "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert (found["citation"], found["hints"]) == (None, ["ECHO"])
    assert [(text["line_no"], text["citable"], text["reasons"]) for text in found["texts"]] == [(8, False, ["echo"])]
    one = json.loads(ask("8081", "--explain", "--json").stdout)
    assert one["citation"]["line"] == 4
    assert [(text["kind"], text["reasons"]) for text in one["texts"]] == [
        ("answer", []),
        ("envelope", ["answer_envelope"]),
    ]
    assert "answer_envelope" in ask("8081", "--explain").stdout


def test_the_shortest_quote(ask: Asked):
    assert ask("--at", f"{ask.root}:6", out="ok\n").returncode == 0
    assert json.loads(ask("--at", f"{ask.root}:2", "--json").stdout) == {"quote": "more", "path": ask.root, "line": 2}
    assert ask("--at", f"{ask.root}:5").returncode == 1
    assert ask("--at", f"{ask.root}:8").returncode == 1


def test_across_sessions(ask: Asked):
    other = ask.tree.path(f"{OTHER}.jsonl")
    assert ask("an older wish", "--from", ask.root, out="").returncode == 1
    assert ask("an older wish", "--from", ask.root, "--across", out=f"{other}:1\n").returncode == 0


def test_to_a_file(ask: Asked, tmp_path: Path):
    assert ask("8081", "--output", tmp_path / "place", out="").returncode == 0
    assert (tmp_path / "place").read_text() == f"{ask.root}:4\n"
