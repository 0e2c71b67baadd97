"""Rows cannot change without another version of the extractor."""

from __future__ import annotations

import copy

import pytest

from tests.extract import rows_pin
from tests.extract.rows_pin import Pin, what_to_do

CITED = "tests/corpus/c1/in.jsonl"


def test_rows_are_those_of_this_version():
    todo = what_to_do(rows_pin.read_pin(), rows_pin.present())
    assert todo is None, todo


@pytest.fixture
def pin() -> Pin:
    return copy.deepcopy(rows_pin.read_pin())


def test_other_rows_of_the_same_bytes_need_another_version(pin: Pin):
    now = copy.deepcopy(pin)
    now["files"][CITED]["rows"]["entries"] = "changed"
    del now["files"][CITED]["rows"]["messages"]
    said = what_to_do(pin, now)
    assert said is not None
    assert f"entries of {CITED}\n  messages of {CITED}\n" in said
    assert f"raise EXTRACTOR_VERSION above {pin['extractor_version']} and write the pin again" in said


def test_with_another_version_the_pin_is_written_again(pin: Pin):
    now = copy.deepcopy(pin)
    now["files"][CITED]["rows"]["entries"] = "changed"
    now["extractor_version"] += 1
    said = what_to_do(pin, now)
    assert said == "The corpus or the version changed: write the pin again: python -m tests.extract.rows_pin"


def test_another_corpus_needs_no_other_version(pin: Pin):
    now = copy.deepcopy(pin)
    now["files"]["tests/corpus/new.jsonl"] = {"bytes": "b", "rows": {"entries": "e"}}
    now["files"][CITED] = {"bytes": "other", "rows": {"entries": "other"}}
    assert rows_pin.changed_rows(pin, now) == []
    assert what_to_do(pin, now) is not None


def test_a_file_that_gives_no_rows_any_more_is_a_change(pin: Pin):
    now = copy.deepcopy(pin)
    del now["files"][CITED]
    assert f"entries of {CITED}" in rows_pin.changed_rows(pin, now)


def test_rows_do_not_depend_on_the_order_of_columns():
    row = {"session_id": "p1", "path": str(rows_pin.ROOT / "tests/corpus/p1/in.jsonl"), "line_no": 1}
    assert rows_pin.row_text("entries", row) == rows_pin.row_text("entries", dict(reversed(row.items())))
