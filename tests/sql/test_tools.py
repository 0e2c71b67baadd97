from __future__ import annotations

from datetime import timedelta
from typing import Any

from tests.sql.lakes import MakeLake, at

T = at("2026-05-01 10:00:00")


def call(line_no: int, status: str, **more: Any) -> dict[str, Any]:
    return {
        "line_no": line_no,
        "record_no": 0,
        "block_index": 0,
        "tool_name": "Bash",
        "category": "bash",
        "tool_use_id": f"t{line_no}",
        "status": status,
        "occurred_at": T + timedelta(seconds=line_no),
        "is_sidechain": False,
        **more,
    }


def test_usage_of_a_tool(make_lake: MakeLake) -> None:
    calls = [
        call(1, "ok", result_at=T + timedelta(seconds=3), input_bytes=10, result_bytes=5),
        call(2, "ok", result_at=T + timedelta(seconds=6), input_bytes=10, result_bytes=5),
        call(3, "error", result_at=T + timedelta(seconds=13), is_sidechain=True),
        call(4, "pending"),
        call(5, "ok", tool_name="Read", category="read"),
    ]
    lake = make_lake({"tool_calls": calls})
    assert lake.one("SELECT * FROM tool_usage WHERE tool_name = 'Bash'") == {
        "tool_name": "Bash",
        "category": "bash",
        "calls": 4,
        "failures": 1,
        "pending": 1,
        "failure_rate": 0.3333,
        "copies": 0,
        "sessions": 1,
        "sidechain_calls": 1,
        "input_bytes": 20,
        "result_bytes": 10,
        "median_seconds": 4.0,  # of 2, 4 and 10
        "first_at": T + timedelta(seconds=1),
        "last_at": T + timedelta(seconds=4),
    }


def test_a_fork_repeats_calls_that_count_once(make_lake: MakeLake) -> None:
    parent = [call(1, "ok"), call(2, "error"), call(3, "pending")]
    fork = [{**row, "session_id": "s2"} for row in parent]
    fork[2]["status"] = "ok"
    lake = make_lake({"tool_calls": parent + fork})
    assert lake.one("SELECT calls, copies, failures, pending FROM tool_usage") == {
        "calls": 3,
        "copies": 3,
        "failures": 1,
        "pending": 0,
    }
    assert lake.one("SELECT session_id, line_no FROM tool_failures") == {"session_id": "s1", "line_no": 2}


def test_calls_without_an_id_are_never_copies(make_lake: MakeLake) -> None:
    calls = [
        call(1, "ok", tool_use_id=None),
        call(2, "ok", tool_use_id=""),
        call(2, "ok", tool_use_id="", block_index=1),
    ]
    assert make_lake({"tool_calls": calls}).one("SELECT calls, copies FROM tool_usage") == {"calls": 3, "copies": 0}


def test_a_failure_says_where_and_why(make_lake: MakeLake) -> None:
    failed = call(
        2, "error", result_text="no " * 300, result_bytes=900, result_line_no=3, detail="ls /nope", file_path="/f"
    )
    files = [{"project": "shop", "kind": "main"}]
    assert make_lake({"tool_calls": [failed, call(4, "ok")], "files": files}).one("SELECT * FROM tool_failures") == {
        "session_id": "s1",
        "agent": "claude",
        "project": "shop",
        "path": "/p/s1.jsonl",
        "line_no": 2,
        "result_line_no": 3,
        "occurred_at": T + timedelta(seconds=2),
        "tool_use_id": "t2",
        "tool_name": "Bash",
        "category": "bash",
        "file_path": "/f",
        "detail": "ls /nope",
        "error": ("no " * 300)[:500],
        "result_bytes": 900,
        "is_sidechain": False,
    }


def test_calls_that_merely_share_an_id_are_two(make_lake: MakeLake) -> None:
    here = call(1, "ok", input_sha256="a", occurred_at=at("2031-05-01 10:00:00"))
    other_input = {**here, "session_id": "s2", "input_sha256": "b", "status": "error"}
    other_time = {**here, "session_id": "s3", "occurred_at": at("2031-05-01 11:00:00")}
    copy = {**here, "session_id": "s4"}
    lake = make_lake({"tool_calls": [here, other_input, other_time, copy]})
    assert lake.one("SELECT calls, copies, failures FROM tool_usage") == {"calls": 3, "copies": 1, "failures": 1}


def test_without_a_time_only_the_session_holds_copies(make_lake: MakeLake) -> None:
    here = call(1, "ok", occurred_at=None)
    lake = make_lake({"tool_calls": [here, {**here, "line_no": 2}, {**here, "session_id": "s2"}]})
    assert lake.one("SELECT calls, copies FROM tool_usage") == {"calls": 2, "copies": 1}


def test_the_call_of_a_fork_is_the_originals(make_lake: MakeLake) -> None:
    rows = [call(1, "ok", session_id=session, path=f"/p/{session}.jsonl") for session in ("a", "z")]
    files = [
        {"session_id": "a", "path": "/p/a.jsonl", "forked_line_count": 2},
        {"session_id": "z", "path": "/p/z.jsonl"},
    ]
    lake = make_lake({"tool_calls": rows, "files": files})
    assert lake.one("SELECT session_id, tool_name, copies FROM tool_calls_once")["session_id"] == "z"


def test_what_failed_counts_whatever_the_agent_calls_it(make_lake: MakeLake) -> None:
    rows = [call(1, "ok", failed=True), call(2, "ok", failed=False), call(3, "error", failed=True)]
    lake = make_lake({"tool_calls": rows})
    assert lake.one("SELECT failures, failure_rate FROM tool_usage") == {"failures": 2, "failure_rate": 0.6667}
    assert [row["line_no"] for row in lake.ask("SELECT line_no FROM tool_failures ORDER BY 1")] == [1, 3]
