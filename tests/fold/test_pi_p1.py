"""Worked input p1 of the behaviour specification (pi), with the deviations that are meant."""

from pathlib import Path

import pytest

from tests.fold.folding import fold

CORPUS = Path(__file__).parents[1] / "corpus"


@pytest.fixture(scope="module")
def p1():
    return fold((CORPUS / "p1" / "in.jsonl").read_bytes(), "pi")


def test_messages(p1):
    names = ("ordinal", "role", "content", "thinking_text", "thinking_bytes", "has_thinking")
    assert p1.column("messages", *names) == [
        (0, "user", "", None, 0, False),
        (1, "assistant", "a\n", "é", 2, True),
        (2, "assistant", "", None, 0, False),
    ]


def test_the_call(p1):
    (row,) = p1["tool_calls"]
    assert (row["message_ordinal"], row["detail"], row["file_path"], row["category"]) == (1, "ls", None, "bash")
    assert (row["result_text"], row["result_bytes"], row["status"]) == ("e1\n\ne2", 6, "error")


def test_usage_keeps_the_cache_counts(p1):
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "cache_write_5m_tokens")
    assert p1.column("token_usage", *names) == [(11, 7, 5, 2, 2), (1, 1, 0, 0, 0)]  # deviation: not dropped
    first, second = p1["token_usage"]
    assert first["dedup_key"] == second["dedup_key"] == "pi:pi-p1:a1"
