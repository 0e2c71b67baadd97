"""Entries by condition, and marks (Q-1 to Q-4)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tracelake.errors import QueryError
from tracelake.lake.connect import open_lake
from tracelake.lake.entry_filter import (
    ExpressionNeverRanError,
    ExpressionNotBooleanError,
    filter_entries,
    mark_of,
    since,
)

from tests.sql.lakes import write_lake

MAIN, OTHER, EMPTY = "/p/s1.jsonl", "/p/s2.jsonl", "/p/e.jsonl"

TOOL = {"content": [{"type": "tool_use", "name": "Bash"}]}
RECORDS = [
    {"uuid": "u1", "type": "user", "message": {"content": "plain"}},
    {"uuid": "u2", "type": "assistant", "message": TOOL},
    {
        "uuid": "u3",
        "type": "user",
        "toolUseResult": {"stdout": "all ok", "count": 3, "seconds": 0.5},
        "parentUuid": "u2",
    },
    {"uuid": "u4", "type": "assistant", "isSidechain": True, "message": TOOL},
    {"type": "mode", "mode": "plan"},
    {"uuid": "u6", "type": "progress", "timestamp": "2026-05-01T10:00:00Z"},
]


def rows_of(records, path):
    entries, raws = [], []
    for number, record in enumerate(records, 1):
        place = {"path": path, "line_no": number}
        fields = {name: record.get(name) for name in ("uuid", "type")}
        more = {"is_sidechain": record.get("isSidechain", False), "parent_uuid": record.get("parentUuid")}
        entries.append({**place, **fields, **more, "status": "ok", "timestamp_text": record.get("timestamp")})
        raws.append({**place, "chunk_no": 0, "raw": json.dumps(record).encode()})
    return entries, raws


@pytest.fixture(scope="module")
def con(tmp_path_factory):
    """A sandboxed connection to a lake of two files and an empty one; a mistyped line is not offered."""
    entries, raws = rows_of(RECORDS, MAIN)
    more, more_raws = rows_of([{"uuid": "z1", "type": "user"}], OTHER)
    entries += [{"path": MAIN, "line_no": 7, "status": "bad_type", "uuid": "u7", "type": "user"}, *more]
    files = [{"path": path, "kind": "main"} for path in (MAIN, OTHER, EMPTY)]
    rows = {"files": files, "entries": entries, "raw_lines": raws + more_raws}
    lake = write_lake(tmp_path_factory.mktemp("filter") / "lake", rows)
    with open_lake(lake.paths.root, sandbox=True) as connection:
        yield connection


@pytest.fixture
def uuids(con):
    """The uuids for which a condition is true, in one file."""

    def ask(where, path=MAIN, **options):
        return filter_entries(con, where, path=path, **options).column("uuid").to_pylist()

    return ask


def test_q1_sidechains_and_lines_that_are_no_entries_are_left_out(uuids):
    assert uuids("") == uuids("  ") == uuids("true") == ["u1", "u2", "u3", "u6"]
    assert uuids("", include_sidechains=True) == ["u1", "u2", "u3", "u4", "u6"]
    assert uuids("type = 'assistant'") == ["u2"]
    assert uuids("type = 'assistant'", include_sidechains=True) == ["u2", "u4"]


def test_q1_all_files_in_order_and_the_columns_of_entries(con):
    table = filter_entries(con, "type = 'user'")
    assert table.column("uuid").to_pylist() == ["u1", "u3", "z1"]
    assert table.column_names == filter_entries(con, "").column_names
    assert not {"json", "message", "tool_use_result"} & set(table.column_names)


def test_q1_no_match_is_an_empty_table(uuids):
    assert uuids("type = 'nothing'") == []


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("message->'content'->0->>'name' = 'Bash'", ["u2"]),  # string contents have no element: NULL there
        ("tool_use_result->>'stdout' LIKE '%ok%'", ["u3"]),
        ("contains(tool_use_result->>'stdout', 'ok')", ["u3"]),
        ("(tool_use_result->>'count')::INT > 2", ["u3"]),
        ("coalesce(parent_uuid, '') = ''", ["u1", "u2", "u6"]),
        ("type IN ('progress', 'system')", ["u6"]),
        ("regexp_matches(type, '^a')", ["u2"]),
        ("timestamp_text >= '2026'", ["u6"]),
        ("type = 'user' -- a comment", ["u1", "u3"]),
        ("type = 'user'\nOR\ntype = 'progress'", ["u1", "u3", "u6"]),
        ("1/0 > 1", ["u1", "u2", "u3", "u6"]),  # infinity, not an error
    ],
)
def test_q3_reaching_into_an_entry(uuids, where, found):
    assert uuids(where) == found


def documented():
    """The conditions of docs/expressions.md."""
    text = (Path(__file__).parents[2] / "docs" / "expressions.md").read_text("utf-8")
    rows = text.split("## Constructs")[1].split("## Outcomes")[0].splitlines()
    return [row.removesuffix("` |").split("` | `")[1] for row in rows if row.startswith("| `")]


@pytest.mark.parametrize("where", documented())
def test_q3_every_documented_condition_can_be_asked(uuids, where):
    uuids(where, include_sidechains=True)


def test_q3_documented_conditions_answer(uuids):
    found = {where: uuids(where) for where in documented()}
    assert len(found) > 30
    assert found["contains(tool_use_result->>'stdout', 'ok')"] == ["u3"]
    assert found["tool_use_result->>'count' = '3'"] == found["(tool_use_result->>'count')::BIGINT > 2"] == ["u3"]
    bash = [answer for where, answer in found.items() if "'Bash'" in where and not where.endswith("= 0")]
    assert len(bash) == 5
    assert all(answer == ["u2"] for answer in bash)


def test_q2_never_ran(uuids):
    """The specification's example: int("x") == 1 over two entries."""
    with pytest.raises(
        ExpressionNeverRanError, match=r"fails \(Conversion Error.*on every one of 4 entries"
    ) as refusal:
        uuids("'x'::INT = 1")
    assert "\n" not in str(refusal.value)
    with pytest.raises(ExpressionNeverRanError):
        uuids("type::INT = 1")


