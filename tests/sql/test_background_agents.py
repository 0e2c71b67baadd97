"""The views over agent_signals, with rows made by hand."""

from __future__ import annotations

from itertools import count

import pytest

from tests.sql.lakes import at

PATH = "/p/s1.jsonl"
_numbers = count()


def signal(kind, agent_id="k1", minute=0, **more):
    number = next(_numbers)
    row = {
        "signal": kind,
        "agent_id": agent_id,
        "status": "",
        "key": f"u{number}:{agent_id}",
        "seq": number,
        "line_no": number + 1,
        "record_no": 0,
        "carrier": "call_result",
        "strict": False,
        "occurred_at": None if minute is None else at(f"2026-05-01 10:{minute:02}:00"),
    }
    return {**row, **more}


def launched(agent_id="k1", minute=0, **more):
    return signal("launched", agent_id, minute, **{"target_kind": "agent", **more})


def resumed(agent_id="k1", minute=0, **more):
    return signal("resumed", agent_id, minute, target_kind="agent", carrier="message_result", **more)


def ended(agent_id="k1", status="completed", minute=0, **more):
    return signal("ended", agent_id, minute, status=status, **{"carrier": "user_text", **more})


def file(path=PATH, **more):
    return {"path": path, "kind": "main", **more}


@pytest.fixture
def agents(make_lake):
    """Rows of background_agents by agent id, made of signals and files."""

    def ask(signals, files=()):
        lake = make_lake({"agent_signals": signals, "files": [file(), *files]})
        return {row["agent_id"]: row for row in lake.ask("SELECT * FROM background_agents")}

    return ask


def test_an_empty_lake(make_lake):
    lake = make_lake()
    for view in (
        "background_agents",
        "running_background_agents",
        "running_background_strict",
        "running_background_by_file",
    ):
        assert lake.ask(f"SELECT * FROM {view}") == []


def test_running_until_an_end(agents):
    found = agents([launched("k1"), launched("k2"), ended("k2", "failed", 3)])
    assert [(row["state"], row["ended_at"]) for _, row in sorted(found.items())] == [
        ("running", None),
        ("failed", at("2026-05-01 10:03:00")),
    ]
    assert found["k1"]["state_reason"] == "launched, no end on record"
    assert found["k2"]["state_reason"] == "a notice in a user line"


def test_the_first_end_stands(agents):
    row = agents(
        [launched(), ended(status="stopped", minute=1, carrier="stop_result"), ended(status="killed", minute=2)]
    )["k1"]
    assert (row["state"], row["ended_at"]) == ("stopped", at("2026-05-01 10:01:00"))


def test_until_a_resume(agents):
    first = [launched(), ended(minute=1), resumed(minute=2)]
    row = agents(first)["k1"]
    assert (row["state"], row["state_reason"], row["resumes"]) == ("running", "resumed, no end on record", 1)
    row = agents([*first, ended(status="failed", minute=3)])["k1"]
    assert (row["state"], row["ended_at"]) == ("failed", at("2026-05-01 10:03:00"))


def test_a_notice_delivered_after_the_resume_counts_where_it_first_appeared(agents):
    """Queue line, resume, then the user line with the same notice: the resume is not undone."""
    queue = ended(minute=1, carrier="queue_operation", notice_key="n1")
    late = ended(minute=3, notice_key="n1", strict=True)
    row = agents([launched(), queue, resumed(minute=2), late])["k1"]
    assert (row["state"], row["carriers"]) == (
        "running",
        ["call_result", "message_result", "queue_operation", "user_text"],
    )


def test_a_notice_before_the_receipt_ends_the_agent(agents):
    """Receipts of parallel calls are written together, after the notice of the quickest."""
    row = agents(
        [
            ended(minute=1, carrier="queue_operation", notice_key="n1"),
            launched(minute=2),
            ended(minute=3, notice_key="n1"),
        ]
    )["k1"]
    assert (row["state"], row["launched_at"]) == ("completed", at("2026-05-01 10:02:00"))


def test_an_end_without_a_launch(agents):
    row = agents([ended("b1", "killed", target_kind="shell", description="Background command", tool_use_id="T9")])["b1"]
    assert (row["state"], row["target_kind"], row["launched_at"], row["launches"]) == ("killed", "shell", None, 0)
    assert (row["description"], row["tool_use_id"]) == ("Background command", "T9")


def test_copies_in_a_fork_count_once(agents):
    copy = {"path": "/p/fork.jsonl"}
    once = launched(key="u:k1"), ended(minute=1, key="v:k1")
    row = agents([*once, resumed(minute=2), *({**line, **copy} for line in once)], [file("/p/fork.jsonl")])["k1"]
    assert (row["launches"], row["state"], row["path"]) == (1, "running", "/p/fork.jsonl")


