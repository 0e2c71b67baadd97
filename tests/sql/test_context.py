"""Context health: parser.md 7.5."""

from __future__ import annotations

import json
from typing import Any

from tests.sql.lakes import MakeLake


def records(*sizes: int, **more: Any) -> list[dict[str, Any]]:
    """Usage records with prompts of these sizes, a third of each uncached, read and written."""
    return [
        {
            "line_no": n,
            "byte_offset": n * 100,
            "source_index": 0,
            "carrier": "message",
            "model": "claude-opus-5",
            "input_tokens": size - 2 * (size // 3),
            "cache_read_tokens": size // 3,
            "cache_write_tokens": size // 3,
            **more,
        }
        for n, size in enumerate(sizes, 1)
    ]


def health(make_lake: MakeLake, rows: list[dict[str, Any]]) -> tuple[int, int]:
    row = make_lake({"token_usage": rows}).one("SELECT peak_tokens, resets FROM context_health")
    return row["peak_tokens"], row["resets"]


def test_a_reset_halves_a_context_of_20000(make_lake: MakeLake) -> None:
    assert health(make_lake, records(19_999, 1)) == (19_999, 0)
    assert health(make_lake, records(20_000, 10_000)) == (20_000, 1)
    assert health(make_lake, records(20_001, 10_001)) == (20_001, 0)
    assert health(make_lake, records(40_000, 10_000, 30_000, 9_000)) == (40_000, 2)


def test_synthetic_lines_progress_copies_and_inline_agents_are_no_reset(make_lake: MakeLake) -> None:
    main = records(40_000, 0, 41_000, 0, 42_000)
    main[1]["model"], main[3]["carrier"] = "<synthetic>", "progress"
    inline = records(500, is_sidechain=True)[0] | {"line_no": 9, "byte_offset": 150}
    assert health(make_lake, [*main, inline]) == (42_000, 0)


def test_files_without_usage_have_no_row(make_lake: MakeLake) -> None:
    assert make_lake({"messages": [{"line_no": 1, "ordinal": 0, "role": "user"}]}).ask("FROM context_health") == []


def test_the_fleet(make_lake: MakeLake) -> None:
    # Peaks 1,000 to 9,000 and one of 2,000,000, with a reset. Bins: eight to 8,000, one to 16,000, one at the end.
    rows = [row | {"session_id": f"s{n}"} for n in range(1, 10) for row in records(n * 1000)]
    rows += [row | {"session_id": "big"} for row in records(2_000_000, 500)]
    row = make_lake({"token_usage": rows}).one(
        "SELECT * EXCLUDE (histogram), CAST(histogram AS JSON) AS bins FROM context_fleet"
    )
    bins = {"8000": 8, "16000": 1, "1024000": 1}
    assert json.loads(row.pop("bins")) == bins
    assert row == {
        "agent": "claude",
        "transcripts": 10,
        "p50_peak_tokens": 5000,
        "p90_peak_tokens": 9000,
        "max_peak_tokens": 2_000_000,
        "resets": 1,
        "transcripts_with_reset": 1,
    }
