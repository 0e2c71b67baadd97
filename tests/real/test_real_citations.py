"""Citations over the real transcripts, checked against scans of the files themselves."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from tracelake.citations.model import CitationRequest, SourceType
from tracelake.citations.normal import contains, fold_spaces
from tracelake.citations.resolve import outcomes
from tracelake.lake.connect import open_lake

pytestmark = pytest.mark.real
SAMPLE = 1000


def records(path: Path):
    """Line number and record of every line that holds an object."""
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            yield number, record


def strings(value):
    """Every string anywhere in a record."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from strings(item)


def questions(path: Path):
    """Line and answers of every answered question, from the data beside the result."""
    asked = set()
    for number, record in records(path):
        message = record.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        for block in content if isinstance(content, list) else []:
            if block.get("name") == "AskUserQuestion":
                asked.add(block.get("id"))
            if block.get("type") == "tool_result" and block.get("tool_use_id") in asked:
                data = record.get("toolUseResult")
                if isinstance(data, dict) and data.get("answers"):
                    yield number, list(data["answers"].values())


@pytest.mark.parametrize("source", ["erk", "packmind"])
def test_all_answers_are_the_user_s_words(real_data, real_run, source):
    lake, _ = real_run
    wanted = [
        (str(path), line, answer)
        for path in sorted((real_data / source).rglob("*.jsonl"))
        for line, answers in questions(path)
        for answer in answers
    ]
    assert wanted
    with open_lake(lake) as connection:
        found = outcomes(connection, [(path, CitationRequest(answer)) for path, _, answer in wanted])
    for (path, line, answer), row in zip(wanted, found, strict=True):
        assert (path, line) in {(match["path"], match["line_no"]) for match in row["matches"]}, answer


def test_hook_refusals_of_erk_are_in_no_pool(real_data, real):
    refused = 0
    for path in (real_data / "erk").rglob("*.jsonl"):
        for line, record in records(path):
            if record.get("type") == "user" and any(
                text.startswith("PreToolUse:") and " hook error: " in text for text in strings(record.get("message"))
            ):
                refused += 1
                assert real("SELECT count(*) FROM citable_texts WHERE path = ? AND line_no = ?", str(path), line) == [
                    (0,)
                ]
    assert refused


def sample(connection):
    chance = random.Random(11)
    sql = "SELECT path, line_no, pool, norm_text FROM citable_texts WHERE norm_text <> '' ORDER BY path, line_no, seq"
    for path, line, pool, text in chance.sample(connection.execute(sql).fetchall(), SAMPLE):
        size = chance.choice([15, 30, 60, 120])
        start = chance.randrange(max(1, len(text) - size + 1))
        yield path, line, SourceType(pool), text[start : start + size].strip() or text


def test_a_thousand_quotes_resolve_to_their_line_or_are_ambiguous(real_run):
    lake, _ = real_run
    with open_lake(lake) as connection:
        quotes = list(sample(connection))
        found = outcomes(connection, [(None, CitationRequest(quote, [pool])) for _, _, pool, quote in quotes])
    several = []
    for (path, line, _, quote), row in zip(quotes, found, strict=True):
        places = [(match["path"], match["line_no"]) for match in row["matches"]]
        assert (path, line) in places, quote
        if row["outcome"] == "one":
            assert (row["path"], row["line_no"]) == (path, line)
        else:
            several.append((quote, next(place for place in places if place != (path, line))))
    assert 0 < len(several) < SAMPLE
    confirm(several)


def confirm(several):
    """Find each second entry again in the files themselves."""
    lines: dict[str, dict[int, str]] = {}
    for quote, (path, line) in several:
        if path not in lines:
            lines[path] = dict(enumerate(Path(path).read_bytes().decode(errors="replace").split("\n"), 1))
        texts = strings(json.loads(lines[path][line]))
        assert any(contains(text, quote, numbered=True) for text in texts), (path, line, quote)


def test_the_pools_share_no_text(real):
    assert real(
        "SELECT count(*) FROM citable_texts AS one JOIN citable_texts AS other USING (path, line_no, seq)"
        " WHERE one.pool <> other.pool"
    ) == [(0,)]


def test_white_space_is_folded_everywhere(real):
    assert real("SELECT count(*) FROM citations WHERE norm_text <> fold_spaces(text)") == [(0,)]
    assert fold_spaces(" a\n") == "a"
