"""Worked input c2 of the behaviour specification (results and images), with the deviations that are meant."""

import hashlib
from pathlib import Path

import pytest

from tests.fold.folding import fold

CORPUS = Path(__file__).parents[1] / "corpus"
PNG_SHA = "4618f43c044a6e58387a59676c23f2b65cb35d480949ebfe2c96b9dc6e35a9fb"


@pytest.fixture(scope="module")
def data():
    return (CORPUS / "c2" / "in.jsonl").read_bytes()


@pytest.fixture(scope="module")
def c2(data):
    return fold(data)


def test_rows(c2):
    assert c2.column("messages", "ordinal", "role", "content") == [
        (0, "user", ""),
        (1, "user", "again"),
        (2, "assistant", ""),
    ]


def test_one_attachment_row_per_occurrence(c2):
    """The specification keeps the repeated picture once; here every occurrence is a row, with its sha."""
    names = ("message_ordinal", "carrier", "media_type", "bytes")
    assert c2.column("attachments", *names) == [
        (0, "user_image", "image/png", 23),
        (1, "user_image", "image/png", 23),
        (1, "user_image", "image/svg+xml", 12),
        (2, "tool_result_image", "image/png", 23),  # deviation: images inside results count too
    ]
    assert [row["sha256"] for row in c2["attachments"]].count(PNG_SHA) == 3
    assert c2["attachments"][2]["sha256"] == hashlib.sha256(b"%PDF-1.7 owl").hexdigest()


def test_attachment_spans_point_at_the_encoded_value(c2, data):
    for row in c2["attachments"]:
        start, size = row["byte_offset"], row["byte_len"]
        assert data[start - 1 : start] == data[start + size : start + size + 1] == b'"'


def test_details_and_paths(c2):
    names = ("tool_use_id", "detail", "file_path", "input_bytes")
    assert sorted(c2.column("tool_calls", *names)) == [
        ("t1", "qq", "a/b.md", 35),
        ("t2", "find me", None, 44),
        ("t3", None, None, 15),  # file_path 5 is no string
    ]


def test_results(c2):
    names = ("tool_use_id", "status", "result_text", "result_bytes", "result_media_type")
    assert sorted(c2.column("tool_calls", *names)) == [
        ("t1", "ok", "l1\nbare\nl2", 10, "text/plain"),
        ("t2", "ok", '{"k":1}', 7, "application/json"),
        ("t3", "ok", "42", 2, "text/plain"),  # the first result wins
    ]
    assert [(r["tool_use_id"], r["body"], r["seq"]) for r in c2["tool_results"]] == [
        ("t1", "l1\nbare\nl2", 0),
        ("t2", '{"k":1}', 1),
        ("t3", "42", 2),
        ("t3", "second", 3),
        ("t9", "", 4),
    ]
