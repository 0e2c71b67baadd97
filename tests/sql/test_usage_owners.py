"""accounting.md section 1: which of several files owns a call, and what tells records without a request id apart."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sql.lakes import Lake, MakeLake, at

T1, T2, T3 = at("2031-05-01 10:00:00"), at("2031-05-01 11:00:00"), at("2031-05-01 12:00:00")


def record(session: str, line_no: int = 1, call: str = "m1", **more: Any) -> dict[str, Any]:
    named = {"message_id": call, "request_id": f"r-{call}", "uuid": f"u-{call}"}
    made = {"session_id": session, "path": f"/p/{session}.jsonl", "line_no": line_no, "occurred_at": T1, **named}
    return {**made, "model": "m", "is_sidechain": False, "output_tokens": 5, **more}


def file(session: str, **more: Any) -> dict[str, Any]:
    return {"session_id": session, "path": f"/p/{session}.jsonl", "kind": "main", "start_time": T1, **more}


def owner(lake: Lake, call: str = "m1") -> tuple[str, str, bool]:
    """The path that owns a call, the rule that decided, and whether it is marked as a guess."""
    path = lake.one("SELECT path FROM usage WHERE message_id = ?", [call])["path"]
    (loser,) = lake.ask("SELECT DISTINCT owner_rule, reason FROM usage_audit WHERE message_id = ? AND NOT won", [call])
    return path, loser["owner_rule"], loser["reason"].endswith("; owner guessed")


FORK = {"forked_from_session_id": "z"}
CASES: dict[str, tuple[dict[str, list[dict[str, Any]]], str, bool]] = {
    "progress": ({"token_usage": [record("a", carrier="progress"), record("z")]}, "progress", False),
    "time": ({"token_usage": [record("a", occurred_at=T2), record("z")]}, "time", False),
    "main": (
        {"token_usage": [record("a"), record("z")], "files": [file("a", kind="subagent"), file("z")]},
        "main",
        False,
    ),
    "main line that is a sidechain copy": (
        {"token_usage": [record("a", is_sidechain=True), record("z", is_sidechain=True)]}
        | {"files": [file("a"), file("z", kind="subagent")]},
        "main",
        False,
    ),
    "copied line": ({"token_usage": [record("a", **FORK), record("z")]}, "copy", False),
    "origin of a fork's fork": (
        {
            "token_usage": [
                record("a", forked_from_session_id="z"),
                record("z", forked_from_session_id="o"),
                record("a", 2, "m2"),
                record("z", 2, "m3"),
            ]
        },
        "origin",
        False,
    ),
    "continued in": (
        {"token_usage": [record("a"), record("z")], "files": [file("a"), file("z", continued_in_session_id="a")]},
        "origin",
        False,
    ),
    "fewer marks": (
        {"token_usage": [record("a"), record("z")], "files": [file("a", forked_line_count=3), file("z")]},
        "marks",
        False,
    ),
    "began": (
        {"token_usage": [record("a"), record("z")], "files": [file("a", start_time=T2), file("z")]},
        "began",
        True,
    ),
    # The fork gave the copied call the id of the prompt that it went on with.
    "prompt": (
        {
            "token_usage": [
                record("a", prompt_id="q"),
                record("a", 2, "m2", prompt_id="q", occurred_at=T2),
                record("z", prompt_id="p1"),
                record("z", 2, "m3", prompt_id="p2", occurred_at=T2),
            ]
        },
        "prompt",
        True,
    ),
    "no call of its own": (
        {"token_usage": [record("a"), record("a", 2, "m2", occurred_at=T2), record("z")]},
        "own_calls",
        True,
    ),
    "earlier call of its own": (
        {
            "token_usage": [
                record("a"),
                record("a", 2, "m2", occurred_at=T3),
                record("z"),
                record("z", 2, "m3", occurred_at=T2),
            ]
        },
        "own_calls",
        True,
    ),
}


@pytest.mark.parametrize(("rows", "rule", "is_guess"), CASES.values(), ids=CASES)
def test_the_original_owns_the_call_whatever_its_name(make_lake: MakeLake, rows, rule, is_guess) -> None:
    assert owner(make_lake(rows)) == ("/p/z.jsonl", rule, is_guess)


def test_the_name_decides_last_and_is_a_guess(make_lake: MakeLake) -> None:
    assert owner(make_lake({"token_usage": [record("z"), record("a")]})) == ("/p/a.jsonl", "name", True)


def test_sessions_that_name_each_other_as_origin_end_the_search(make_lake: MakeLake) -> None:
    rows = [record("a", forked_from_session_id="b"), record("b", forked_from_session_id="a")]
    third = [record("c", forked_from_session_id="d"), record("d", forked_from_session_id="e")]
    ring = [*rows, *third, record("e", forked_from_session_id="c")]
    assert make_lake({"token_usage": ring}).one("SELECT count(*) AS n FROM usage") == {"n": 1}


def loose(session: str, line_no: int, answer: str | None, uuid: str | None = None, **more: Any) -> dict[str, Any]:
    return record(session, line_no, "gw", request_id=None, answer_key=answer, uuid=uuid, **more)


def calls(lake: Lake) -> list[int]:
    return [row["copies"] for row in lake.ask("SELECT copies FROM usage ORDER BY path, line_no")]


def test_a_constant_message_id_names_no_call(make_lake: MakeLake) -> None:
    rows = [loose("a", 1, "u1", "u1"), loose("a", 2, "u1", "u2"), loose("a", 5, "u5", "u5"), loose("b", 1, "v1", "v1")]
    lake = make_lake({"token_usage": rows})
    assert calls(lake) == [2, 1, 1]
    assert {row["rule"] for row in lake.ask("SELECT rule FROM usage_audit")} == {"answer"}


def test_copies_are_known_by_the_uuids_of_their_lines(make_lake: MakeLake) -> None:
    # A whole answer, its beginning, its end and its middle, each in a file of its own.
    whole = [loose("a", n, "u1", f"u{n}") for n in (1, 2, 3)]
    parts = [loose("b", 1, "u1", "u1"), loose("c", 1, "u3", "u3"), loose("d", 1, "u2", "u2")]
    lake = make_lake({"token_usage": whole + parts})
    assert calls(lake) == [6]
    assert {row["rule"] for row in lake.ask("SELECT rule FROM usage_audit WHERE path IN ('/p/c.jsonl')")} == {"uuid"}


def test_a_copy_that_lost_its_request_id_is_still_one(make_lake: MakeLake) -> None:
    rows = [record("a", call="gw"), loose("b", 1, "u-gw", "u-gw")]
    lake = make_lake({"token_usage": rows})
    assert lake.one("SELECT call_id, copies FROM usage") == {"call_id": "gw:r-gw", "copies": 2}


NAMELESS = {"message_id": "gw", "request_id": None, "uuid": None, "occurred_at": None, "output_tokens": 1}


def test_lines_without_any_id_of_their_own_are_the_only_call_of_their_session(make_lake: MakeLake) -> None:
    lake = make_lake({"token_usage": [record("a", call="gw"), record("a", 7, path="/p/audit.jsonl", **NAMELESS)]})
    assert lake.one("SELECT call_id, copies, output_tokens FROM usage") == {
        "call_id": "gw:r-gw",
        "copies": 2,
        "output_tokens": 5,
    }
    assert lake.one("SELECT rule FROM usage_audit WHERE NOT won") == {"rule": "message"}


@pytest.mark.parametrize(
    "others",
    [
        [record("a", 1, "gw"), record("a", 2, "gw", request_id="r2", uuid="u2")],  # two calls of that id
        [record("b", 1, "gw")],  # another session
    ],
)
def test_else_they_are_a_call_of_their_own(make_lake: MakeLake, others) -> None:
    lake = make_lake({"token_usage": [*others, record("a", 7, path="/p/audit.jsonl", **NAMELESS)]})
    assert lake.one("SELECT count(*) AS n FROM usage") == {"n": len(others) + 1}


def test_the_same_export_twice_is_one(make_lake: MakeLake) -> None:
    rows = [record("a", 1, path=f"/{place}/x.jsonl", answer_key="1", **NAMELESS) for place in "pq"]
    assert calls(make_lake({"token_usage": rows})) == [2]


def test_answers_of_one_export_stay_apart(make_lake: MakeLake) -> None:
    rows = [record("a", n, answer_key=str(n), **NAMELESS) for n in (1, 4)]
    assert calls(make_lake({"token_usage": rows})) == [1, 1]


def test_superseded_records_count_and_join_no_line(make_lake: MakeLake) -> None:
    gone = record("a", call="m2", line_no=None, superseded_line_no=1, superseded_at=T3)
    lake = make_lake({"token_usage": [record("a"), gone]})
    assert lake.ask("SELECT message_id, line_no, winner_line_no FROM usage ORDER BY message_id") == [
        {"message_id": "m1", "line_no": 1, "winner_line_no": 1},
        {"message_id": "m2", "line_no": None, "winner_line_no": None},
    ]
    assert lake.one("SELECT count(*) AS n FROM costs") == {"n": 2}


def test_a_superseded_line_of_a_call_that_is_left_adds_no_call(make_lake: MakeLake) -> None:
    gone = record("a", line_no=None, superseded_line_no=9, superseded_at=T3, output_tokens=50)
    lake = make_lake({"token_usage": [record("a"), gone]})
    assert lake.one("SELECT line_no, output_tokens, copies FROM usage") == {
        "line_no": 1,
        "output_tokens": 50,
        "copies": 2,
    }
    assert lake.one("SELECT lost_to_line FROM usage_audit WHERE NOT won") == {"lost_to_line": 9}


def test_calls_carry_prompt_folder_and_branch_of_the_owner(make_lake: MakeLake) -> None:
    where = {"prompt_id": "p1", "cwd": "/w", "git_branch": "main"}
    copy = record("b", occurred_at=T2, prompt_id="p2", cwd="/v", git_branch="x", output_tokens=9)
    lake = make_lake({"token_usage": [record("a", **where), copy]})
    for view in ("usage", "costs"):
        assert lake.one(f"SELECT prompt_id, cwd, git_branch FROM {view}") == where


@pytest.mark.parametrize(("kind", "model"), [("compaction", "m"), ("advisor_message", "other")])
def test_iterations_beside_the_call_are_parts_of_it(make_lake: MakeLake, kind: str, model: str) -> None:
    counts = dict.fromkeys(("cache_read_tokens", "cache_write_tokens", "cache_write_5m_tokens"), 0)
    side = {"type": kind, "model": "other", "input_tokens": 70, "output_tokens": 7, **counts}
    main = {**side, "type": "message", "input_tokens": 1}
    part = kind.removesuffix("_message")
    lake = make_lake({"token_usage": [record("a", iterations=[side, main])]})
    assert lake.ask("SELECT call_id, part_of, part, model, input_tokens FROM costs WHERE part_of IS NOT NULL") == [
        {"call_id": f"m1:r-m1#{part}1", "part_of": "m1:r-m1", "part": part, "model": model, "input_tokens": 70}
    ]
