"""Worked input x1 of the behaviour specification (Codex), with the deviations that are meant."""

from pathlib import Path

import pytest

from tests.fold.folding import fold

CORPUS = Path(__file__).parents[1] / "corpus"


@pytest.fixture(scope="module")
def x1():
    return fold((CORPUS / "x1" / "in.jsonl").read_bytes(), "codex")


def test_messages(x1):
    names = ("ordinal", "role", "content", "thinking_text", "thinking_bytes", "model")
    assert x1.column("messages", *names) == [
        (0, "system", "SYS", None, 0, None),
        (1, "context", "<environment_context>x</environment_context>", None, 0, None),
        (2, "user", "dig\ndeeper", None, 0, None),
        (3, "assistant", "one\ntwo", "open\nplan", 15, "gpt-fox"),
        (4, "user", "bye", None, 0, None),
        (5, "assistant", "", "streamed", 8, "gpt-fox"),  # the model that was set counts for every turn
    ]
    turn = next(row for row in x1["messages"] if row["ordinal"] == 3)
    assert (turn["thinking_plain_bytes"], turn["thinking_encrypted_bytes"]) == (9, 6)
    assert (turn["line_no"], turn["last_line_no"], turn["has_tool_use"]) == (7, 18, True)


def test_calls_and_results(x1):
    names = ("tool_use_id", "message_ordinal", "call_index", "tool_name", "category", "file_path", "detail", "status")
    rows = {row["tool_use_id"]: row for row in x1["tool_calls"]}
    assert sorted(tuple(row[name] for name in names) for row in rows.values()) == [
        ("k1", 3, 0, "exec_command", "bash", "x.txt", "zz", "ok"),
        ("k2", 3, 1, "odd", "", None, None, "pending"),
        ("k3", 3, 2, "apply_patch", "edit", None, None, "ok"),
        ("k5", 3, 3, "mcp__s__t", "", None, "u1", "error"),
    ]
    assert (rows["k1"]["result_text"], rows["k1"]["result_media_type"]) == (
        '{"content":"boom","success":false}',
        "application/json",
    )
    assert (rows["k2"]["input_json"], rows["k2"]["input_media_type"]) == ("not json {", "application/json")
    assert rows["k3"]["input_media_type"] == "text/plain"
    assert rows["k3"]["result_text"] == '{"output":"no","metadata":{"exit_code":1}}'
    assert (rows["k5"]["input_json"], rows["k5"]["result_text"]) == ('{"url":"u1"}', '{"Err":"bad"}')


def test_patched_files(x1):
    paths = {row["tool_use_id"]: row["patch_paths"] for row in x1["tool_calls"]}
    assert paths == {"k1": None, "k2": None, "k3": ["den/a.md", "b c.md"], "k5": None}


def test_usage(x1):
    names = ("message_ordinal", "model", "input_tokens", "output_tokens", "cache_read_tokens", "thinking_tokens")
    assert x1.column("token_usage", *names) == [
        (None, None, 6, 3, 4, 1),
        (3, "gpt-fox", 0, 1, 9, 0),
        (3, "gpt-fox", 0, 1, 9, 0),
        (None, "gpt-fox", 2, 1, 0, 0),
    ]
    # Without running totals nothing says that the third count repeats the second.
    assert len({row["dedup_key"] for row in x1["token_usage"]}) == 4


def test_the_file(x1):
    facts = x1.facts
    assert (facts.start_cwd, facts.git_branch) == ("/srv/fox", "den")
    assert list(facts.session_ids) == ["thread-x1"]
    assert facts.root == ("thread-x1", None, "2031-06-01T08:00:00Z")
    assert facts.strict_error is None
