"""`tracelake report`: figures, filters, and what goes to stderr."""

import json
import re
from decimal import Decimal
from pathlib import Path

import pytest

from tests.conftest import ROOT

# data/sample/README.md works these out by hand: calls, input, output, cache read, write 5m, write 1h, micro-dollars.
BY_MODEL = {
    "claude-opus-5": (13, 8900, 2265, 27600, 3800, 14000, 318675),
    "claude-sonnet-4-5": (2, 5000, 1100, 200000, 1000, 0, 178500),
    "claude-fable-5": (0, 1200, 300, 0, 0, 0, 27000),
    "claude-sonnet-5": (5, 1750, 426, 9900, 2400, 0, 15740),
    "claude-haiku-4-5": (5, 1500, 500, 3000, 3800, 0, 9050),
    "claude-nightjar-1": (1, 700, 80, 0, 0, 0, None),
}
BY_DAY = {
    "2026-09-07": 14580,
    "2026-09-08": 188160,
    "2026-09-09": 72625,
    "2026-09-10": 40000,
    "2026-09-11": 179100,
    "2026-09-12": 54500,
}
COLUMNS = (
    "calls",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
)


@pytest.fixture
def report(program, sample_lake: Path):
    """The rows of a report, numbers exact."""

    def ask(*arguments: str) -> list[dict]:
        done = program("report", *arguments, "--lake", sample_lake, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout, parse_float=Decimal)

    return ask


def micro(row: dict) -> int | None:
    return None if row["cost_usd"] is None else int(row["cost_usd"] * 1_000_000)


def test_cost_by_model_is_what_the_sample_costs_by_hand(report):
    rows = report("cost")
    assert {row["model"]: (*(row[name] for name in COLUMNS), micro(row)) for row in rows} == BY_MODEL
    assert [row["model"] for row in rows] == list(BY_MODEL)
    assert sum(micro(row) or 0 for row in rows) == 548965


def test_the_readme_of_the_sample_says_the_same():
    text = (ROOT / "data" / "sample" / "README.md").read_text(encoding="utf-8")
    for *_, cost in BY_MODEL.values():
        assert cost is None or f"**{Decimal(cost) / 1_000_000:.6f} USD**" in text
    assert "**0.548965 USD**" in text
    assert all(f"{cost:,}" in text for cost in BY_DAY.values())


def test_cost_by_day(report):
    assert {row["day"]: micro(row) for row in report("cost", "--by", "day")} == BY_DAY
    assert [row["day"] for row in report("cost", "--by", "day")] == sorted(BY_DAY)


def test_cost_by_session_gives_a_fork_only_its_own_call(report):
    rows = {row["session"][:2]: (row["calls"], micro(row)) for row in report("cost", "--by", "session")}
    # a3: c1 to c3 and h1, h2: 180,750 + 6,250. b3: f1, f2 and g1: 178,500 + 600.
    assert rows == {
        "a1": (4, 14580),
        "a2": (1, 1160),
        "a3": (5, 187000),
        "b1": (5, 72625),
        "b2": (2, 40000),
        "b3": (3, 179100),
        "b4": (6, 54500),
    }


def test_cost_by_agent_type(report):
    rows = {row["agent_type"]: (row["calls"], micro(row)) for row in report("cost", "--by", "agent_type")}
    assert (rows["Explore"], rows["workflow-subagent"]) == ((2, 6250), (2, 2200))
    assert rows["general-purpose"] == (1, 3250)
    assert sum(calls for calls, _ in rows.values()) == 26


def test_cost_by_project(report):
    rows = {row["project"]: micro(row) for row in report("cost", "--by", "project")}
    # 14,580 + 1,160 + 187,000; 72,625 + 40,000 + 179,100 + 54,500.
    assert rows == {"-home-ada-tide-clock": 346225, "-home-ada-aviary": 202740}


@pytest.mark.parametrize(
    ("filters", "cost"),
    [
        (["--since", "2026-09-10"], 40000 + 179100 + 54500),
        (["--until", "2026-09-08"], 14580 + 188160),
        (["--since", "2026-09-08", "--until", "2026-09-08"], 188160),
        (["--project", "*aviary"], 202740),
        (["--project", "-home-ada-aviary"], 202740),
        (["--session", "a3"], 187000),
        (["--model", "claude-opus-5"], 318675),
        (["--model", "claude-sonnet-*"], 178500 + 15740),
        (["--agent", "claude"], 548965),
        (["--model", "claude-opus-5", "--since", "2026-09-10"], 40000 + 54500),
    ],
)
def test_filters(report, filters: list[str], cost: int):
    assert sum(micro(row) or 0 for row in report("cost", *filters)) == cost


@pytest.mark.parametrize("filters", [["--agent", "codex"], ["--since", "2027-01-01"], ["--model", "x' OR 1=1 --"]])
def test_a_filter_that_fits_nothing_is_an_empty_answer(report, filters: list[str]):
    assert report("cost", *filters) == []


