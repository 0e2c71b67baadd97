"""Every integrity check: a lake that trips it, and one that does not."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest
from tracelake.tables import EXTRACTOR_VERSION

MAIN = {"path": "/p/s1.jsonl", "kind": "main", "session_id": "s1"}
PATH = "/p/s1/subagents/agent-a.jsonl"
AGENT = {
    "path": PATH,
    "kind": "subagent",
    "agent_id": "a",
    "root_path": "/p/s1.jsonl",
    "meta_agent_type": "Explore",
    "record_session_ids": ["s1"],
}
OTHER = {**AGENT, "path": "/p/s1/subagents/agent-b.jsonl", "agent_id": "b"}
SIDE = {"path": PATH, "line_no": 1, "uuid": "u", "status": "ok", "is_sidechain": True, "agent_id": "a", "byte_len": 3}
LINE = {"path": "/p/s1.jsonl", "line_no": 1, "uuid": "u", "status": "ok", "byte_len": 3}
WHOLE = {**MAIN, "bytes": 3, "lf_count": 1, "ends_with_lf": True}
CALL = {"path": "/p/s1.jsonl", "line_no": 1, "tool_use_id": "t1", "tool_name": "Bash", "status": "ok"}


def lake_of(*files, **tables):
    """Files, and rows of other tables by name."""
    return {"files": list(files), **tables}


CODEX = {"path": "/h/x.jsonl", "kind": "subagent", "agent": "codex", "session_id": "s2", "agent_id": "x"}

PLACE = {"session_id": "s1", "path": "/p/s1.jsonl", "line_no": 1}
CACHED = {"cache_read_tokens": 0, "cache_write_tokens": 0}
CASES: list[tuple[str, str, Any, Any]] = [
    ("coverage", "error", lake_of({**WHOLE, "lf_count": 2}, entries=[LINE]), lake_of(WHOLE, entries=[LINE])),
    ("coverage", "error", lake_of({**WHOLE, "bytes": 4}, entries=[LINE]), lake_of(WHOLE, entries=[LINE])),
    ("read_error", "error", lake_of({**MAIN, "read_error": "Permission denied"}), lake_of(MAIN)),
    ("strict_error", "warning", lake_of({**MAIN, "strict_error": "line 2: x"}), lake_of(MAIN)),
    (
        "bad_value",
        "warning",
        lake_of(WHOLE, entries=[{**LINE, "status": "bad_value", "error": "durationMs: 1e400 is beyond 64 bits"}]),
        lake_of(WHOLE, entries=[LINE]),
    ),
    (
        "unread_usage",
        "warning",
        {"entries": [{**LINE, "type": "odd", "carries_usage": True}]},
        {"entries": [{**LINE, "type": "odd", "carries_usage": False}]},
    ),
    (
        "token_count",
        "warning",
        {"token_usage": [{**PLACE, "input_tokens": None, "output_tokens": 1, **CACHED}]},
        {"token_usage": [{**PLACE, "input_tokens": 0, "output_tokens": 1, **CACHED}]},
    ),
    ("torn_tail", "info", lake_of({**MAIN, "torn_tail": True, "lines": 4}), lake_of({**MAIN, "torn_tail": False})),
    (
        "main_session_id",
        "warning",
        lake_of({**MAIN, "record_session_ids": ["x", "y"]}),
        lake_of({**MAIN, "record_session_ids": ["x", "s1"]}, {**MAIN, "path": "/p/e.jsonl", "record_session_ids": []}),
    ),
    ("subagent_session_id", "warning", lake_of({**AGENT, "record_session_ids": ["s1", "x"]}), lake_of(AGENT)),
    (
        "subagent_session_id",
        "warning",
        lake_of({**AGENT, "agent": "codex", "record_session_ids": ["x"]}),
        lake_of({**AGENT, "agent": "codex", "record_session_ids": ["s1", "x"]}),
    ),
    ("agent_id", "warning", lake_of(AGENT, entries=[{**SIDE, "agent_id": "b"}]), lake_of(AGENT, entries=[SIDE])),
    (
        "not_sidechain",
        "warning",
        lake_of(AGENT, entries=[{**SIDE, "is_sidechain": False}]),
        lake_of(AGENT, entries=[SIDE, {**SIDE, "uuid": None, "is_sidechain": False, "line_no": 2}]),
    ),
    (
        "agent_twice",
        "warning",
        lake_of(AGENT, {**AGENT, "path": "/p/s1/subagents/workflows/wf_1/agent-a.jsonl"}),
        lake_of(AGENT, OTHER, {**AGENT, "session_id": "s2", "path": "/p/s2/subagents/agent-a.jsonl"}),
    ),
    (
        "dispatch_twice",
        "warning",
        lake_of({**AGENT, "meta_tool_use_id": "t"}, {**OTHER, "meta_tool_use_id": "t"}),
        lake_of({**AGENT, "meta_tool_use_id": "t"}, {**OTHER, "meta_tool_use_id": "v"}),
    ),
    ("meta_error", "warning", lake_of({**AGENT, "meta_error": "spawnDepth"}), lake_of(AGENT)),
    (
        "meta_without_transcript",
        "warning",
        lake_of({"path": "/p/s1/subagents/agent-a.meta.json", "kind": "sidecar"}),
        lake_of({"path": "/p/s1/subagents/agent-a.meta.json", "kind": "sidecar"}, AGENT),
    ),
    (
        "transcript_without_meta",
        "info",
        lake_of({**AGENT, "meta_agent_type": None}),
        lake_of(AGENT, {**OTHER, "meta_agent_type": None, "meta_spawn_depth": 1}),
    ),
    (
        "parent_agent",
        "warning",
        lake_of({**AGENT, "meta_parent_agent_id": "zz"}, OTHER),
        lake_of({**AGENT, "meta_parent_agent_id": "b"}, OTHER),
    ),
    ("orphan_subagent", "warning", lake_of({**AGENT, "root_path": None}), lake_of(MAIN, AGENT)),
    (
        "orphan_subagent",
        "warning",
        lake_of({**CODEX, "parent_session_id": "gone"}),
        lake_of({**CODEX, "parent_session_id": "s1"}, {**MAIN, "agent": "codex"}),
    ),
    (
        "duplicate_uuid",
        "info",
        lake_of(MAIN, entries=[LINE, {**LINE, "line_no": 2}]),
        lake_of(MAIN, entries=[LINE, {**LINE, "line_no": 2, "uuid": "v"}, {**LINE, "path": PATH}]),
    ),
    (
        "dangling_parent",
        "info",
        lake_of(MAIN, entries=[{**LINE, "parent_uuid": "gone"}]),
        lake_of(MAIN, entries=[LINE, {**LINE, "line_no": 2, "uuid": "v", "parent_uuid": "u"}]),
    ),
    (
        "repeated_call_id",
        "info",
        lake_of(MAIN, tool_calls=[CALL, {**CALL, "line_no": 2}]),
        lake_of(MAIN, tool_calls=[CALL, {**CALL, "path": PATH}, *[{**CALL, "tool_use_id": ""}] * 2]),
    ),
    (
        "result_without_call",
        "info",
        lake_of(MAIN, tool_results=[{"line_no": 2, "tool_use_id": "t1"}], tool_calls=[{**CALL, "path": PATH}]),
        lake_of(MAIN, tool_results=[{"line_no": 2, "tool_use_id": "t1"}], tool_calls=[CALL]),
    ),
    (
        "outdated",
        "warning",
        lake_of({**MAIN, "extractor_version": EXTRACTOR_VERSION - 1}),
        lake_of({**MAIN, "extractor_version": EXTRACTOR_VERSION}),
    ),
    ("rewritten", "info", lake_of({**MAIN, "lines_gone": 2}), lake_of(MAIN)),
]


@pytest.mark.parametrize(("check_id", "severity", "faulty", "sound"), CASES)
def test_a_check_finds_its_fault_and_nothing_else(make_lake, check_id, severity, faulty, sound):
    sql = "SELECT check_id, severity, count(*) AS rows FROM integrity_issues WHERE check_id = ? GROUP BY ALL"
    assert make_lake(faulty).ask(sql, [check_id]) == [{"check_id": check_id, "severity": severity, "rows": 1}]
    assert make_lake(sound).ask(sql, [check_id]) == []


def test_a_conversation_that_cannot_be_followed(make_lake):
    lake = make_lake({"files": [{**MAIN, "root_uuid": "K", "root_logical_parent_uuid": "B"}]})
    columns = "(path, session_id, project_dir, stable_id, degraded, unreadable_siblings)"
    for degraded in (None, "missing"):
        with duckdb.connect(str(lake.paths.database)) as connection:
            connection.execute("DELETE FROM conversation_roots")
            values = ["/p/s1.jsonl", "s1", "/p", "K", degraded, []]
            connection.execute(f"INSERT INTO conversation_roots {columns} VALUES (?, ?, ?, ?, ?, ?)", values)
        rows = lake.ask("SELECT severity, detail FROM integrity_issues WHERE check_id = 'degraded_identity'")
        expected = [{"severity": "info", "detail": "missing: continues B"}] if degraded else []
        assert rows == expected


def test_every_check_has_a_case():
    from tracelake.lake.model_files import load_models

    checks = {model.name.removeprefix("check_") for model in load_models() if model.file.parent.name == "checks"}
    assert checks == {check_id for check_id, *_ in CASES} | {"degraded_identity"}


def test_every_check_is_among_the_issues_and_says_what_it_expects(make_lake):
    from tracelake.lake.model_files import load_models, references

    models = {model.name: model for model in load_models()}
    checks = {name for name in models if name.startswith("check_")}
    assert checks <= references(models["integrity_issues"].sql)


def test_details_name_what_was_found(make_lake):
    rows = make_lake(
        lake_of(
            MAIN,
            {**AGENT, "meta_tool_use_id": "t", "meta_parent_agent_id": "zz"},
            {**OTHER, "meta_tool_use_id": "t"},
            entries=[{**SIDE, "line_no": 4, "agent_id": "q"}, {**SIDE, "line_no": 3, "uuid": "v", "agent_id": "q"}],
        )
    ).ask("SELECT check_id, path, line_no, detail FROM integrity_issues WHERE severity = 'warning' ORDER BY check_id")
    assert [tuple(row.values()) for row in rows] == [
        ("agent_id", PATH, 3, "2 lines name q"),
        ("dispatch_twice", OTHER["path"], None, f"call t also dispatched {PATH}"),
        ("parent_agent", PATH, None, "parent agent zz"),
    ]


def test_an_empty_lake_has_no_issues(make_lake):
    assert make_lake().ask("FROM integrity_issues") == []
