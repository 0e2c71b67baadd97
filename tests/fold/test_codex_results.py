"""Codex: what a result says of how a command ended, and what a call is about."""

from __future__ import annotations

import json

import pytest

from tests.fold.folding import fold
from tests.fold.rollouts import event, item, lines, meta


def run(call, output):
    folded = fold(lines(meta(), call, output), "codex")
    (made,), (result,) = folded["tool_calls"], folded["tool_results"]
    return made["status"], made["failed"], result["exit_code"]


def call(**arguments):
    return item("function_call", name="exec_command", call_id="c", arguments=json.dumps(arguments))


def output(text):
    return item("function_call_output", call_id="c", output=text)


HEAD = "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code {}\nOutput:\n"


@pytest.mark.parametrize(
    ("text", "failed", "code"),
    [
        (HEAD.format(0) + "fine", False, 0),
        (HEAD.format(2) + "bad", True, 2),
        (HEAD.format(-9), True, -9),
        (HEAD.format(0) + "Exit code: 3\n", False, 0),
        ("Wall time: 1 s\nOutput:\nProcess exited with code 5\n", False, None),
        ("Exit code: 1\nWall time: 0 seconds\nOutput:\n", True, 1),
        (json.dumps({"output": "x", "metadata": {"exit_code": 7, "duration_seconds": 0.1}}), True, 7),
        (json.dumps({"exit_code": 0}), False, 0),
        ('{"exit_code": "odd"}', False, None),
        ("Script failed\nError: no gas", True, None),
        ("Script completed\n", False, None),
        ("", False, None),
    ],
)
def test_how_a_command_ended(text, failed, code):
    assert run(call(cmd="x"), output(text)) == ("ok", failed, code)


def test_a_call_without_a_result_did_not_fail_as_far_as_is_known():
    (made,) = fold(lines(meta(), call(cmd="x")), "codex")["tool_calls"]
    assert (made["status"], made["failed"]) == ("pending", None)


@pytest.mark.parametrize(
    ("arguments", "detail"),
    [
        ({"cmd": "make test"}, "make test"),
        ({"command": ["ls", "-l"]}, "ls -l"),
        ({"command": ["/bin/bash", "-lc", "make | tail"]}, "make | tail"),
        ({"command": "ls"}, "ls"),
        ({"cmd": "x" * 3000}, None),
        ({"cmd": 5}, None),
    ],
)
def test_a_call_is_about_its_command_line(arguments, detail):
    (made,) = fold(lines(meta(), call(**arguments)), "codex")["tool_calls"]
    assert made["detail"] == detail


def test_a_search_is_done_when_its_item_says_so():
    ended = [event("web_search_end", call_id=name, query=name) for name in ("a", "b")]
    done = item("web_search_call", status="completed", action={})
    rows = fold(lines(meta(), ended[0], done, ended[1], item("web_search_call", status="failed")), "codex")[
        "tool_calls"
    ]
    assert {row["tool_use_id"]: row["status"] for row in rows} == {"a": "ok", "b": "pending"}
