"""Every real Codex and pi file against what an independent program made of it, each difference named."""

from __future__ import annotations

import json
import os
from collections import Counter
from datetime import datetime
from functools import cache
from pathlib import Path

import pytest

from tests.fold.folding import fold

ROOT = os.environ.get("TRACELAKE_REAL_DATA")

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not ROOT, reason="TRACELAKE_REAL_DATA is not set"),
]

STAGE = "Resources/Fixtures/stage0/agents/codex"
ROLES, STATUSES, TOKENS = "messages_by_role", "calls_by_status", ("usage_rows", "input", "output", "cache_read")

DEVIATIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "an echoed prompt without images opens no empty turn": {
        f"{version}{STAGE}/{name}": (ROLES,)
        for version, name in (
            ("agent-sessions/", "large.jsonl"),
            ("_history/00ebbb58e7/", "large.jsonl"),
            ("_history/99b63a589e/", "large.jsonl"),
            ("_history/1f635dd226/", "small.jsonl"),
            ("_history/9063b4caf1/", "small.jsonl"),
            ("_history/92b0c36683/", "small.jsonl"),
            ("_history/d7a447f4ad/", "small.jsonl"),
        )
    },
    "the first result counts, for every call with its id": {
        f"{version}{STAGE}/small.jsonl": (STATUSES, "result_bytes")
        for version in (
            "agent-sessions/",
            "_history/13138a7050/",
            "_history/4d6d231898/",
            "_history/6feab55285/",
            "_history/8b66a0f75a/",
        )
    },
    "bare items of early 2025 are read": {f"_history/0b5463243a/{STAGE}/large.jsonl": (ROLES, "content_chars")},
    "totals alone are counted by their growth": {
        "branch-history/2026-05-12T08-00-00-parent.jsonl": TOKENS,
        "branch-history/2026-05-12T08-02-00-branch.jsonl": TOKENS,
    },
    "objects glued on a line are all read": {
        "_history__cc1fbd63a8__session.jsonl": (
            ROLES,
            "content_chars",
            "thinking_bytes",
            "messages_with_thinking",
            *TOKENS[:3],
        ),
        "_history__ef7066638b__compact.jsonl": (ROLES, "content_chars", *TOKENS[:3], "ended_at"),
    },
    "images of pi are attachments": {"_history__ef7066638b__compact.jsonl": ("attachments",)},
}
"""Reason -> end of the path -> the values that differ for it. The cache tokens of pi are compared apart."""