def test_a_nested_agent_whose_notice_lands_in_the_main_file(agents):
    nested = "/p/s1/subagents/agent-k1.jsonl"
    start = launched("k2", 1, path=nested, tool_use_id="T1", description="dig", strict=True)
    row = agents([start, ended("k2", minute=5, strict=True)], [file(nested, kind="subagent", agent_id="k1")])["k2"]
    assert (row["state"], row["path"], row["tool_use_id"], row["description"]) == ("completed", nested, "T1", "dig")


def test_lines_without_a_time_stay_in_their_place(agents):
    row = agents([launched(minute=None), ended(minute=None), resumed(minute=None)])["k1"]
    assert (row["state"], row["resumed_at"]) == ("running", None)


@pytest.mark.parametrize(
    ("facts", "state", "reason"),
    [
        ({"last_unreadable_line": 4, "strict_error": "line 4: x"}, "running", "launched, no end on record"),
        (
            {"last_unreadable_line": 9, "strict_error": "line 9: x"},
            "unknown",
            "launched, no end on record; a later line that cannot be read may hold it (the last such is 9)",
        ),
        (
            {"read_error": "I/O error"},
            "unknown",
            "launched, no end on record; the file could not be read to its end: I/O error",
        ),
    ],
)
def test_a_file_that_hides_lines(make_lake, facts, state, reason):
    lake = make_lake({"agent_signals": [launched(line_no=5)], "files": [file(**facts)]})
    row = lake.one("SELECT * FROM background_agents")
    assert (row["state"], row["state_reason"]) == (state, reason)
    assert len(lake.ask("SELECT * FROM running_background_agents")) == (state == "running")


@pytest.mark.parametrize(("minute", "hint"), [(9, True), (1, False)])
def test_resumed_hint(agents, minute, hint):
    own = file(
        "/p/s1/subagents/agent-k1.jsonl", kind="subagent", agent_id="k1", end_time=at(f"2026-05-01 10:{minute:02}:00")
    )
    row = agents([launched(), ended(minute=1)], [own])["k1"]
    assert (row["resumed_hint"], row["agent_path"], row["state"]) == (hint, own["path"], "completed")


def test_resumed_hint_is_open_without_a_file_or_an_end(agents):
    own = file("/p/s1/subagents/agent-k2.jsonl", kind="subagent", agent_id="k2", end_time=at("2026-05-01 10:09:00"))
    found = agents([launched("k1"), ended("k1", minute=1), launched("k2")], [own])
    assert [row["resumed_hint"] for row in found.values()] == [None, None]


@pytest.mark.parametrize(
    ("lines", "running"),
    [
        ([launched(strict=True)], ["k1"]),
        ([launched(strict=True), ended(status="stopped", strict=True)], []),
        ([ended(strict=True), launched(strict=True)], ["k1"]),
        ([launched(strict=True), ended(carrier="queue_operation")], ["k1"]),
        ([launched()], []),
        ([launched("k1", strict=True), launched("k2", strict=True), ended("k1", strict=True)], ["k2"]),
    ],
)
def test_running_by_the_exact_rule(make_lake, lines, running):
    lake = make_lake({"agent_signals": lines, "files": [file()]})
    assert [row["agent_id"] for row in lake.ask("SELECT * FROM running_background_strict ORDER BY ALL")] == running
    assert lake.one("SELECT answer, running FROM running_background_by_file") == {"answer": "known", "running": running}


def test_files_are_judged_singly(make_lake):
    """A resumed session's new file does not contain the launch, so it shows nothing."""
    lines = [launched(strict=True), ended(strict=True, path="/p/new.jsonl")]
    lake = make_lake({"agent_signals": lines, "files": [file(), file("/p/new.jsonl")]})
    assert lake.ask("SELECT path, running FROM running_background_by_file ORDER BY path DESC") == [
        {"path": PATH, "running": ["k1"]},
        {"path": "/p/new.jsonl", "running": []},
    ]


@pytest.mark.parametrize("fault", ["strict_error", "read_error"])
def test_a_file_that_strict_reading_refuses_is_unknown(make_lake, fault):
    lake = make_lake({"agent_signals": [launched(strict=True)], "files": [file(**{fault: "line 7: a JSON array"})]})
    assert lake.ask("SELECT * FROM running_background_strict") == []
    assert lake.one("SELECT answer, unknown_reason, running FROM running_background_by_file") == {
        "answer": "unknown",
        "unknown_reason": "line 7: a JSON array",
        "running": None,
    }
