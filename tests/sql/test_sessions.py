from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from tracelake.lake.prices import Alias

from tests.sql.lakes import MakeLake, Rows, at, rate

MAIN = {"path": "/p/s1.jsonl", "project": "shop", "kind": "main"}


def titled(make_lake: MakeLake, *entries: dict[str, Any], files: Any = (MAIN,)) -> dict[str, Any]:
    rows = [{"path": "/p/s1.jsonl", "line_no": n, **entry} for n, entry in enumerate(entries, 1)]
    return make_lake({"files": list(files), "entries": rows}).one("SELECT title, first_prompt FROM sessions")


PROMPT = {"user_kind": "prompt", "text": "Fix  the\n bug "}


@pytest.mark.parametrize(
    ("entries", "title"),
    [
        ([PROMPT], "Fix the bug"),
        ([PROMPT, {"summary": "Old"}, {"summary": "Newer"}], "Newer"),
        ([{"ai_title": "Made up"}, {"summary": "Newer"}], "Made up"),
        ([{"ai_title": "First"}, {"ai_title": "Second"}, {"ai_title": ""}], "Second"),
        ([{"custom_title": "Mine"}, {"ai_title": "Second"}], "Mine"),
        ([{"custom_title": "Mine"}, {"custom_title": "Renamed"}], "Renamed"),
        ([{"user_kind": "tool_result", "text": "x"}], None),
        ([{"user_kind": "prompt", "text": "  "}], None),
        ([], None),
    ],
)
def test_title(make_lake: MakeLake, entries: list[dict[str, Any]], title: str | None) -> None:
    assert titled(make_lake, *entries)["title"] == title


def test_a_long_prompt_is_cut_in_the_title_only(make_lake: MakeLake) -> None:
    row = titled(make_lake, {"user_kind": "prompt", "text": "x" * 200})
    assert (row["title"], row["first_prompt"]) == ("x" * 80, "x" * 200)


def test_the_first_prompt_is_the_earliest_of_the_main_files(make_lake: MakeLake) -> None:
    sub = {"path": "/p/s1/subagents/agent-a.jsonl", "kind": "subagent"}
    early, late = at("2026-05-01 10:00:00"), at("2026-05-01 11:00:00")
    entries = [
        {**PROMPT, "text": "second", "timestamp": late},
        {**PROMPT, "text": "first", "timestamp": early},
        {**PROMPT, "text": "from the parent", "timestamp": at("2026-05-01 09:00:00"), "path": sub["path"]},
    ]
    assert titled(make_lake, *entries, files=[MAIN, sub])["first_prompt"] == "first"


def whole_session() -> Rows:
    start, end = at("2026-05-01 10:00:00"), at("2026-05-01 12:00:00")
    sub = {"path": "/p/s1/subagents/agent-a.jsonl", "project": "shop", "kind": "subagent", "bytes": 5}
    usage = {"message_id": "m1", "request_id": "r", "model": "claude-fable-5", "occurred_at": start, "line_no": 2}
    return {
        "files": [
            {
                **MAIN,
                "bytes": 10,
                "start_time": start,
                "end_time": start,
                "start_cwd": "/w",
                "git_branch": "b",
                "version": "2",
            },
            {**sub, "start_time": start, "end_time": end, "version": "9"},
            {"path": "/p/s1/notes.txt", "kind": "unrecognised", "bytes": 1_000},
            {"session_id": "unassigned", "path": "/stray.txt", "kind": "main"},
        ],
        "messages": [{"role": role} for role in ("user", "assistant", "system", "user")],
        "tool_calls": [{"line_no": 1}, {"line_no": 2, "path": sub["path"]}],
        "token_usage": [
            {**usage, "input_tokens": 1, "output_tokens": 1, "cache_write_tokens": 2},
            {**usage, "message_id": "m2", "model": "<synthetic>"},
            {**usage, "message_id": "m3", "model": "no-price", "output_tokens": 5},
        ],
    }


def test_a_session_as_a_whole(make_lake: MakeLake) -> None:
    prices: Any = {
        "rates": [rate("claude-fable-5", "10", "50", cache_write_5m="12.5")],
        "aliases": [Alias("claude-fable-5", "anthropic", "claude-fable-5")],
    }
    assert make_lake(whole_session(), **prices).one("SELECT * EXCLUDE (first_prompt, title) FROM sessions") == {
        "session_id": "s1",
        "agent": "claude",
        "project": "shop",
        "started_at": at("2026-05-01 10:00:00"),
        "ended_at": at("2026-05-01 12:00:00"),
        "messages": 3,
        "tool_calls": 2,
        "subagents": 1,
        "models": ["claude-fable-5", "no-price"],
        "calls": 2,
        "unpriced_calls": 1,
        "input_tokens": 1,
        "output_tokens": 6,
        "cache_read_tokens": 0,
        "cache_write_tokens": 2,
        "cost_usd": Decimal("0.000085"),  # (10 + 50 + 2 * 12.5) / 1e6
        "cwd": "/w",
        "git_branch": "b",
        "version": "2",
        "files": 2,
        "bytes": 15,
    }


def test_a_session_without_usage_has_no_cost(make_lake: MakeLake) -> None:
    lake = make_lake({"files": [MAIN]})
    row = lake.one("SELECT models, calls, messages, tool_calls, subagents, cost_usd, started_at FROM sessions")
    assert row == {
        "models": [],
        "calls": 0,
        "messages": 0,
        "tool_calls": 0,
        "subagents": 0,
        "cost_usd": None,
        "started_at": None,
    }


def test_projects_sum_their_sessions(make_lake: MakeLake) -> None:
    rows = whole_session()
    rows["files"].append({"session_id": "s2", "project": "shop", "kind": "main", "start_cwd": "/v"})
    rows["files"].append({"session_id": "s3", "project": "other", "kind": "main"})
    columns = "project, sessions, subagents, messages, tool_calls, calls, unpriced_calls, tokens, cwds"
    assert make_lake(rows).ask(f"SELECT {columns} FROM projects ORDER BY project DESC") == [
        {
            "project": "shop",
            "sessions": 2,
            "subagents": 1,
            "messages": 3,
            "tool_calls": 2,
            "calls": 2,
            "unpriced_calls": 2,
            "tokens": 9,
            "cwds": ["/v", "/w"],
        },
        {
            "project": "other",
            "sessions": 1,
            "subagents": 0,
            "messages": 0,
            "tool_calls": 0,
            "calls": 0,
            "unpriced_calls": 0,
            "tokens": 0,
            "cwds": None,
        },
    ]
