"""The SQL side: macros by name, the bulk form, both ways of searching, the views."""

from __future__ import annotations

import random

import duckdb
import pytest
from tracelake.citations.normal import fold_spaces, unnumber
from tracelake.decode.split import GO_SPACE

from tests.citations.records import MAIN, OTHER, bash, call, result, transcript, user

ROOT, B = f"{MAIN}.jsonl", f"{OTHER}.jsonl"
WORDS = ["red", "green", "blue", "cyan", "pink", "teal"]


def rows(lake: duckdb.DuckDBPyConnection, sql: str, *params):
    return lake.execute(sql, params).fetchall()


@pytest.fixture(scope="module")
def lake(shared_tree):
    first = [
        user("say  hello\nworld"),
        bash("b1", "make"),
        result("b1", "hello world"),
        bash("g", "git log"),
        result("g", "subject"),
    ]
    asked = 'The user answered: "Q?"="yes"'
    second = [
        user("hello there"),
        call("q", "AskUserQuestion"),
        result("q", asked),
        call("q2", "AskUserQuestion"),
        result("q2", "User answered"),
    ]
    shared_tree.write({ROOT: transcript(*first), B: transcript(*second)})
    with shared_tree.open() as connection:
        yield connection


def test_cite(lake, shared_tree):
    one = [(shared_tree.path(ROOT), 1, ["user"])]
    assert rows(lake, "SELECT path, line_no, source_types FROM cite('hello  world')") == one
    assert rows(lake, "SELECT path, line_no FROM cite('hello', ['user', 'tool_result'])") == [
        (shared_tree.path(ROOT), 1),
        (shared_tree.path(ROOT), 3),
        (shared_tree.path(B), 1),
    ]
    assert rows(
        lake, "SELECT line_no FROM cite('hello', pools := ['tool_result'], from_path := ?)", shared_tree.path(ROOT)
    ) == [(3,)]
    assert rows(lake, "FROM cite('')") == rows(lake, "FROM cite('world hello')") == []


def test_lines_by_macro(lake, shared_tree):
    assert rows(lake, "FROM tool_result_at(?, 3)", shared_tree.path(ROOT)) == [("hello world", True)]
    assert rows(lake, "FROM tool_result_at(?, 5)", shared_tree.path(ROOT)) == [("", False)]
    assert rows(lake, "SELECT envelope FROM envelopes_at(?, 3)", shared_tree.path(B)) == [
        ('The user answered: "Q?"="yes"',)
    ]
    assert rows(lake, "FROM envelopes_at(?, 3)", shared_tree.path(ROOT)) == []


def test_a_table_of_requests(lake, shared_tree):
    lake.execute(
        "CREATE OR REPLACE TEMP TABLE wanted"
        " (request_id BIGINT, quote VARCHAR, pools VARCHAR[], from_path VARCHAR, as_subagent BOOLEAN)"
    )
    root = shared_tree.path(ROOT)
    lake.executemany(
        "INSERT INTO wanted VALUES (?, ?, ?, ?, ?)",
        [
            (1, "hello world", ["user"], None, None),
            (2, "hello", ["user"], None, False),
            (3, "hello", ["user"], root, False),
            (4, "subject", ["tool_result"], root, False),
            (5, "hello", ["user"], root, True),
            (6, "", ["user"], None, False),
            (7, "x", [], None, False),
            (8, "x", ["other"], None, False),
            (9, "x", ["user"], "/nowhere", False),
            (10, "yes", ["tool_result", "user"], None, False),
        ],
    )
    answers = rows(
        lake,
        "SELECT request_id, outcome, line_no, source_types, len(matches), reason"
        " FROM cite_requests((SELECT list(wanted) FROM wanted)) ORDER BY request_id",
    )
    assert answers == [
        (1, "one", 1, ["user"], 1, None),
        (2, "several", None, None, 2, None),
        (3, "one", 1, ["user"], 1, None),
        (4, "none", None, None, 0, None),
        (5, "refused", None, None, 0, "no session root holds the user's words"),
        (6, "invalid", None, None, 0, "the quote is empty"),
        (7, "invalid", None, None, 0, "no pool is named"),
        (8, "invalid", None, None, 0, "a pool is neither user nor tool_result"),
        (9, "invalid", None, None, 0, "the file is not in the lake"),
        (10, "one", 3, ["user"], 1, None),
    ]


