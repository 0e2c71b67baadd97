"""accounting.md section 1: which record of a call counts, and who owns it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sql.lakes import MakeLake, at

T1, T2, T3 = at("2026-05-01 10:00:00"), at("2026-05-01 10:00:01"), at("2026-05-01 10:00:02")


def record(line_no: int, output: int, **more: Any) -> dict[str, Any]:
    return {
        "line_no": line_no,
        "record_no": 0,
        "source_index": 0,
        "message_id": "m1",
        "request_id": "r1",
        "model": "claude-fable-5",
        "occurred_at": T1,
        "is_sidechain": False,
        "input_tokens": 10,
        "output_tokens": output,
        **more,
    }


def test_lines_of_one_message_count_once_with_the_largest_output(make_lake: MakeLake) -> None:
    # accounting.md 6: outputs 2, 40, 41 and equal input.
    lake = make_lake({"token_usage": [record(1, 2), record(2, 40), record(3, 41)]})
    call = lake.one("SELECT input_tokens, output_tokens, copies, line_no, winner_line_no FROM usage")
    assert call == {"input_tokens": 10, "output_tokens": 41, "copies": 3, "line_no": 1, "winner_line_no": 3}


def test_the_whole_record_wins_never_a_mix(make_lake: MakeLake) -> None:
    rows = [record(1, 50, input_tokens=1, speed="fast"), record(2, 40, input_tokens=999, speed="standard")]
    call = make_lake({"token_usage": rows}).one("SELECT input_tokens, output_tokens, speed FROM usage")
    assert call == {"input_tokens": 1, "output_tokens": 50, "speed": "fast"}


def test_of_equal_outputs_the_last_line_wins(make_lake: MakeLake) -> None:
    rows = [record(5, 7, input_tokens=5), record(6, 7, input_tokens=6), record(4, 7, input_tokens=4)]
    assert make_lake({"token_usage": rows}).one("SELECT input_tokens FROM usage") == {"input_tokens": 6}


def test_two_requests_of_one_message_are_two_calls(make_lake: MakeLake) -> None:
    lake = make_lake({"token_usage": [record(1, 1), record(2, 2, request_id="r2")]})
    assert lake.ask("SELECT output_tokens FROM usage ORDER BY 1") == [{"output_tokens": 1}, {"output_tokens": 2}]


@pytest.mark.parametrize("absent", [None, ""])
def test_a_record_without_request_joins_the_messages_request(make_lake: MakeLake, absent: str | None) -> None:
    lake = make_lake({"token_usage": [record(1, 3, request_id=absent), record(2, 2)]})
    assert lake.one("SELECT call_id, output_tokens FROM usage") == {"call_id": "m1:r1", "output_tokens": 3}


def test_a_message_without_any_request_is_keyed_by_itself(make_lake: MakeLake) -> None:
    lake = make_lake({"token_usage": [record(1, 3, request_id=None), record(2, 4, request_id=None)]})
    assert lake.one("SELECT output_tokens FROM usage") == {"output_tokens": 4}


def test_a_record_with_a_request_only_is_keyed_by_it(make_lake: MakeLake) -> None:
    rows = [record(1, 3, message_id=None), record(2, 4, message_id=""), record(3, 5, message_id=None, request_id="r2")]
    lake = make_lake({"token_usage": rows})
    assert lake.ask("SELECT output_tokens FROM usage ORDER BY 1") == [{"output_tokens": 4}, {"output_tokens": 5}]


def test_records_with_neither_id_are_calls_of_their_own(make_lake: MakeLake) -> None:
    nameless = {"message_id": None, "request_id": None}
    rows = [record(1, 3, **nameless), record(2, 3, **nameless), record(2, 3, record_no=1, **nameless)]
    assert make_lake({"token_usage": rows}).one("SELECT count(*) AS n FROM usage") == {"n": 3}


def test_a_sidechain_copy_of_the_same_moment_is_the_main_conversations_call(make_lake: MakeLake) -> None:
    main = record(1, 5, path="/p/s1.jsonl")
    copy = record(9, 99, path="/p/s1/subagents/agent-a.jsonl", request_id="other", is_sidechain=True)
    files = [
        {"path": "/p/s1.jsonl", "kind": "main"},
        {"path": "/p/s1/subagents/agent-a.jsonl", "kind": "subagent"},
    ]
    lake = make_lake({"token_usage": [copy, main], "files": files})
    assert lake.one("SELECT call_id, output_tokens, path FROM usage") == {
        "call_id": "m1:r1",
        "output_tokens": 99,
        "path": "/p/s1.jsonl",
    }
    assert lake.ask("SELECT line_no, won, rule, owner_rule FROM usage_audit ORDER BY line_no") == [
        {"line_no": 1, "won": False, "rule": "request", "owner_rule": "main"},
        {"line_no": 9, "won": True, "rule": "time", "owner_rule": "main"},
    ]


def test_a_sidechain_line_with_another_request_at_another_time_is_another_call(make_lake: MakeLake) -> None:
    copy = record(9, 99, request_id="other", is_sidechain=True, occurred_at=T2)
    assert make_lake({"token_usage": [record(1, 5), copy]}).one("SELECT count(*) AS n FROM usage") == {"n": 2}


def test_a_sidechain_line_with_the_uuid_of_another_is_its_copy(make_lake: MakeLake) -> None:
    copy = record(9, 99, request_id="other", is_sidechain=True, occurred_at=T2, uuid="u1")
    lake = make_lake({"token_usage": [record(1, 5, uuid="u1"), copy]})
    assert lake.one("SELECT call_id, output_tokens FROM usage") == {"call_id": "m1:r1", "output_tokens": 99}


def test_a_progress_copy_counts_only_where_nothing_else_does(make_lake: MakeLake) -> None:
    copies = [
        record(1, 90, carrier="progress", is_sidechain=True, occurred_at=T1),
        record(2, 7, carrier="progress", is_sidechain=True, message_id="m2", request_id="r2"),
        record(8, 5, path="/p/s1/subagents/agent-a.jsonl", carrier="message", is_sidechain=True, occurred_at=T2),
    ]
    lake = make_lake({"token_usage": copies})
    assert lake.ask("SELECT call_id, output_tokens, line_no FROM usage ORDER BY call_id") == [
        {"call_id": "m1:r1", "output_tokens": 5, "line_no": 8},
        {"call_id": "m2:r2", "output_tokens": 7, "line_no": 2},
    ]
    assert lake.one("SELECT reason FROM usage_audit WHERE NOT won") == {"reason": "copy on a progress line"}


def test_a_fork_adds_nothing_and_its_copies_lose(make_lake: MakeLake) -> None:
    # accounting.md 6: a fork that repeats 10 calls of its parent.
    parent = [record(n, n, message_id=f"m{n}", request_id=f"r{n}", session_id="zz-parent") for n in range(1, 11)]
    fork = [{**row, "session_id": "aa-fork", "occurred_at": T2} for row in parent]
    alone, both = make_lake({"token_usage": parent}), make_lake({"token_usage": parent + fork})
    total = "SELECT sum(output_tokens)::BIGINT AS output, count(*) AS calls FROM usage"
    assert both.one(total) == alone.one(total) == {"output": 55, "calls": 10}
    assert both.one("SELECT count(DISTINCT session_id) AS n, min(session_id) AS owner FROM usage") == {
        "n": 1,
        "owner": "zz-parent",
    }
    assert both.ask("SELECT session_id, reason, count(*) AS n FROM usage_audit WHERE NOT won GROUP BY ALL") == [
        {"session_id": "aa-fork", "reason": "fork or resume copy", "n": 10}
    ]


def test_tokens_come_from_the_winner_and_place_from_the_owner(make_lake: MakeLake) -> None:
    first = record(3, 1, session_id="s2", occurred_at=at("2026-05-01 23:59:59"), model="a", speed="standard")
    longer = record(4, 9, session_id="s1", occurred_at=at("2026-05-02 00:00:01"), model="b", speed="fast")
    files = [
        {"session_id": "s1", "path": "/p/s1.jsonl", "project": "one", "kind": "main"},
        {"session_id": "s2", "path": "/p/s2.jsonl", "project": "two", "kind": "main"},
    ]
    lake = make_lake({"token_usage": [longer, first], "files": files})
    call = lake.one(
        "SELECT session_id, project, path, line_no, day::VARCHAR AS day, agent_type, model, speed, output_tokens, "
        "winner_path, winner_line_no FROM usage"
    )
    assert call == {
        "session_id": "s2",
        "project": "two",
        "path": "/p/s2.jsonl",
        "line_no": 3,
        "day": "2026-05-01",
        "agent_type": "main",
        "model": "b",
        "speed": "fast",
        "output_tokens": 9,
        "winner_path": "/p/s1.jsonl",
        "winner_line_no": 4,
    }


def test_a_record_without_time_owns_only_where_none_has_one(make_lake: MakeLake) -> None:
    rows = [record(1, 1, path="/a.jsonl", occurred_at=None), record(1, 1, path="/b.jsonl", occurred_at=T3)]
    assert make_lake({"token_usage": rows}).one("SELECT path FROM usage") == {"path": "/b.jsonl"}
    call = make_lake({"token_usage": rows[:1]}).one("SELECT path, day FROM usage")
    assert call == {"path": "/a.jsonl", "day": None}


def test_of_equal_copies_the_owners_record_wins(make_lake: MakeLake) -> None:
    rows = [record(4, 8, path="/b/x.jsonl", occurred_at=T1), record(4, 8, path="/c/x.jsonl", occurred_at=T1)]
    lake = make_lake({"token_usage": rows})
    assert lake.one("SELECT path, winner_path FROM usage") == {"path": "/b/x.jsonl", "winner_path": "/b/x.jsonl"}
    assert lake.one("SELECT reason FROM usage_audit WHERE NOT won") == {
        "reason": "same file exported twice; owner guessed"
    }


def test_synthetic_messages_stay_but_are_no_api_calls(make_lake: MakeLake) -> None:
    rows = [record(1, 0, model="<synthetic>"), record(2, 1, message_id="m2", model=None)]
    lake = make_lake({"token_usage": rows})
    assert lake.ask("SELECT model, is_api_call FROM usage ORDER BY line_no") == [
        {"model": "<synthetic>", "is_api_call": False},
        {"model": None, "is_api_call": True},
    ]


def test_a_call_is_final_when_any_of_its_records_is(make_lake: MakeLake) -> None:
    rows = [record(1, 1, usage_final=True), record(2, 2, usage_final=False), record(3, 3, message_id="m2")]
    lake = make_lake({"token_usage": rows})
    assert lake.ask("SELECT usage_final FROM usage ORDER BY line_no") == [{"usage_final": True}, {"usage_final": False}]


def test_every_record_is_audited_and_each_call_has_one_winner(make_lake: MakeLake) -> None:
    rows = [record(n, n % 3, message_id=f"m{n % 4}", request_id=None if n % 5 else "r") for n in range(1, 41)]
    lake = make_lake({"token_usage": rows})
    assert lake.one("SELECT count(*) AS n, count(*) FILTER (WHERE won) AS won FROM usage_audit") == {"n": 40, "won": 4}
    assert lake.one(
        "SELECT count(*) AS n FROM usage_audit WHERE won = (reason IS NOT NULL) OR won = (lost_to_path IS NOT NULL)"
    ) == {"n": 0}


@pytest.mark.parametrize(
    ("file", "sidechain", "expected"),
    [
        ({"kind": "main"}, False, "main"),
        ({"kind": "main"}, True, "unknown"),
        ({"kind": "subagent", "meta_agent_type": "Explore"}, True, "Explore"),
        ({"kind": "subagent"}, True, "unknown"),
    ],
)
def test_agent_type(make_lake: MakeLake, file: dict[str, Any], sidechain: bool, expected: str) -> None:
    lake = make_lake({"token_usage": [record(1, 1, is_sidechain=sidechain)], "files": [file]})
    assert lake.one("SELECT agent_type FROM usage") == {"agent_type": expected}