def test_q2_an_entry_on_which_it_fails_is_out_and_the_others_count(uuids):
    assert uuids("CASE WHEN type = 'user' THEN true ELSE uuid::INT = 1 END") == ["u1", "u3"]
    assert uuids("CASE WHEN type = 'user' THEN false ELSE uuid::INT = 1 END") == []  # ran, and said no


def test_q2_a_condition_that_is_null_on_every_entry_looked_at_nothing(uuids):
    """A misspelt key is NULL everywhere, and so is an element of contents that are texts."""
    for where in ("message->'contents'->0->>'name' = 'Bash'", "nullif(type, type) = 'x'"):
        with pytest.raises(ExpressionNeverRanError, match=r"is NULL .* on every one of 4 entries"):
            uuids(where)
    assert uuids("coalesce(nullif(type, type) = 'x', false)") == []
    with pytest.raises(ExpressionNeverRanError):
        uuids("CASE WHEN type = 'user' THEN nullif(true, true) ELSE uuid::INT = 1 END")


def test_q1_a_file_that_is_not_in_the_lake_is_an_error(uuids):
    with pytest.raises(QueryError, match="is not a file of this lake"):
        uuids("", path="/nope/missing.jsonl")


def test_q2_nothing_offered_is_no_error(uuids):
    assert uuids("type::INT = 1", path=EMPTY) == []
    assert uuids("", path=EMPTY) == []


@pytest.mark.parametrize("where", ["1", "type", "message->'content'", "NULL", "true, false", "(SELECT 'x')"])
def test_q2_an_expression_that_is_no_condition(uuids, where):
    for path in (MAIN, EMPTY):
        with pytest.raises(ExpressionNotBooleanError):
            uuids(where, path=path)


@pytest.mark.parametrize(
    "where",
    [
        "tool = 'Bash'",
        "type =",
        "true) OR (",
        "false), false) OR ((true",
        "true; SELECT 1",
        "count(*) > 1",
        "? = 1",
        "length((SELECT content FROM read_text('/etc/hostname'))) > 0",
        "true FROM entries UNION SELECT true",
    ],
)
def test_q3_what_is_no_expression_over_an_entry_is_one_line(uuids, where):
    with pytest.raises(QueryError) as refusal:
        uuids(where)
    assert "\n" not in str(refusal.value)


ENTRIES = [{"uuid": uuid} for uuid in "abac"]


@pytest.mark.parametrize(("mark", "rest"), [("a", "bac"), ("zz", "abac"), ("c", ""), ("", "abac")])
def test_q4_since(mark, rest):
    """The specification's example."""
    assert "".join(entry["uuid"] for entry in since(ENTRIES, mark)) == rest


def test_q4_mark():
    assert mark_of(ENTRIES) == "c"
    assert mark_of([]) == ""