def test_many_requests_find_what_a_plain_scan_finds(tree):
    chance = random.Random(7)
    texts = [" ".join(chance.choices(WORDS, k=chance.randint(1, 7))) for _ in range(60)]
    tree.write({ROOT: transcript(*map(user, texts[:30])), B: transcript(*map(user, texts[30:]))})
    places = [(tree.path(ROOT), n + 1) for n in range(30)] + [(tree.path(B), n + 1) for n in range(30)]
    requests = []
    for number in range(240):
        text = chance.choice(texts)
        start = chance.randrange(len(text))
        quote = text[start : start + chance.randint(1, 20)]
        from_path = chance.choice([None, tree.path(ROOT), tree.path(B)])
        requests.append(
            {"request_id": number, "quote": quote, "pools": ["user"], "from_path": from_path, "as_subagent": False}
        )
    kind = "STRUCT(request_id BIGINT, quote VARCHAR, pools VARCHAR[], from_path VARCHAR, as_subagent BOOLEAN)[]"
    with tree.open() as lake:
        found = dict(
            rows(
                lake,
                f"SELECT request_id, list(path || ':' || line_no) FROM cite_matches($1::{kind}) GROUP BY 1",
                requests,
            )
        )
    for request in requests:
        wanted = request["quote"].strip()
        expected = {
            f"{path}:{line}"
            for (path, line), text in zip(places, texts, strict=True)
            if wanted and wanted in text and request["from_path"] in (None, path)
        }
        assert set(found.get(request["request_id"], [])) == expected, request


def test_white_space_folds_alike_in_sql_and_python(lake):
    for text in ("".join(f"{space}a{space}" for space in GO_SPACE), "a\x1cb \u200b c", "", " \t"):
        assert rows(lake, "SELECT fold_spaces(?)", text) == [(fold_spaces(text),)]


def test_line_numbers_are_taken_out_alike_in_sql_and_python(lake):
    chance = random.Random(3)
    texts = ["".join(chance.choices("\t\n1 a\r", (3, 2, 3, 1, 1, 1), k=chance.randint(0, 12))) for _ in range(1000)]
    asked = rows(lake, "SELECT text, unnumbered(text) FROM unnest(?) AS given(text)", texts)
    assert len(asked) == 1000
    assert [text for text, bare in asked if bare != unnumber(text)] == []
    assert sum(text != bare for text, bare in asked) > 20


def test_the_table_gives_every_text_as_quotes_are_compared(tree):
    read = [call("r", "Read", file_path="/w/x"), result("r", " 1\tfoo \n 2\tbar"), user(" 1\tfoo")]
    tree.write({ROOT: transcript(*read)})
    with tree.open() as lake:
        columns = "text, norm_text, norm_text_unnumbered"
        assert rows(lake, f"SELECT {columns} FROM citations ORDER BY line_no") == [
            (" 1\tfoo \n 2\tbar", "1 foo 2 bar", "foo bar"),
            (" 1\tfoo", "1 foo", None),
        ]


def test_views(lake):
    assert rows(lake, "SELECT kind, count(*) FROM citable_texts GROUP BY ALL ORDER BY ALL") == [
        ("answer", 1),
        ("result", 2),
        ("typed", 2),
    ]
    assert rows(lake, "SELECT kind, excluded_reason FROM excluded_texts ORDER BY ALL") == [
        ("envelope", "answer_envelope"),
        ("result", "echo"),
    ]


def test_wordings_are_counted(lake):
    counted = rows(
        lake, "SELECT wording_version, answers_from, results, answers, by_seed FROM answer_wordings ORDER BY 1"
    )
    assert counted == [(1, "wording", 1, 1, 1), (None, None, 1, 0, 0)]
