"""Codex: which counts at the beginning of a file repeat another thread's (accounting.md 1)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from tests.sql.lakes import Lake, MakeLake, at

T0 = at("2031-05-01 10:00:00")


def thread(
    name: str, *totals: int, after: list[str] | None = None, start: int = 0, at_s: list[int] | None = None
) -> dict[str, list[dict[str, Any]]]:
    """Counts of one rollout, each total grown by what the response took; `at_s` are their times in seconds."""
    times = at_s or [start + 10 * n for n in range(1, len(totals) + 1)]
    place = {"session_id": name, "path": f"/h/{name}.jsonl", "agent": "codex"}
    rows = [
        {
            **place,
            "line_no": n,
            "dedup_key": f"codex:{name}:{total}",
            "counts_key": f"{total}/{total - (totals[n - 2] if n > 1 else 0)}",
            "replay_of": after,
            "carrier": "message",
            "occurred_at": T0 + timedelta(seconds=seconds),
            "output_tokens": total - (totals[n - 2] if n > 1 else 0),
        }
        for n, (total, seconds) in enumerate(zip(totals, times, strict=True), 1)
    ]
    kind = "subagent" if after else "main"
    return {"token_usage": rows, "files": [{**place, "kind": kind, "start_time": T0 + timedelta(seconds=start)}]}


def lake_of(make_lake: MakeLake, *threads: dict[str, list[dict[str, Any]]]) -> Lake:
    return make_lake({name: [row for one in threads for row in one[name]] for name in ("token_usage", "files")})


def calls(lake: Lake) -> list[tuple[str, int]]:
    rows = lake.ask("SELECT session_id, output_tokens FROM usage ORDER BY session_id, output_tokens")
    return [tuple(row.values()) for row in rows]


def rules(lake: Lake, path: str) -> list[str]:
    return [row["rule"] for row in lake.ask("SELECT rule FROM usage_audit WHERE path = ? ORDER BY line_no", [path])]


def test_the_leading_counts_of_the_named_parent_are_copies(make_lake: MakeLake) -> None:
    # 10 and 15 are the parent's; 20 is the child's own; the parent's third is none of the child's.
    lake = lake_of(make_lake, thread("z", 10, 25, 60), thread("c", 10, 25, 45, after=["z"], start=100))
    assert calls(lake) == [("c", 20), ("z", 10), ("z", 15), ("z", 35)]
    assert rules(lake, "/h/c.jsonl") == ["replay", "replay", "count"]


def test_a_child_that_counts_from_zero_repeats_nothing(make_lake: MakeLake) -> None:
    lake = lake_of(
        make_lake, thread("z", 50), thread("a", 7, after=["z"], start=60), thread("b", 7, after=["z"], start=120)
    )
    assert calls(lake) == [("a", 7), ("b", 7), ("z", 50)]


def test_equal_counts_after_the_leading_run_are_calls_of_their_own(make_lake: MakeLake) -> None:
    lake = lake_of(make_lake, thread("z", 10, 25), thread("c", 12, 25, after=["z"], start=100))
    assert calls(lake) == [("c", 12), ("c", 13), ("z", 10), ("z", 15)]


def test_a_repeated_total_does_not_end_the_run(make_lake: MakeLake) -> None:
    child = thread("c", 10, 25, 45, after=["z"], start=100)
    again = {**child["token_usage"][0], "line_no": 1}
    for row in child["token_usage"]:
        row["line_no"] += 1
    child["token_usage"].append(again)
    assert calls(lake_of(make_lake, thread("z", 10, 25), child)) == [("c", 20), ("z", 10), ("z", 15)]


def test_a_fork_of_a_fork_leads_to_the_first(make_lake: MakeLake) -> None:
    lake = lake_of(
        make_lake,
        thread("z", 10, 25),
        thread("y", 10, 25, 45, after=["z"], start=100),
        thread("x", 10, 25, 45, 50, after=["y", "z"], start=200),
    )
    assert calls(lake) == [("x", 5), ("y", 20), ("z", 10), ("z", 15)]


def test_where_the_nearest_is_gone_the_next_that_is_there_counts(make_lake: MakeLake) -> None:
    lake = lake_of(make_lake, thread("z", 10, 25), thread("x", 10, 25, 50, after=["y", "z"], start=200))
    assert calls(lake) == [("x", 25), ("z", 10), ("z", 15)]


def test_siblings_of_a_thread_that_is_gone_count_its_calls_once(make_lake: MakeLake) -> None:
    # Two counts from before the header (100 and 200 s) or within its second; the third is the child's own.
    one = thread("b", 10, 25, 45, after=["z"], start=100, at_s=[5, 100, 130])
    two = thread("a", 10, 25, 45, after=["z"], start=200, at_s=[5, 200, 230])
    lake = lake_of(make_lake, one, two)
    assert sorted(output for _, output in calls(lake)) == [10, 15, 20, 20]
    assert rules(lake, "/h/a.jsonl") == ["absent_parent", "absent_parent", "count"]


def test_counts_at_the_same_times_are_a_replay_even_without_a_name(make_lake: MakeLake) -> None:
    lake = lake_of(make_lake, thread("z", 10, 25), thread("c", 10, 25, 45, start=1, at_s=[10, 20, 90]))
    assert calls(lake) == [("c", 20), ("z", 10), ("z", 15)]
    assert rules(lake, "/h/c.jsonl") == ["unnamed_replay", "unnamed_replay", "count"]


def test_counts_that_all_carry_one_time_are_a_replay_even_without_a_name(make_lake: MakeLake) -> None:
    lake = lake_of(make_lake, thread("z", 10, 25), thread("c", 10, 25, 45, start=80, at_s=[80, 80, 90]))
    assert calls(lake) == [("c", 20), ("z", 10), ("z", 15)]


def test_without_a_name_one_count_or_other_times_prove_nothing(make_lake: MakeLake) -> None:
    lake = lake_of(
        make_lake,
        thread("z", 10, 25),
        thread("b", 10, 40, start=1, at_s=[10, 90]),
        thread("c", 10, 25, start=80, at_s=[90, 95]),
    )
    assert len(calls(lake)) == 6


def test_the_numbers_of_a_usage_record_win(make_lake: MakeLake) -> None:
    one = thread("z", 10)
    record = {**one["token_usage"][0], "line_no": 2, "counts_key": None, "carrier": "usage_record", "output_tokens": 8}
    one["token_usage"].append(record)
    assert calls(lake_of(make_lake, one)) == [("z", 8)]
