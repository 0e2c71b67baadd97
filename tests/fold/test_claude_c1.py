"""Worked input c1 of the behaviour specification (Claude folding), with the deviations that are meant."""

from datetime import datetime
from pathlib import Path

import pytest

from tests.fold.folding import fold

CORPUS = Path(__file__).parents[1] / "corpus"


def us(text):
    return int(datetime.fromisoformat(text).timestamp() * 1_000_000)


@pytest.fixture(scope="module")
def c1():
    return fold((CORPUS / "c1" / "in.jsonl").read_bytes())


def test_rows_and_roles(c1):
    assert c1.column("messages", "ordinal", "role", "content") == [
        (0, "user", "Rename the owl"),
        (1, "assistant", "no id 1"),
        (2, "assistant", "no id 2"),
        (3, "assistant", "part 1\npart 2"),
        (4, "context", "injected"),
        (5, "assistant", ""),
        (6, "user", "and also this"),
        (7, "assistant", "plain string"),  # deviation from J8: string content is kept
        (8, "assistant", ""),
    ]


def test_the_folded_turn(c1):
    turn = c1["messages"][3]
    assert turn["ordinal"] == 3
    assert (turn["thinking_bytes"], turn["thinking_signature_bytes"], turn["thinking_plain_bytes"]) == (5, 5, 0)
    assert (turn["has_thinking"], turn["thinking_text"], turn["has_tool_use"]) == (True, None, True)
    assert (turn["model"], turn["timestamp"]) == ("m-b", us("2031-05-01T08:00:04+00:00"))
    assert (turn["line_no"], turn["last_line_no"]) == (5, 8)


def test_times_and_redacted_thinking(c1):
    rows = {row["ordinal"]: row for row in c1["messages"]}
    assert rows[7]["timestamp"] is None
    assert (rows[8]["thinking_bytes"], rows[8]["thinking_redacted_bytes"]) == (3, 3)
    assert rows[8]["message_id"] == "D"  # of duplicate keys the last wins
    assert c1.facts.end_time == us("2031-05-01T08:00:12+00:00")
    assert min(e["timestamp"] for e in c1["entries"] if e["timestamp"]) == us("2031-05-01T06:00:01.500+00:00")
    assert (c1.facts.start_cwd, c1.facts.git_branch) == ("/srv/owl", "trunk")


def test_calls(c1):
    names = ("tool_use_id", "message_ordinal", "call_index", "category", "detail", "status", "result_text")
    by_id = {row["tool_use_id"]: tuple(row[name] for name in names[1:]) for row in c1["tool_calls"]}
    assert by_id == {
        "t1": (3, 0, "bash", "ls", "pending", None),
        "t2": (5, 0, "", None, "error", "null"),
    }
    t2 = next(row for row in c1["tool_calls"] if row["tool_use_id"] == "t2")
    assert (t2["result_bytes"], t2["result_media_type"], t2["result_line_no"]) == (4, "text/plain", 11)


def test_usage_every_line(c1):
    names = ("byte_offset", "message_ordinal", "model", "input_tokens", "output_tokens", "dedup_key")
    assert c1.column("token_usage", *names) == [
        (469, 3, "m-a", 7, 2, "A"),
        (923, 3, "m-b", 7, 40, "A"),
        (1315, 5, "m-b", 7, 41, "A"),
    ]


def test_every_line_is_an_entry(c1):
    assert [row["status"] for row in c1["entries"]] == ["ok"] * 12 + ["bad_json", "ok"]
    assert c1["entries"][12]["error"] == "not JSON: 'not json'"
    assert c1.facts.strict_error == "line 13: not JSON: 'not json'"
