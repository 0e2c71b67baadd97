"""What toolUseResult says of a tool's run (parser.md 8.6)."""

import json

import pytest

from tests.fold.folding import fold


def result(structured, body="x", blocks=1):
    content = [{"type": "tool_result", "tool_use_id": f"t{n}", "content": body} for n in range(blocks)]
    record = {"type": "user", "message": {"content": content}}
    if structured is not ...:
        record["toolUseResult"] = structured
    return fold(json.dumps(record, separators=(",", ":")).encode())["tool_results"]


def test_the_worked_example_of_a_failed_shell():
    (row,) = result("Error: Exit code 3\nboom")
    assert (row["present"], row["text"], row["exit_code"]) == (True, "Error: Exit code 3\nboom", 3)
    names = ("stdout", "stderr", "interrupted", "result_file_path", "result_agent_id", "result_status")
    assert [row[name] for name in names] == [None] * 6


def test_a_shell():
    (row,) = result({"stdout": "out", "stderr": "", "interrupted": False, "exitCode": 0})
    assert (row["stdout"], row["stderr"], row["interrupted"], row["exit_code"]) == ("out", "", False, 0)
    assert row["raw"] == '{"stdout":"out","stderr":"","interrupted":false,"exitCode":0}'


@pytest.mark.parametrize(
    ("structured", "body", "code"),
    [
        ({"exit_code": 7}, "x", 7),
        ({"exitCode": 1, "exit_code": 7}, "x", 1),
        ({"exitCode": "1"}, "x", None),
        ({"exitCode": 1.5}, "x", None),
        ({}, "Exit code 2\nmore", 2),
        (..., "Exit code 127", 127),
        ({"stdout": "fine"}, "the Exit code 2", None),
    ],
)
def test_exit_codes(structured, body, code):
    (row,) = result(structured, body)
    assert row["exit_code"] == code


def test_read_and_edit():
    (row,) = result({"type": "text", "file": {"filePath": "/a", "startLine": 5, "numLines": 20}})
    assert (row["result_file_path"], row["start_line"], row["num_lines"]) == ("/a", 5, 20)
    (row,) = result({"filePath": "/b", "structuredPatch": [{"oldStart": 1}], "file": {"filePath": "/c"}})
    assert (row["result_file_path"], row["structured_patch"]) == ("/b", '[{"oldStart":1}]')


def test_agents():
    (row,) = result({"status": "async_launched", "agentId": "a1"})
    assert (row["result_status"], row["result_agent_id"]) == ("async_launched", "a1")
    (row,) = result({"success": True, "message": "m", "resumedAgentId": "a1"})
    assert row["resumed_agent_id"] == "a1"


@pytest.mark.parametrize(("structured", "present"), [(..., False), (None, False), (True, True), ([], True), ("", True)])
def test_present(structured, present):
    (row,) = result(structured)
    assert row["present"] is present


def test_with_two_results_on_a_line_it_belongs_to_neither():
    assert [row["present"] for row in result({"stdout": "x"}, blocks=2)] == [False, False]


def test_mistyped_members_are_no_evidence():
    (row,) = result({"stdout": 5, "interrupted": "true", "file": 3, "structuredPatch": {}, "agentId": ["x"]})
    names = ("stdout", "interrupted", "structured_patch", "result_agent_id")
    assert [row[name] for name in names] == [None, True, None, None]
