"""How sessions went: parser.md 7.1 to 7.3, and the archetypes of 7.7."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.sql.lakes import MakeLake, at

NOW = datetime.now(UTC)
RECENT = NOW + timedelta(hours=12)  # not settled, however long the tests take
OLD = NOW - timedelta(minutes=31)
SIGNALS = "tool_calls, failures, retries, edit_churn, longest_failure_streak, trailing_failures, pending"


def turns(text: str) -> list[dict[str, Any]]:
    """Turns by letter: U and A with text, u and a without."""
    roles = {"u": "user", "a": "assistant"}
    return [
        {
            "line_no": n,
            "record_no": 0,
            "ordinal": n,
            "role": roles[one.lower()],
            "content": "x" if one.isupper() else "",
        }
        for n, one in enumerate(text)
    ]


def calls(text: str, **more: Any) -> list[dict[str, Any]]:
    """Calls by letter: e error, o ok, p pending; every call has a tool input of its own."""
    status = {"e": "error", "o": "ok", "p": "pending"}
    return [
        {
            "line_no": n,
            "record_no": 0,
            "message_ordinal": n,
            "call_index": 0,
            "tool_use_id": f"t{n}",
            "tool_name": "Bash",
            "category": "bash",
            "input_sha256": f"h{n}",
            "status": status[one],
            **more,
        }
        for n, one in enumerate(text)
    ]


def edit(number: int, path: str | None = "/a.py") -> dict[str, Any]:
    return calls("o")[0] | {
        "message_ordinal": number, "tool_use_id": f"e{number}", "category": "edit", "tool_name": "Edit",
        "input_sha256": f"e{number}", "file_path": path,
    }  # fmt: skip


def quality(
    make_lake: MakeLake, messages: str, tools: list[dict[str, Any]] | None = None, ended: datetime = OLD, **file: Any
) -> dict[str, Any]:
    row = {"kind": "main", "end_time": ended, "start_time": ended, **file}
    return make_lake({"files": [row], "messages": turns(messages), "tool_calls": tools or []}).one(
        "SELECT * FROM session_quality"
    )


def signals(make_lake: MakeLake, tools: list[dict[str, Any]]) -> tuple[int, ...]:
    lake = make_lake({"tool_calls": tools})
    return tuple(lake.one(f"SELECT {SIGNALS} FROM tool_signals").values())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("oee", (3, 2, 0, 0, 2, 2, 0)),
        ("eeeo", (4, 3, 0, 0, 3, 0, 0)),
        ("eepe", (4, 3, 0, 0, 2, 1, 1)),  # a pending call breaks the run
        ("eoee", (4, 3, 0, 0, 2, 2, 0)),
    ],
)
def test_failures_and_their_runs(make_lake: MakeLake, text: str, expected: tuple[int, ...]) -> None:
    assert signals(make_lake, calls(text)) == expected


def test_a_retry_repeats_tool_and_input_of_the_call_just_before(make_lake: MakeLake) -> None:
    tools = calls("ooooo")
    for call, digest in zip(tools, ("x", "x", "y", "x", "x"), strict=True):
        call["input_sha256"] = digest
    tools[4]["tool_name"] = "Read"
    assert signals(make_lake, tools)[2] == 1
    for call in tools:
        call["input_sha256"] = None
    assert signals(make_lake, tools)[2] == 0  # without an input nothing is a retry


def test_edits_beyond_the_first_of_a_file_are_churn(make_lake: MakeLake) -> None:
    assert signals(make_lake, [edit(0), edit(1), edit(2, "/b.py"), edit(3, None), edit(4)])[3] == 2


def test_replayed_turns_count_once_unless_the_status_differs(make_lake: MakeLake) -> None:
    replayed = [call | {"message_ordinal": call["message_ordinal"] + 10} for call in calls("oe")]
    assert signals(make_lake, calls("oe") + replayed)[:2] == (2, 1)
    assert signals(make_lake, [*calls("o"), calls("e")[0] | {"message_ordinal": 5}])[:2] == (2, 1)
    nameless = [call | {"tool_use_id": None, "input_sha256": "h"} for call in calls("oo")]
    assert signals(make_lake, nameless)[0] == 2  # without an id the place tells calls apart


@pytest.mark.parametrize(
    ("messages", "tools", "ended", "outcome"),
    [
        ("UA", "oeee", OLD, ("errored", "high")),
        ("UA", "op", RECENT, ("unknown", "low")),
        ("A", "op", OLD, ("errored", "medium")),
        ("UA", "op", OLD, ("abandoned", "medium")),
        ("A", "", OLD, ("completed", "medium")),
        ("A", "", RECENT, ("unknown", "low")),
        ("a", "o", OLD, ("unknown", "low")),
        ("ua", "o", OLD, ("unknown", "low")),
        ("UA", "", RECENT, ("completed", "high")),
        ("UAu", "", OLD, ("completed", "high")),
        ("UAU", "", OLD, ("abandoned", "medium")),
        ("UAU", "", RECENT, ("unknown", "low")),
    ],
)
def test_outcome(make_lake: MakeLake, messages: str, tools: str, ended: datetime, outcome: tuple[str, str]) -> None:
    row = quality(make_lake, messages, calls(tools), ended)
    assert (row["outcome"], row["confidence"]) == outcome


def test_a_closing_line_settles_a_session_at_once(make_lake: MakeLake) -> None:
    rows = {
        "files": [{"kind": "main", "end_time": RECENT}],
        "messages": turns("UAU"),
        "entries": [{"line_no": 9, "type": "result"}],
    }
    assert make_lake(rows).one("SELECT settled, outcome FROM session_quality") == {
        "settled": True,
        "outcome": "abandoned",
    }


def test_the_worked_score(make_lake: MakeLake) -> None:
    """3 failures, 3 retries, churn 1, streak 3, completed: 100 - 9 - 15 - 4 - 10 = 62."""
    tools = calls("eeeoooo")
    for call in tools[3:]:
        call["input_sha256"] = "same"
    row = quality(make_lake, "UA", [*tools, edit(20), edit(21)])
    assert (row["failures"], row["retries"], row["edit_churn"], row["longest_failure_streak"]) == (3, 3, 1, 3)
    assert (row["outcome"], row["score"], row["grade"], row["grade_points"]) == ("completed", 62, "C", 2)


@pytest.mark.parametrize(
    ("messages", "tools", "ended", "graded"),
    [
        ("UA", "o", OLD, (100, "A", 4)),
        ("UA", "eoeoeo", OLD, (91, "A", 4)),
        ("UAU", "eo", OLD, (82, "B", 3)),
        ("UA", "oeee", OLD, (51, "D", 1)),  # 100 - 30 - 9 - 10
        ("UA", "e" * 12, OLD, (30, "F", 0)),  # failures take 30 at most
        ("ua", "", OLD, (None, None, None)),  # nothing is known
        ("ua", "o", OLD, (None, None, None)),  # an answered call tells nothing of how it went
        ("UA", "o", RECENT, (None, None, None)),  # not settled
    ],
)
def test_grades(make_lake: MakeLake, messages: str, tools: str, ended: datetime, graded: tuple[Any, ...]) -> None:
    row = quality(make_lake, messages, calls(tools), ended)
    assert (row["score"], row["grade"], row["grade_points"]) == graded


@pytest.mark.parametrize(
    ("messages", "minutes", "archetype"),
    [
        ("A" * 300, 500, "automation"),
        ("U", 120, "marathon"),
        ("U" + "A" * 199, 0, "marathon"),
        ("U", 119.9, "deep"),
        ("U" + "A" * 59, 0, "deep"),
        ("U", 29.9, "standard"),
        ("U" + "A" * 14, 0, "standard"),
        ("U" + "A" * 13, 4.9, "quick"),
    ],
)
def test_archetype(make_lake: MakeLake, messages: str, minutes: float, archetype: str) -> None:
    row = quality(make_lake, messages, start_time=OLD - timedelta(minutes=minutes))
    assert row["archetype"] == archetype


def test_spend_by_outcome(make_lake: MakeLake) -> None:
    usage = {
        "line_no": 1,
        "message_id": "m",
        "model": "nobody-1",
        "occurred_at": at("2026-09-01 10:00:00"),
        "output_tokens": 1,
    }
    lake = make_lake({"files": [{"kind": "main", "end_time": OLD}], "messages": turns("UA"), "token_usage": [usage]})
    assert lake.one("SELECT outcome, transcripts, calls, unpriced_calls, cost_usd FROM spend_by_outcome") == {
        "outcome": "completed", "transcripts": 1, "calls": 1, "unpriced_calls": 1, "cost_usd": None,
    }  # fmt: skip
