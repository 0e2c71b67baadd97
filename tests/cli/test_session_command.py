"""`tracelake session`: header and timeline."""

import csv
import io
import json
from decimal import Decimal
from pathlib import Path


def test_messages_and_tools_in_order(program, sample_lake: Path):
    done = program("session", "a3", "--lake", sample_lake, "--json")
    answer = json.loads(done.stdout, parse_float=Decimal)
    assert answer["session"]["session_id"] == "a3000000-0000-4000-8000-000000000003"
    assert (answer["session"]["subagents"], answer["session"]["cost_usd"]) == (1, Decimal("0.187000"))
    steps = [(step["file"], step["role"], step["text"]) for step in answer["timeline"]]
    assert steps == [
        ("main", "user", "Where do we read the box list? Let a sub-agent look."),
        ("main", "assistant", "I will send someone."),
        ("main", "tool", "Agent: Find readers (ok)"),
        ("main", "assistant", "Two places: boxes.py and report.py."),
        ("main", "context", "Summary: the box list is read in two places."),
        ("main", "user", "Go on."),
        ("main", "assistant", "Nothing is left to do."),
        ("a11c0de5", "user", "Find all"),
        ("a11c0de5", "assistant", ""),
        ("a11c0de5", "tool", "Grep: boxes.toml (ok)"),
        ("a11c0de5", "assistant", "Two places: boxes.py and report.py."),
    ]


def test_tokens_and_cost_stand_on_their_message(program, sample_lake: Path):
    done = program("session", "a3", "--lake", sample_lake, "--json")
    steps = json.loads(done.stdout, parse_float=Decimal)["timeline"]
    spent = [(row["prompt_tokens"], row["output_tokens"], row["cost_usd"]) for row in steps if row["cost_usd"]]
    # c1: 2,000 x 5 + 300 x 25 + 10,000 x 10; c2: 400 x 5 + 250 x 25 + 10,000 x 0.5; c3: 1,500 x 5 + 100 x 25 +
    # 4,000 x 10; h1: 500 + 120 x 5 + 3,000 x 1.25; h2: 100 + 200 x 5 + 3,000 x 0.1 micro-dollars.
    assert spent == [
        (12000, 300, Decimal("0.117500")),
        (10400, 250, Decimal("0.013250")),
        (5500, 100, Decimal("0.050000")),
        (3500, 120, Decimal("0.004850")),
        (3100, 200, Decimal("0.001400")),
    ]


def test_the_copies_of_a_fork_cost_nothing(program, sample_lake: Path):
    done = program("session", "a2", "--lake", sample_lake, "--format", "csv")
    costs = [row["cost_usd"] for row in csv.DictReader(io.StringIO(done.stdout)) if row["role"] == "assistant"]
    assert [cost for cost in costs if cost] == ["0.001160"]
    assert len(costs) == 5  # a1 to a4 of the original, and its own


def test_a_table_has_the_header_above_the_timeline(program, sample_lake: Path):
    shown = program("session", "b2", "--lake", sample_lake).stdout
    head, timeline = shown.split("\n\n")
    assert "session_id" in head
    assert "The Moon, mostly. 🌙" in timeline
    assert "\x1b" not in shown
    assert "Quickly: what moves the tides? \\x1b[31m[bold]red[/bold]\\x1b[0m" in timeline


def test_an_ambiguous_beginning_lists_the_sessions(program, sample_lake: Path):
    done = program("session", "a", "--lake", sample_lake)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    for number in (1, 2, 3):
        assert f"a{number}000000-0000-4000-8000-00000000000{number}" in done.stderr


def test_an_unknown_session_is_one_line(program, sample_lake: Path):
    done = program("session", "zz' OR true --", "--lake", sample_lake)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
