"""Five-hour blocks, as ccusage cuts them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from tracelake.lake.prices import Alias

from tests.sql.lakes import Lake, MakeLake, at, rate

OPUS = rate("claude-opus-5", "5", "25")


def lake_of(make_lake: MakeLake, *times: datetime | None, **more: Any) -> Lake:
    rows = [
        {
            "line_no": n,
            "message_id": f"m{n}",
            "model": "claude-opus-5",
            "occurred_at": time,
            "input_tokens": 100,
            **more,
        }
        for n, time in enumerate(times)
    ]
    return make_lake(
        {"token_usage": rows}, rates=[OPUS], aliases=[Alias("claude-opus-5", "anthropic", "claude-opus-5")]
    )


def blocks(make_lake: MakeLake, *times: str) -> list[tuple[str, str, int | None]]:
    """Return start and end as hours of 1 September, and calls (None for a gap)."""
    lake = lake_of(make_lake, *(at(f"2026-09-01 {time}") for time in times))
    rows = lake.ask(
        """SELECT strftime(starts_at, '%d %H:%M') AS a, strftime(ends_at, '%d %H:%M') AS b, is_gap, calls
            FROM usage_blocks ORDER BY 1, 2"""
    )
    return [(row["a"], row["b"], None if row["is_gap"] else row["calls"]) for row in rows]


def test_a_block_starts_at_the_hour_of_its_first_call(make_lake: MakeLake) -> None:
    assert blocks(make_lake, "10:42:00", "11:00:00", "14:59:59") == [("01 10:00", "01 15:00", 3)]


def test_a_call_exactly_five_hours_after_the_start_belongs_to_it(make_lake: MakeLake) -> None:
    assert blocks(make_lake, "10:42:00", "15:00:00", "15:00:01") == [
        ("01 10:00", "01 15:00", 2),
        ("01 15:00", "01 20:00", 1),
    ]


def test_long_use_is_block_after_block(make_lake: MakeLake) -> None:
    times = [f"{hour:02}:30:00" for hour in range(0, 24, 2)]
    # From 0:00: 0, 2, 4; the next call at 6:30 starts a block at 6:00: 6, 8, 10; then 12, 14, 16 and 18, 20, 22.
    assert blocks(make_lake, *times) == [
        ("01 00:00", "01 05:00", 3),
        ("01 06:00", "01 11:00", 3),
        ("01 12:00", "01 17:00", 3),
        ("01 18:00", "01 23:00", 3),
    ]


def test_a_gap_is_shown_from_five_hours_after_the_last_call(make_lake: MakeLake) -> None:
    assert blocks(make_lake, "01:10:00", "03:20:00", "09:45:00") == [
        ("01 01:00", "01 06:00", 2),
        ("01 08:20", "01 09:45", None),
        ("01 09:00", "01 14:00", 1),
    ]


def test_a_pause_of_exactly_five_hours_is_no_gap(make_lake: MakeLake) -> None:
    assert blocks(make_lake, "01:10:00", "06:10:00") == [("01 01:00", "01 06:00", 1), ("01 06:00", "01 11:00", 1)]


def test_what_a_block_holds(make_lake: MakeLake) -> None:
    lake = lake_of(make_lake, at("2026-09-01 10:30:00"), at("2026-09-01 12:30:00"), None)
    row = lake.one("SELECT calls, tokens, cost_usd, models, is_active, usd_per_hour FROM usage_blocks")
    assert row == {
        "calls": 2,
        "tokens": 200,
        "cost_usd": Decimal("0.001"),
        "models": ["claude-opus-5"],
        "is_active": False,
        "usd_per_hour": 0.0005,
    }


def test_the_block_of_now_is_active(make_lake: MakeLake) -> None:
    now = datetime.now(UTC)
    lake = lake_of(make_lake, now - timedelta(hours=30), now - timedelta(minutes=1))
    assert [row["is_active"] for row in lake.ask("SELECT is_active FROM usage_blocks ORDER BY starts_at")] == [
        False,
        False,
        True,
    ]


def test_agents_have_blocks_of_their_own_and_copies_count_once(make_lake: MakeLake) -> None:
    row = {
        "line_no": 1,
        "message_id": "m",
        "request_id": "r",
        "model": "x",
        "occurred_at": at("2026-09-01 10:30:00"),
        "output_tokens": 1,
    }
    copies = [row, row | {"session_id": "s2"}, row | {"session_id": "s3", "agent": "codex", "message_id": "n"}]
    found = make_lake({"token_usage": copies}).ask("SELECT agent, calls FROM usage_blocks ORDER BY agent")
    assert found == [{"agent": "claude", "calls": 1}, {"agent": "codex", "calls": 1}]
