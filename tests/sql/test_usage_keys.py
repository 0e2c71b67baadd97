"""Calls without message and request ids are told apart by their dedup_key (Codex, pi)."""

from __future__ import annotations

from typing import Any

from tests.sql.lakes import MakeLake, at

T1, T2 = at("2031-05-01 10:00:00"), at("2031-05-01 11:00:00")


def record(line_no: int, key: str | None, **more: Any) -> dict[str, Any]:
    row = {"line_no": line_no, "agent": "codex", "dedup_key": key, "model": "gpt-5.5", "occurred_at": T1}
    return {**row, "input_tokens": 10, "output_tokens": 5, **more}


def test_a_repeated_count_is_one_call(make_lake: MakeLake) -> None:
    lake = make_lake({"token_usage": [record(1, "codex:t:1"), record(2, "codex:t:1"), record(3, "codex:t:2")]})
    calls = lake.ask("SELECT call_id, copies, input_tokens FROM usage ORDER BY call_id")
    assert [tuple(call.values()) for call in calls] == [("codex:t:1", 2, 10), ("codex:t:2", 1, 10)]


def test_a_forks_copy_belongs_to_its_origin(make_lake: MakeLake) -> None:
    fork = {"session_id": "fork", "path": "/p/fork.jsonl", "occurred_at": T2}
    lake = make_lake({"token_usage": [record(1, "codex:t:1", **fork), record(1, "codex:t:1")]})
    assert lake.one("SELECT session_id, copies FROM usage") == {"session_id": "s1", "copies": 2}


def test_without_a_key_every_record_is_a_call(make_lake: MakeLake) -> None:
    lake = make_lake({"token_usage": [record(1, None), record(2, None)]})
    assert lake.one("SELECT count(*) AS n FROM usage") == {"n": 2}
