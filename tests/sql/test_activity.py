"""Latency, concurrency, active time, churn, delegation and daily use: parser.md 7.7, and accounting.md 6."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sql.lakes import MakeLake, at


def clock(text: str) -> Any:
    return at(f"2026-09-01 {text}")


def test_latency_is_the_time_to_the_first_timed_reply(make_lake: MakeLake) -> None:
    rows = [
        ("user", "10:00:00"), ("assistant", None), ("assistant", "10:00:04"), ("assistant", "10:00:09"),
        ("user", "10:01:00"), ("assistant", "10:00:59"),
        ("user", None), ("assistant", "10:02:00"),
        ("user", "10:03:00"), ("context", "10:03:01"), ("assistant", "10:03:02"),
    ]  # fmt: skip
    messages = [
        {"line_no": n, "ordinal": n, "role": role, "timestamp": clock(text) if text else None}
        for n, (role, text) in enumerate(rows)
    ]
    lake = make_lake({"messages": messages})
    assert lake.ask("SELECT turn, latency_ms FROM response_latency ORDER BY turn") == [
        {"turn": 1, "latency_ms": 4000},
        {"turn": 4, "latency_ms": 2000},  # the second reply is before its prompt, the third prompt has no time
    ]
    assert lake.ask("SELECT turns, answered, p50_ms, p90_ms FROM response_latency_by_agent ORDER BY turns") == [
        {"turns": "all", "answered": 2, "p50_ms": 3000.0, "p90_ms": pytest.approx(3800)},
        {"turns": "first", "answered": 1, "p50_ms": 4000.0, "p90_ms": 4000.0},
    ]


def test_concurrency_counts_starts_before_ends(make_lake: MakeLake) -> None:
    spans = {
        "a": ("10:00:00", "11:00:00"),
        "b": ("10:30:00", "11:00:00"),
        "c": ("11:00:00", "11:30:00"),
        "d": ("13:00:00", "13:30:00"),
    }
    files = [
        {"session_id": name, "kind": "main", "start_time": clock(a), "end_time": clock(b)}
        for name, (a, b) in spans.items()
    ]
    rows = make_lake({"files": files}).ask(
        "SELECT running, most_running, seconds, peak, average FROM concurrency ORDER BY changed_at"
    )
    assert [row["running"] for row in rows] == [1, 2, 1, 0, 1, 0]
    assert [row["most_running"] for row in rows] == [1, 2, 3, 1, 1, 1]
    # 60 + 30 + 30 + 30 minutes over 10:00 to 11:30 and 13:00 to 13:30: 150 / 120
    assert {(row["peak"], row["average"]) for row in rows} == {(3, 1.25)}


def test_active_time_leaves_long_pauses_out(make_lake: MakeLake) -> None:
    times = ("10:58:00", "10:59:00", "11:01:00", "11:06:00", "11:11:01", "11:11:01")
    messages = [{"line_no": n, "ordinal": n, "role": "user", "timestamp": clock(text)} for n, text in enumerate(times)]
    calls = [{"line_no": 1, "tool_name": "Bash", "status": "ok", "occurred_at": clock("11:02:00")}] * 7
    rows = make_lake({"messages": messages, "tool_calls": calls}).ask(
        "SELECT * EXCLUDE (session_id, agent) FROM active_hours ORDER BY hour"
    )
    # 10:58 to 10:59 in the first hour; 120 + 300 seconds in the second, but not the 301, nor the gap of 0
    assert [tuple(row.values()) for row in rows] == [
        (clock("10:00:00"), 60.0, 2, 0, 2.0, 0.0),
        (clock("11:00:00"), 420.0, 4, 7, pytest.approx(4 / 7), 1.0),
    ]


def test_churn_is_more_than_one_edit_of_a_file(make_lake: MakeLake) -> None:
    def edit(number: int, rel: str | None, path: str, **more: Any) -> dict[str, Any]:
        base = {"line_no": number, "tool_use_id": f"t{number}", "tool_name": "Edit", "category": "edit", "status": "ok"}
        return {**base, "file_rel_path": rel, "file_path": path, "occurred_at": clock("10:00:00"), **more}

    calls = [
        edit(1, "a.py", "/x/a.py"),
        edit(2, "a.py", "/y/a.py", session_id="s2"),
        edit(2, "a.py", "/y/a.py", session_id="s3"),  # a fork's copy of the same call
        edit(3, None, "/tmp/b"),
        edit(4, None, "/tmp/b", status="error"),
        edit(5, "once.py", "/x/once.py"),
        edit(6, "read.py", "/x/read.py", category="read"),
        edit(7, "read.py", "/x/read.py", category="read"),
    ]
    files = [{"session_id": name, "kind": "main", "project": "p"} for name in ("s1", "s2", "s3")]
    rows = make_lake({"tool_calls": calls, "files": files}).ask(
        "SELECT project, file, edits, failures, sessions FROM file_churn ORDER BY file"
    )
    assert [tuple(row.values()) for row in rows] == [("p", "/tmp/b", 2, 1, 1), ("p", "a.py", 2, 0, 2)]


def test_delegation_by_fan_out_and_depth(make_lake: MakeLake) -> None:
    def family(name: str, size: int) -> list[dict[str, Any]]:
        main = {"session_id": name, "path": f"/{name}", "kind": "main", "project": "p"}
        agents = [
            {
                "session_id": name,
                "path": f"/{name}/{n}",
                "kind": "subagent",
                "project": "p",
                "parent_path": f"/{name}/{n - 1}" if n else f"/{name}",
            }
            for n in range(size)
        ]
        return [main, *agents]

    files = [row for name, size in (("a", 0), ("b", 1), ("c", 3), ("d", 4), ("e", 8)) for row in family(name, size)]
    row = make_lake({"files": files}).one(
        "SELECT * EXCLUDE (subagent_cost_usd, cost_usd, share_of_cost) FROM delegation"
    )
    assert tuple(row.values()) == ("p", 5, 4, 0.8, 1, 1, 1, 1, 16, 8)


def test_daily_use_has_a_cache_hit_rate(make_lake: MakeLake) -> None:
    call = {
        "line_no": 1,
        "message_id": "m1",
        "model": "claude-opus-5",
        "occurred_at": clock("10:00:00"),
        "output_tokens": 5,
    }
    rows = [
        call | {"input_tokens": 10, "cache_read_tokens": 60, "cache_write_tokens": 10},
        call | {"message_id": "m2", "line_no": 2, "input_tokens": 20},
        call | {"message_id": "m3", "line_no": 3, "occurred_at": None},
    ]
    found = make_lake({"token_usage": rows}).ask(
        "SELECT day, calls, cache_hit_rate FROM daily_usage ORDER BY day NULLS LAST"
    )
    assert [tuple(row.values()) for row in found] == [(clock("00:00:00").date(), 2, 0.6), (None, 1, None)]


def test_growing_output_is_counted_once(make_lake: MakeLake) -> None:
    call = {"message_id": "m1", "request_id": "r", "model": "x", "input_tokens": 7, "occurred_at": clock("10:00:00")}
    rows = [call | {"line_no": n, "output_tokens": output} for n, output in enumerate((2, 40, 41))]
    assert make_lake({"token_usage": rows}).one("SELECT input_tokens AS i, output_tokens AS o FROM usage") == {
        "i": 7,
        "o": 41,
    }


def test_a_fork_of_ten_calls_adds_nothing_and_ten_losers(make_lake: MakeLake) -> None:
    calls = [
        {
            "line_no": n,
            "message_id": f"m{n}",
            "request_id": f"r{n}",
            "model": "x",
            "output_tokens": 1,
            "occurred_at": clock("10:00:00"),
        }
        for n in range(10)
    ]
    fork = [call | {"session_id": "s2", "occurred_at": clock("11:00:00")} for call in calls]
    lake = make_lake({"token_usage": calls + fork})
    assert lake.one("SELECT count(*) AS calls, sum(output_tokens)::BIGINT AS tokens FROM usage") == {
        "calls": 10,
        "tokens": 10,
    }
    assert lake.ask("SELECT session_id, won, count(*) AS n FROM usage_audit GROUP BY ALL ORDER BY 1") == [
        {"session_id": "s1", "won": True, "n": 10},
        {"session_id": "s2", "won": False, "n": 10},
    ]