def test_a_fork_is_deduplicated_before_the_filter(report):
    """Only the fork's session is asked for; its copies of a1's calls belong to a1 all the same."""
    assert [row["calls"] for row in report("cost", "--session", "a2")] == [1]


def test_limit_cuts_rows_but_not_the_total(program, sample_lake: Path):
    shown = program("report", "cost", "--limit", "1", "--lake", sample_lake).stdout.splitlines()
    assert [line.split()[0] for line in shown if not line.startswith("-")] == ["model", "claude-opus-5", "total"]
    assert re.search(r"total +26 .* 0\.548965 +1$", shown[-1])


def test_totals_are_for_people_only(program, sample_lake: Path):
    for name, total in (("table", True), ("markdown", True), ("csv", False), ("jsonl", False), ("json", False)):
        shown = program("report", "cost", "--lake", sample_lake, "--format", name).stdout
        assert ("total" in shown) is total, name


def test_what_has_no_price_is_said_on_stderr(program, sample_lake: Path):
    done = program("report", "cost", "--lake", sample_lake)
    prices, missing = done.stderr.splitlines()
    assert re.fullmatch(r"tracelake: prices: genai-prices [\d.]+, overrides", prices)
    assert re.fullmatch(
        r"tracelake: 1 call without a known price, not in the sum: \S+ \(unknown model: 1\)\. "
        r"To add prices: tracelake extract --prices FILE \(CSV: model,input,output\)",
        missing,
    )
    assert program("report", "cost", "--lake", sample_lake, "--quiet").stderr == ""
    assert "without" not in program("report", "cost", "--lake", sample_lake, "--session", "a1").stderr


def test_usage(report):
    rows = {row["model"]: row for row in report("usage")}
    # The advisor's tokens are part of no call, so its model has no row here; the synthetic line is no call.
    assert set(rows) == set(BY_MODEL) - {"claude-fable-5"}
    assert (rows["claude-opus-5"]["web_search_requests"], rows["claude-opus-5"]["web_fetch_requests"]) == (2, 1)
    assert rows["claude-opus-5"]["cache_write_tokens"] == 17800
    fast = {row["speed"]: row["calls"] for row in report("usage", "--by", "speed")}
    assert fast == {"standard": 25, "fast": 1}


def test_tools(report):
    rows = {row["tool"]: (row["calls"], row["failed"], row["pending"]) for row in report("tools")}
    # The fork repeats Read and Bash under the same ids.
    once = {name: (1, int(name == "Bash"), 0) for name in ("AskUserQuestion", "Bash", "Grep", "Task", "Workflow")}
    assert rows == once | {"Agent": (2, 0, 0), "Read": (2, 0, 0)}
    assert {row["category"]: row["calls"] for row in report("tools", "--by", "category")} == {
        "other": 5,
        "bash": 1,
        "read": 2,
        "search": 1,
    }
    assert [row["tool"] for row in report("tools", "--session", "b1")] == ["Workflow"]


def test_fallbacks(report):
    (row,) = report("fallbacks")
    # Declined: 300 x 10 + 20 x 50 + 2,200 x 1; k3; its tokens as the first model bills them: 3,000 + 4,000 + 2,200.
    costs = ("declined_cost_usd", "served_cost_usd", "counterfactual_cost_usd", "net_cost_usd")
    assert [int(row[name] * 1_000_000) for name in costs] == [6200, 4600, 9200, 1600]
    assert (row["hops"], row["billed"], row["declined_input_tokens"], row["declined_output_tokens"]) == (1, 1, 300, 20)


def test_sessions(report):
    rows = report("sessions")
    assert [row["session_id"][:2] for row in rows] == ["b4", "b3", "b2", "b1", "a3", "a1", "a2"]
    assert rows[5]["title"] == "Count the owl boxes"
    assert [row["session_id"][:2] for row in report("sessions", "--limit", "2")] == ["b4", "b3"]
    assert [row["session_id"][:2] for row in report("sessions", "--model", "claude-fable*")] == []
    assert [row["session_id"][:2] for row in report("sessions", "--model", "*haiku*")] == ["b3", "b1", "a3"]
    assert [row["session_id"][:2] for row in report("sessions", "--until", "2026-09-07")] == ["a1", "a2"]


def test_without_a_name_the_reports_are_listed(program):
    done = program("report", "--json")
    assert {"cost", "usage", "sessions", "tools"} <= {row["report"] for row in json.loads(done.stdout)}


@pytest.mark.parametrize("name", ["cost", "usage", "sessions", "tools"])
def test_an_empty_lake_gives_an_empty_report(program, tmp_path: Path, name: str):
    (tmp_path / "home" / "projects").mkdir(parents=True)
    program("extract", tmp_path / "home", "--lake", tmp_path / "lake")
    done = program("report", name, "--lake", tmp_path / "lake", "--json")
    assert (done.returncode, json.loads(done.stdout)) == (0, []), done.stderr
    assert program("report", name, "--lake", tmp_path / "lake").returncode == 0
