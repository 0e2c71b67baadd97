"""`tracelake agents` and `report agents`: background agents and their states."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.sql.lakes import at, write_lake

MAIN, OTHER = "/p/s1.jsonl", "/p/s2.jsonl"


def signal(kind, agent_id, minute, session="s1", **more):
    key = f"{kind}{minute}:{agent_id}"
    where = {"session_id": session, "path": f"/p/{session}.jsonl", "line_no": minute, "record_no": 0, "seq": minute}
    what = {"signal": kind, "agent_id": agent_id, "status": "", "key": key, "strict": True, "carrier": "call_result"}
    return {**where, **what, "occurred_at": at(f"2026-05-01 10:{minute:02}:00"), **more}


def ended(agent_id, minute, status="completed", **more):
    return signal("ended", agent_id, minute, status=status, **{"carrier": "user_text", **more})


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    """Two agents and a shell in one session, a workflow in another; an agent and the workflow still run."""
    signals = [
        signal("launched", "k1", 1, target_kind="agent", description="Look \x1b[31m"),
        signal("launched", "k2", 2, target_kind="agent"),
        signal("launched", "b1", 3, target_kind="shell"),
        ended("k1", 4),
        ended("b1", 5, "failed", carrier="queued_command"),
        signal("launched", "w1", 6, "s2", target_kind="workflow"),
    ]
    files = [
        {"path": MAIN, "kind": "main", "project": "owl"},
        {"path": OTHER, "kind": "main", "project": "ant", "session_id": "s2"},
    ]
    return write_lake(tmp_path_factory.mktemp("agents") / "lake", {"agent_signals": signals, "files": files}).paths.root


@pytest.fixture
def ids(program, lake):
    """The ids that a call lists."""

    def ask(*arguments):
        done = program("agents", *arguments, "--lake", lake, "--json")
        assert (done.returncode, done.stderr) == (0, "")
        return [row["agent_id"] for row in json.loads(done.stdout)]

    return ask


def test_the_latest_first_and_the_filters(ids):
    assert ids() == ["w1", "b1", "k2", "k1"]
    assert ids("--running") == ["w1", "k2"]
    assert ids("--session", "s1", "--running") == ["k2"]
    assert ids("--kind", "shell") == ["b1"]
    assert ids("--limit", "2") == ["w1", "b1"]
    assert ids("--session", "nothing") == []


@pytest.mark.parametrize("session", ["../../x", "..\\x", "x" * 300, "' OR true --", "%"])
def test_hostile_session_ids_find_nothing(ids, session):
    assert ids("--session", session) == []


def test_people_see_states_and_nothing_steers_the_terminal(program, lake):
    done = program("agents", "--lake", lake)
    rows = done.stdout.splitlines()
    assert len(rows) == 2 + 4
    assert "b1" in rows[3]
    assert "failed" in rows[3]
    assert "Look \\x1b[31m" in done.stdout
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize(
    "arguments", [["--kind", "ghost"], ["--limit", "0"], ["--limit", "x"], ["--limit", "9" * 20], ["stray"]]
)
def test_a_wrong_request_is_one_line(program, lake, arguments):
    done = program("agents", *arguments, "--lake", lake)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def report(program, lake, *arguments):
    done = program("report", "agents", *arguments, "--lake", lake, "--format", "csv")
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("state", {"running": "2", "completed": "1", "failed": "1"}),
        ("target_kind", {"agent": "2", "shell": "1", "workflow": "1"}),
        ("carrier", {"call_result": "2", "call_result + user_text": "1", "call_result + queued_command": "1"}),
        ("session", {"s1": "3", "s2": "1"}),
        ("project", {"owl": "3", "ant": "1"}),
        ("day", {"2026-05-01": "4"}),
    ],
)
def test_a_report_by_every_key(program, lake, by, expected):
    assert {row[by]: row["agents"] for row in report(program, lake, "--by", by)} == expected


def test_the_report_counts_states_and_filters(program, lake):
    (row,) = report(program, lake, "--by", "project", "--project", "o*", "--since", "2026-05-01")
    assert row == {
        "project": "owl", "agents": "3", "running": "1", "completed": "1", "failed": "1", "killed": "0",
        "stopped": "0", "unknown": "0", "launches": "3", "resumes": "0",
    }  # fmt: skip
    shown = program("report", "agents", "--lake", lake).stdout.splitlines()
    assert shown[-1].split()[:3] == ["total", "4", "2"]


def test_an_empty_lake(program, tmp_path: Path):
    empty = write_lake(tmp_path / "empty", {}).paths.root
    done = program("agents", "--lake", empty, "--json")
    assert (done.returncode, json.loads(done.stdout), done.stderr) == (0, [], "")
    assert report(program, empty) == []
    missing = program("agents", "--lake", tmp_path / "none")
    assert (missing.returncode, missing.stdout, missing.stderr.count("\n")) == (2, "", 1)