@cache
def expectations():
    text = (Path(str(ROOT)).parent / "expected_parser.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    return {row["path"]: row for row in rows if row["agent"] in ("codex", "pi")}


@cache
def folded(path):
    return fold((Path(str(ROOT)) / path).read_bytes(), expectations()[path]["agent"])


def microseconds(text):
    return None if text.startswith("0001") else round(datetime.fromisoformat(text).timestamp() * 1e6)


DETAILS = ("command", "pattern", "url", "query", "description", "skill")


def as_there(call):
    """A call without what only we read of Codex: a search that is over without results, a command line as a list."""
    if call["tool_name"] == "web_search" and not call["result_bytes"]:
        call = {**call, "status": "pending"}
    try:
        given = json.loads(call["input_json"] or "")
    except json.JSONDecodeError:
        return call
    texts = [given.get(name) for name in DETAILS] if isinstance(given, dict) else []
    return call if any(isinstance(text, str) for text in texts) else {**call, "detail": None}


def summary(found):
    """What our rows say, in the words of the expectations; characters are counted as there, in bytes."""
    messages, usage = found["messages"], found["token_usage"]
    calls = [as_there(call) for call in found["tool_calls"]]
    times = [row["timestamp"] for row in found["entries"] if row["timestamp"] is not None]
    return {
        ROLES: dict(Counter(row["role"] for row in messages)),
        "content_chars": sum(len(row["content"]) for row in messages),
        "thinking_bytes": sum(row["thinking_bytes"] for row in messages),
        "messages_with_thinking": sum(row["has_thinking"] for row in messages),
        "tool_calls": len(calls),
        STATUSES: dict(Counter(row["status"] for row in calls)),
        "calls_by_category": dict(Counter(row["category"] or "other" for row in calls)),
        "calls_with_file_path": sum(bool(row["file_path"]) for row in calls),
        "calls_with_detail": sum(bool(row["detail"]) for row in calls),
        "result_bytes": sum(row["result_bytes"] or 0 for row in calls),
        "usage_rows": len(usage),
        "input": sum(row["input_tokens"] for row in usage),
        "output": sum(row["output_tokens"] for row in usage),
        "cache_read": sum(row["cache_read_tokens"] for row in usage),
        "cache_write": sum(row["cache_write_tokens"] for row in usage),
        "attachments": len(found["attachments"]),
        "started_at": min(times, default=None),
        "ended_at": max(times, default=None),
    }


def differing(path):
    expected, ours = expectations()[path], summary(folded(path))
    wanted = {name: expected[name] for name in ours}
    wanted["started_at"], wanted["ended_at"] = map(microseconds, (wanted["started_at"], wanted["ended_at"]))
    if expected["agent"] == "pi":
        ours["cache_read"] = ours["cache_write"] = 0
    return {name for name in ours if ours[name] != wanted[name]}


def listed(path):
    return {
        name for files in DEVIATIONS.values() for end, names in files.items() if path.endswith(end) for name in names
    }


def test_every_difference_is_a_named_deviation():
    assert len(expectations()) == 71
    wrong = {path: (found, listed(path)) for path in expectations() if (found := differing(path)) != listed(path)}
    assert wrong == {}


def test_what_deviates_does_so_by_the_right_amount():
    branch, parent = (next(p for p in expectations() if p.endswith(end)) for end in ("branch.jsonl", "parent.jsonl"))
    ours = [tuple(summary(folded(path))[name] for name in TOKENS) for path in (parent, branch)]
    assert ours == [(1, 900, 200, 100), (2, 1300, 450, 300)]  # totals 1000/100/200, then 1600/300/450
    for path in expectations():
        if path.endswith(("cc1fbd63a8__session.jsonl", "ef7066638b__compact.jsonl")):
            more = summary(folded(path))["usage_rows"] - expectations()[path]["usage_rows"]
            assert more == 1
            assert [row["status"] for row in folded(path)["entries"]].count("glued") == 1


def records(path):
    for line in (Path(str(ROOT)) / path).read_bytes().split(b"\n"):
        try:
            found = json.loads(line)
        except ValueError:
            continue
        yield found


def last_total(path):
    """The last running total of a rollout that holds one thread, read apart from our code; None without one."""
    threads, total = set(), None
    for record in records(path):
        payload = record.get("payload") or {}
        if record.get("type") == "session_meta":
            threads.add(payload.get("id"))
        if payload.get("type") == "token_count":
            total = (payload.get("info") or {}).get("total_token_usage") or total
    return total if len(threads) == 1 else None


def test_codex_totals_are_the_last_running_total():
    checked = 0
    for path, expected in expectations().items():
        total = last_total(path) if expected["agent"] == "codex" else None
        if total is None:
            continue
        # After a compaction the same total comes again with an empty response: the larger output counts.
        rows = sorted(folded(path)["token_usage"], key=lambda row: row["output_tokens"])
        calls = {row["dedup_key"]: row for row in rows}.values()
        sums = [sum(row[name] for row in calls) for name in ("input_tokens", "cache_read_tokens", "cache_write_tokens")]
        assert sum(sums) == total["input_tokens"], path
        assert sums[1] == total["cached_input_tokens"], path
        assert sum(row["output_tokens"] for row in calls) == total["output_tokens"], path
        assert sum(row["thinking_tokens"] for row in calls) == total["reasoning_output_tokens"], path
        checked += 1
    assert checked >= 15


def test_pi_keeps_cache_tokens_and_its_own_costs():
    checked = 0
    for path, expected in expectations().items():
        if expected["agent"] != "pi" or "bad_json" in {row["status"] for row in folded(path)["entries"]}:
            continue
        if any(row["status"] == "glued" for row in folded(path)["entries"]):
            continue
        messages = [record.get("message") for record in records(path) if record.get("type") == "message"]
        used = [m["usage"] for m in messages if isinstance(m, dict) and m.get("role") == "assistant" and "usage" in m]
        rows = folded(path)["token_usage"]
        assert sum(row["cache_read_tokens"] for row in rows) == sum(one.get("cacheRead") or 0 for one in used)
        assert sum(row["cache_write_tokens"] for row in rows) == sum(one.get("cacheWrite") or 0 for one in used)
        costs = sum((one.get("cost") or {}).get("total") or 0 for one in used)
        assert float(sum(row["reported_cost_usd"] or 0 for row in rows)) == pytest.approx(costs, abs=1e-6)
        checked += 1
    assert checked >= 20


def test_every_line_is_there_and_classified():
    for path in expectations():
        data = (Path(str(ROOT)) / path).read_bytes()
        rows = folded(path)["entries"]
        assert len(rows) == data.count(b"\n") + (not data.endswith(b"\n")), path
        assert sum(row["byte_len"] for row in rows) == len(data), path
        assert all(row["class"] not in (None, "unknown") for row in rows if row["record_count"]), path


def test_patched_files_are_found():
    rows = [row for path in expectations() for row in folded(path)["tool_calls"] if row["patch_paths"]]
    patches = [row for row in rows if row["tool_name"] == "apply_patch"]
    assert len(patches) >= 40
    assert all("\\n" not in one and "\n" not in one for row in rows for one in row["patch_paths"])
    assert all("*** Begin Patch" in row["input_json"] for row in rows)
