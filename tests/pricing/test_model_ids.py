"""However a model is spelt it is one model, and its price is that of the place that bills it."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest
from tracelake.build import extract
from tracelake.lake.connect import open_lake
from tracelake.pricing.genai import alias_of, model_id_of

ARN = "arn:aws:bedrock:eu-west-1:111122223333"
SPELLINGS = {
    # Anthropic's list: 5 USD per million input tokens.
    "claude-opus-5": "5",
    "CLAUDE-OPUS-5": "5",
    "claude-opus-5[1m]": "5",
    "claude-opus-5-20260724": "5",
    "anthropic/claude-opus-5": "5",
    "global.anthropic.claude-opus-5": "5",
    "vertex_ai/claude-opus-5@20260724": "5",
    # A tenth more in a region of Bedrock.
    "us.anthropic.claude-opus-5": "5.5",
    "eu.anthropic.claude-opus-5": "5.5",
    "anthropic.claude-opus-5": "5.5",
    "bedrock/us.anthropic.claude-opus-5": "5.5",
    f"{ARN}:inference-profile/us.anthropic.claude-opus-5": "5.5",
    f"{ARN}:foundation-model/anthropic.claude-opus-5": "5.5",
    # Prices of their own that nobody here knows.
    "us-gov.anthropic.claude-opus-5": None,
    f"{ARN}:inference-profile/us-gov.anthropic.claude-opus-5": None,
}
"""Model as written -> USD for a million input tokens."""


def lake_of(tmp_path: Path, *calls: dict) -> Path:
    """One call for each message, a second apart from 2026-09-01 on unless it says otherwise."""
    file = tmp_path / "home" / "projects" / "-p" / "00000000-0000-4000-8000-000000000001.jsonl"
    file.parent.mkdir(parents=True)
    lines = [
        {
            "type": "assistant",
            "uuid": f"u{number}",
            "timestamp": call.pop("at", f"2026-09-01T10:00:{number:02}Z"),
            "requestId": f"r{number}",
            "message": {"id": f"m{number}", "model": call.pop("model"), "usage": call},
        }
        for number, call in enumerate(calls)
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    extract([tmp_path / "home"], tmp_path / "lake", engine="serial")
    return tmp_path / "lake"


def ask(lake: Path, sql: str) -> list:
    with open_lake(lake) as connection:
        return connection.sql(sql).fetchall()


def test_each_spelling_is_priced_by_who_bills_it_and_all_are_one_model(tmp_path: Path) -> None:
    lake = lake_of(tmp_path, *({"model": name, "input_tokens": 1_000_000} for name in SPELLINGS))
    found = dict(ask(lake, "SELECT model, cost_usd FROM costs"))
    assert found == {name: usd and Decimal(usd) for name, usd in SPELLINGS.items()}
    # 7 * 5 + 6 * 5.5, two calls without a price.
    assert ask(lake, "SELECT model_id, calls, unpriced_calls, cost_usd FROM cost_by_model") == [
        ("claude-opus-5", 15, 2, Decimal(68))
    ]
    assert ask(lake, "SELECT model_id, calls FROM cost_daily") == [("claude-opus-5", 15)]


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("claude-sonnet-4-20250514", "claude-sonnet-4-0"),
        ("claude-sonnet-4", "claude-sonnet-4-0"),
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", "claude-sonnet-4-0"),
        ("claude-opus-4-5@20251101", "claude-opus-4-5"),
        ("claude-fable-5@default", "claude-fable-5"),
        ("anthropic/claude-opus-4.8", "claude-opus-4-8"),
        ("anthropic/claude-4-6-sonnet", "claude-sonnet-4-6"),
        ("claude-3-5-haiku-20241022", "claude-3-5-haiku"),
        ("gpt-5.2-codex", "gpt-5.2-codex"),
        ("openai/gpt-5.2-2025-12-11", "gpt-5.2"),
        ("claude-nightjar-1[1m]", "claude-nightjar-1"),
        ("<synthetic>", "<synthetic>"),
        ("glm-4.7", "glm-4.7"),
    ],
)
def test_the_one_name(model: str, name: str) -> None:
    assert model_id_of(model) == name
    assert alias_of(model).model_id == name


# Tokens and date of one call -> USD for it, from the published rate in the comment.
TARIFFS = [
    # Sonnet 4, 3 / 15; above 200,000 prompt tokens 6 / 22.5 for the whole call, from 2025-08-12 on.
    ("claude-sonnet-4-20250514", "2025-08-11", {"input_tokens": 300_000, "output_tokens": 1000}, "0.915"),
    ("claude-sonnet-4-20250514", "2025-08-12", {"input_tokens": 300_000, "output_tokens": 1000}, "1.8225"),
    ("claude-sonnet-4-20250514", "2025-09-01", {"input_tokens": 200_000, "output_tokens": 1000}, "0.615"),
    ("claude-sonnet-4-20250514", "2025-09-01", {"input_tokens": 1, "cache_read_input_tokens": 200_000}, "0.120006"),
    # Fast mode of Opus 4.6: 30 / 150, half of it until 2026-02-16; above 200,000 tokens 60 / 225 until 2026-03-13.
    ("claude-opus-4-6", "2026-02-15", {"speed": "fast", "input_tokens": 1000, "output_tokens": 100}, "0.0225"),
    ("claude-opus-4-6", "2026-02-16", {"speed": "fast", "input_tokens": 1000, "output_tokens": 100}, "0.045"),
    ("claude-opus-4-6", "2026-03-01", {"speed": "fast", "input_tokens": 200_001}, "12.00006"),
    ("claude-opus-4-6", "2026-04-01", {"speed": "fast", "input_tokens": 200_001}, "6.00003"),
    # Fast mode of Opus 4.7: 30 / 150, removed on 2026-07-24. Of Opus 5: 10 / 50.
    ("claude-opus-4-7", "2026-07-23", {"speed": "fast", "input_tokens": 1000, "output_tokens": 100}, "0.045"),
    ("claude-opus-4-7", "2026-07-24", {"speed": "fast", "input_tokens": 1000, "output_tokens": 100}, None),
    ("claude-opus-5", "2026-09-01", {"speed": "fast", "input_tokens": 1000, "output_tokens": 100}, "0.015"),
    ("claude-sonnet-4-6", "2026-09-01", {"speed": "fast", "input_tokens": 1000}, None),
    # Inference in the US costs a tenth more; a region without a published price has none.
    ("claude-opus-5", "2026-09-01", {"inference_geo": "us", "input_tokens": 1000, "output_tokens": 100}, "0.00825"),
    ("claude-opus-5", "2026-09-01", {"inference_geo": "us", "speed": "fast", "input_tokens": 1000}, "0.011"),
    ("claude-opus-5", "2026-09-01", {"inference_geo": "not_available", "input_tokens": 1000}, "0.005"),
    ("claude-opus-5", "2026-09-01", {"inference_geo": "moon", "input_tokens": 1000}, None),
    # Batch: half the price (5 / 25), known to the package from 2026-10-14 on.
    ("claude-opus-5", "2026-11-01", {"service_tier": "batch", "input_tokens": 1000, "output_tokens": 100}, "0.00375"),
    ("claude-opus-5", "2026-11-01", {"service_tier": "priority", "input_tokens": 1000}, "0.005"),
]


def test_published_tariffs_that_the_price_package_lacks(tmp_path: Path) -> None:
    calls = [{"model": model, "at": f"{day}T12:00:00Z", **usage} for model, day, usage, _ in TARIFFS]
    found = [usd for (usd,) in ask(lake_of(tmp_path, *calls), "SELECT cost_usd FROM costs ORDER BY line_no")]
    assert found == [None if usd is None else Decimal(usd) for *_, usd in TARIFFS]


def test_a_codex_turn_on_the_priority_tier(tmp_path: Path) -> None:
    """GPT-5.5: 5 / 30 standard, 12.5 / 75 priority; the tier is a turn's, and the next turn without it has none.

    Turn 1: 1000 * 5 + 100 * 30 = 8000; turn 2: 2000 * 12.5 + 200 * 75 = 40000; turn 3: 100 * 5 + 10 * 30 = 800.
    """
    file = tmp_path / "home" / "sessions" / "rollout-2026-09-01T10-00-00-aaaa0000-0000-4000-8000-000000000001.jsonl"
    file.parent.mkdir(parents=True)
    records: list[tuple[str, dict]] = [("session_meta", {"id": "aaaa0000-0000-4000-8000-000000000001", "cwd": "/w"})]
    total = [0, 0]
    for tier, used in ((None, (1000, 100)), ("priority", (2000, 200)), (None, (100, 10))):
        if tier:
            settings = {"type": "thread_settings_applied", "thread_settings": {"service_tier": tier}}
            records.append(("event_msg", settings))
        records.append(("turn_context", {"model": "gpt-5.5", **({"service_tier": tier} if tier else {})}))
        total = [total[0] + used[0], total[1] + used[1]]
        counts = [{"input_tokens": i, "output_tokens": o, "total_tokens": i + o} for i, o in (total, used)]
        info = {"total_token_usage": counts[0], "last_token_usage": counts[1]}
        records.append(("event_msg", {"type": "token_count", "info": info}))
    lines = [
        {"timestamp": f"2026-09-01T10:00:{number:02}.000Z", "type": kind, "payload": payload}
        for number, (kind, payload) in enumerate(records)
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    extract([tmp_path / "home"], tmp_path / "lake", engine="serial")
    sql = "SELECT service_tier, cost_usd FROM costs ORDER BY line_no"
    assert ask(tmp_path / "lake", sql) == [
        (None, Decimal("0.008")),
        ("priority", Decimal("0.04")),
        (None, Decimal("0.0008")),
    ]


def test_pi_writes_of_one_hour_have_their_price(tmp_path: Path) -> None:
    """Sonnet 5, 2 / 10, one hour 4: 10 * 2 + 10 * 10 + 1000 * 4 = 4120."""
    usage = {"input": 10, "output": 10, "cacheRead": 0, "cacheWrite": 1000, "cacheWrite1h": 1000}
    message = {"role": "assistant", "provider": "anthropic", "model": "claude-sonnet-5", "usage": usage, "content": []}
    head = {"type": "session", "version": 3, "id": "bbbb0000-0000-4000-8000-000000000001", "cwd": "/w"}
    line = {"type": "message", "id": "a", "timestamp": "2026-09-01T10:00:05.000Z", "message": message}
    file = tmp_path / "home" / "sessions" / "x.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(head) + "\n" + json.dumps(line) + "\n")
    extract([tmp_path / "home"], tmp_path / "lake", engine="serial")
    assert ask(tmp_path / "lake", "SELECT cost_usd FROM costs") == [(Decimal("0.00412"),)]
