"""Prompt hygiene: parser.md 7.4, with the golden prompts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sql.lakes import Lake, MakeLake


def prompts(make_lake: MakeLake, *texts: str) -> Lake:
    rows = [{"line_no": n, "ordinal": n, "role": "user", "content": text} for n, text in enumerate(texts)]
    return make_lake({"messages": rows})


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    from tests.sql.lakes import write_lake

    return write_lake(tmp_path_factory.mktemp("hygiene") / "lake", {})


@pytest.mark.parametrize(
    ("text", "digest"),
    [
        ("fix it", -7928052777052040699),
        ("  Fix\t\n IT ", -7928052777052040699),
        ("fix the login bug please", 8816631223831308030),
        ("hey", 3695807234318759549),
        ("", -3750763034362895579),
        (" \u00a0\u2003\x0b", -3750763034362895579),
    ],
)
def test_golden_digests(empty: Lake, text: str, digest: int) -> None:
    assert empty.one("SELECT prompt_digest(?) AS digest", [text])["digest"] == digest


def fnv(text: str) -> int:
    """FNV-1a as its authors describe it, signed."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value - 2**64 if value >= 2**63 else value


@pytest.mark.parametrize("text", ["ümlaut und ß", "日本語 のテキスト", "emoji 🌙 moon", "a" * 5000])
def test_other_digests(empty: Lake, text: str) -> None:
    assert empty.one("SELECT prompt_digest(?) AS digest", [text.upper()])["digest"] == fnv(text.upper().lower())


FLAGS = "is_short, no_code_context, is_greeting"


@pytest.mark.parametrize(
    ("text", "short", "no_code", "greeting"),
    [
        ("fix it", True, True, False),
        ("fix the login bug please", False, True, False),
        ("Hello, team!", True, False, True),
        ("good morning everyone, how are you doing today?", False, False, True),
        ("update the go.mod file right now", False, False, False),
        ("add it to foo.env for me", False, True, False),
        ("see a/b/c and change it now", False, False, False),
        ("bugfix the thing for me please", False, False, False),
        ("rename x in a/b for me", False, True, False),
        ("rename `x` for me please", False, False, False),
        ("rename x` for me please", False, True, False),
        ("edit MAIN.PY for me please", False, False, False),
        ("edit main.pyx for me please", False, True, False),
        ("update the Dockerfile for me", False, False, False),
        ("add it to .env for me", False, False, False),
        ("add it to ..env for me", False, True, False),
        ("what does this thing do?", False, False, False),
    ],
)
def test_flags(make_lake: MakeLake, text: str, short: bool, no_code: bool, greeting: bool) -> None:
    assert tuple(prompts(make_lake, text).one(f"SELECT {FLAGS} FROM prompt_hygiene").values()) == (
        short,
        no_code,
        greeting,
    )


def test_duplicates_are_long_prompts_seen_before(make_lake: MakeLake) -> None:
    texts = ("please run the tests", "go on", "Please  run the TESTS", "go on", "please run the tests")
    rows = prompts(make_lake, *texts).ask("SELECT is_duplicate AS again FROM prompt_hygiene ORDER BY ordinal")
    assert [row["again"] for row in rows] == [False, False, True, False, True]


@pytest.mark.parametrize(
    ("first", "unstructured"),
    [("hi", True), ("hello there everyone, how are you", True), ("explain how the tide clock works", False)],
)
def test_only_the_first_prompt_starts(make_lake: MakeLake, first: str, unstructured: bool) -> None:
    lake = prompts(make_lake, "", first, "go on")
    rows = lake.ask("SELECT is_first, unstructured_start AS start FROM prompt_hygiene ORDER BY ordinal")
    assert [(row["is_first"], row["start"]) for row in rows] == [(True, unstructured), (False, False)]


def test_only_user_turns_count(make_lake: MakeLake) -> None:
    rows: list[dict[str, Any]] = [
        {"line_no": n, "ordinal": n, "role": role, "content": "fix it"}
        for n, role in enumerate(("context", "assistant", "user"))
    ]
    assert make_lake({"messages": rows}).one("SELECT ordinal FROM prompt_hygiene") == {"ordinal": 2}


@pytest.mark.parametrize("text", ["fix the log in src/app//main please", "change a.b-c.go so it builds again"])
def test_a_path_with_an_empty_part_and_a_file_name_with_points_are_anchors(make_lake: MakeLake, text: str) -> None:
    """parser.md 7.4: word/word/rest with any points and slashes; any points and dashes before a known ending."""
    assert prompts(make_lake, text).one("SELECT no_code_context FROM prompt_hygiene") == {"no_code_context": False}
