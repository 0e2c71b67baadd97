"""Sub-agents and their parents, trees, and the questions about single files, with rows made by hand."""

from __future__ import annotations

from decimal import Decimal

import pytest
from tracelake.lake.prices import Alias

from tests.sql.lakes import at, rate

MAIN = "/p/s1.jsonl"
DIR = "/p/s1/subagents"
CODEX = {"parent": None, "path": "/h/x.jsonl", "root_path": None, "session_id": "s2", "agent": "codex"}
HOUR = "2026-05-01 10:{:02}:00"


def main(path=MAIN, **more):
    return {"path": path, "kind": "main", "start_time": at(HOUR.format(0)), **more}


def agent(name, minute=1, parent=MAIN, folder=DIR, kind="subagent", **more):
    """The file of a sub-agent; `parent` is what extraction found."""
    return {
        "path": f"{folder}/agent-{name}.jsonl",
        "kind": kind,
        "agent_id": name,
        "is_subagent_record": True,
        "root_path": MAIN,
        "parent_path": parent,
        "start_time": at(HOUR.format(minute)),
        **more,
    }


def file_of(name, folder=DIR):
    return f"{folder}/agent-{name}.jsonl"


def parents(lake):
    rows = lake.ask("SELECT agent_id, parent_path, parent_source, depth FROM subagents")
    return {row["agent_id"]: (row["parent_path"], row["parent_source"], row["depth"]) for row in rows}


def called(call_id, path, line_no=2, **more):
    return {"path": path, "tool_use_id": call_id, "line_no": line_no, "tool_name": "Agent", "status": "ok", **more}


def test_every_source_of_a_parent(make_lake):
    """The dispatching call, the meta's parent agent, the start of the workflow, a result, the header, the location."""
    run = f"{DIR}/workflows/wf_1"
    files = [
        main(),
        agent("a", meta_tool_use_id="t1"),
        agent("b", parent=file_of("a"), meta_tool_use_id="t2"),
        agent("c", meta_parent_agent_id="b"),
        agent("w", folder=run, kind="workflow_subagent"),
        agent("d"),
        agent("e"),
        agent("f", meta_tool_use_id="nowhere"),
        agent("x", **CODEX, parent_session_id="s3"),
        main("/h/m.jsonl", session_id="s3", agent="codex"),
    ]  # fmt: skip
    calls = [
        called("t1", MAIN),
        called("t2", file_of("a")),
        called("t4", file_of("b"), result_text="launched\nagentId: e (internal)", result_line_no=3),
    ]
    launch = {"target_kind": "workflow", "signal": "launched", "carrier": "call_result", "run_id": "wf_1"}
    results = [{"path": file_of("a"), "line_no": 9, "result_agent_id": "d"}]
    lake = make_lake({"files": files, "tool_calls": calls, "tool_results": results, "agent_signals": [
        {**launch, "agent_id": "task", "path": file_of("b"), "line_no": 4, "occurred_at": at(HOUR.format(3))},
        {**launch, "agent_id": "task", "path": file_of("c"), "line_no": 1, "occurred_at": at(HOUR.format(4))},
        {**launch, "agent_id": "task", "path": f"{run}/journal.jsonl", "carrier": "journal"},
    ]})  # fmt: skip
    assert parents(lake) == {
        "a": (MAIN, "call", 1),
        "b": (file_of("a"), "call", 2),
        "c": (file_of("b"), "meta", 3),
        "w": (file_of("b"), "workflow", 3),
        "d": (file_of("a"), "result", 2),
        "e": (file_of("b"), "result", 3),
        "f": (MAIN, "location", 1),
        "x": ("/h/m.jsonl", "header", 1),
    }


def test_orphans_and_rings_have_no_depth_but_are_in_the_tree(make_lake):
    files = [
        main(),
        agent("o", 1, parent=None, root_path=None),
        agent("below", 2, parent=file_of("o"), root_path=None),
        agent("r1", 3, parent=file_of("r2")),
        agent("r2", 4, parent=file_of("r1")),
    ]
    lake = make_lake({"files": files})
    assert {name: depth for name, (_, _, depth) in parents(lake).items()} == dict.fromkeys(("o", "below", "r1", "r2"))
    rows = lake.ask("SELECT depth, agent_id FROM session_tree('s1')")
    assert [(row["depth"], row["agent_id"]) for row in rows] == [
        (0, None), (0, "o"), (1, "below"), (0, "r1"), (0, "r2")]  # fmt: skip


def test_a_tree_in_order_of_dispatch(make_lake):
    files = [
        main(),
        agent("late", 9),
        agent("early", 1),
        agent("inner", 5, parent=file_of("early")),
        agent("timeless", 0, start_time=None),
        main("/p/s2.jsonl", session_id="s2"),
    ]
    rows = make_lake({"files": files}).ask("SELECT depth, agent_id, parent_path FROM session_tree('s1')")
    assert [(row["depth"], row["agent_id"], row["parent_path"]) for row in rows] == [
        (0, None, None),
        (1, "early", MAIN),
        (2, "inner", file_of("early")),
        (1, "late", MAIN),
        (1, "timeless", MAIN),
    ]


def test_a_codex_agent_is_in_the_tree_of_the_session_that_started_it(make_lake):
    child = agent("x", **CODEX, parent_session_id="s1")
    lake = make_lake({"files": [main("/h/m.jsonl", agent="codex"), child]})
    tree = [(row["depth"], row["path"]) for row in lake.ask("SELECT depth, path FROM session_tree('s1')")]
    assert tree == [(0, "/h/m.jsonl"), (1, "/h/x.jsonl")]
    own = [(row["depth"], row["path"]) for row in lake.ask("SELECT depth, path FROM session_tree('s2')")]
    assert own == [(0, "/h/x.jsonl")]


def test_codex_agents_count_for_the_sessions_above_them(make_lake):
    """s1 starts s2, which starts s3; each call of 1,000 input tokens costs 0.005."""

    def call(session, path, number):
        return {
            "session_id": session, "agent": "codex", "path": path, "line_no": 1, "record_no": 0, "source_index": 0,
            "message_id": f"m{number}", "model": "gpt", "input_tokens": 1000, "output_tokens": 0, "usage_final": True,
            "occurred_at": at(HOUR.format(number)),
        }  # fmt: skip

    files = [
        main("/h/m.jsonl", agent="codex", project="p"),
        agent("x", parent_session_id="s1", **CODEX),
        agent("y", parent_session_id="s2", **CODEX | {"path": "/h/y.jsonl", "session_id": "s3"}),
    ]
    calls = [call("s1", "/h/m.jsonl", 1), call("s2", "/h/x.jsonl", 2), call("s3", "/h/y.jsonl", 3)]
    lake = make_lake(
        {"files": files, "token_usage": calls},
        rates=[rate("gpt", "5", "25")],
        aliases=[Alias("gpt", "anthropic", "gpt")],
    )
    assert lake.ask("SELECT session_id, subagents FROM sessions ORDER BY 1") == [
        {"session_id": "s1", "subagents": 2},
        {"session_id": "s2", "subagents": 1},
        {"session_id": "s3", "subagents": 0},
    ]
    assert lake.ask("SELECT session_id, root_path, depth FROM subagents ORDER BY 1") == [
        {"session_id": "s2", "root_path": "/h/m.jsonl", "depth": 1},
        {"session_id": "s3", "root_path": "/h/m.jsonl", "depth": 2},
    ]
    row = lake.one("FROM delegation")
    assert (row["sessions"], row["delegating_sessions"], row["subagents"], row["deepest"]) == (1, 1, 2, 2)
    assert (row["cost_usd"], row["subagent_cost_usd"]) == (Decimal("0.015"), Decimal("0.010"))


def test_s6_walk_order_expands_folders_in_place(make_lake):
    """The specification's example: `agent-a/subagents/agent-b.jsonl` comes before `agent-a.jsonl`."""
    files = [
        main(),
        agent("a"),
        agent("b", folder=f"{DIR}/agent-a/subagents"),
        agent("Z"),
        agent("w", folder=f"{DIR}/workflows/wf_1", kind="workflow_subagent"),
        agent("old", path="/p/agent-old.jsonl", kind="legacy_subagent"),
        main("/p/s2.jsonl", session_id="s2"),
        agent("c", path="/p/s2/subagents/agent-c.jsonl", session_id="s2"),
    ]
    rows = make_lake({"files": files}).ask("SELECT session_id, agent_id, walk_order FROM subagents ORDER BY 1, 3")
    assert [(row["agent_id"], row["walk_order"]) for row in rows] == [
        ("Z", 1), ("b", 2), ("a", 3), ("w", 4), ("old", None), ("c", 1)]  # fmt: skip


def calls_in(*places, call_id="toolu_7", **entry):
    """Entries that hold the call, as rows of blocks and entries, one file each."""
    blocks, entries = [], []
    for path in places:
        place = {"path": path, "line_no": 2, "session_id": "s1"}
        blocks.append({**place, "type": "tool_use", "tool_use_id": call_id, "list_valid": True})
        entries.append({**place, "status": "ok", "uuid": "u", **entry})
    return {"blocks": blocks, "entries": entries}


def searched(make_lake, *places, more_files=(), child=None, **entry):
    child = child or agent("q", meta_tool_use_id="toolu_7")
    files = [child, *({"path": path, "kind": "main"} for path in places if path != child["path"]), *more_files]
    lake = make_lake({"files": files, **calls_in(*places, **entry)})
    return lake.one("SELECT searched_parent_path AS found FROM subagents WHERE agent_id = 'q'")["found"]


NESTED = f"{DIR}/agent-a/subagents"


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        (["/p/s2.jsonl", "/p/s1.jsonl"], "/p/s1.jsonl"),  # of two forks the first by name
        (["/p/s1/subagents/agent-a.jsonl", "/p/zz.jsonl"], "/p/zz.jsonl"),  # top level before any folder
        (["/p/s2/subagents/agent-a.jsonl", "/p/s1/subagents/agent-z.jsonl"], "/p/s1/subagents/agent-z.jsonl"),
        ([f"{NESTED}/agent-a.jsonl", f"{DIR}/agent-z.jsonl"], f"{DIR}/agent-z.jsonl"),  # a folder's own files first
        ([f"{DIR}/b/subagents/agent-a.jsonl", f"{DIR}/a/subagents/agent-z.jsonl"], f"{DIR}/a/subagents/agent-z.jsonl"),
        (
            [f"{DIR}/a/subagents/b/subagents/agent-a.jsonl", f"{DIR}/a/subagents/agent-z.jsonl"],
            f"{DIR}/a/subagents/agent-z.jsonl",
        ),
        ([f"{DIR}/workflows/wf_1/agent-a.jsonl"], None),  # not searched
        ([f"{DIR}/notes.jsonl"], None),
        ([f"{DIR}/agent-q.jsonl"], None),  # never itself
        (["/other/s1.jsonl"], None),
        ([], None),
    ],
)
def test_s7_the_first_file_that_holds_the_call(make_lake, places, expected):
    assert searched(make_lake, *places) == expected


def test_s7_what_does_not_hold_the_call(make_lake):
    assert searched(make_lake, "/p/s1.jsonl", status="bad_type") is None
    assert searched(make_lake, "/p/s1.jsonl", uuid=None) is None
    rows = calls_in("/p/s1.jsonl")
    rows["blocks"][0]["list_valid"] = False  # T-3: one bad block empties the list
    files = [main(), agent("q", meta_tool_use_id="toolu_7")]
    assert make_lake({"files": files, **rows}).ask("FROM dispatch_candidates") == []
    files[0]["first_oversize_line"] = 2
    assert make_lake({"files": files, **calls_in(MAIN)}).ask("FROM dispatch_candidates") == []
    files[0]["first_oversize_line"] = 3
    assert len(make_lake({"files": files, **calls_in(MAIN)}).ask("FROM dispatch_candidates")) == 1


def test_s7_an_empty_call_id_is_no_id(make_lake):
    assert searched(make_lake, MAIN, child=agent("q", meta_tool_use_id=""), call_id="") is None


def test_s7_for_an_orphan_the_project_is_found_by_its_place(make_lake):
    inner = agent("q", folder=f"{DIR}/agent-a/subagents", meta_tool_use_id="toolu_7", root_path=None, parent=None)
    assert searched(make_lake, "/p/s2.jsonl", child=inner) == "/p/s2.jsonl"
    deep = {**inner, "path": "/x/subagents/projects/p/s1/subagents/agent-q.jsonl"}
    assert searched(make_lake, "/x/subagents/projects/p/s2.jsonl", child=deep) == "/x/subagents/projects/p/s2.jsonl"


def test_counts_cost_and_dispatch_of_a_sub_agent(make_lake):
    path = file_of("a")
    usage = {"path": path, "message_id": "m1", "request_id": "r", "model": "claude-fable-5", "line_no": 2}
    lake = make_lake(
        {
            "files": [main(), agent("a", meta_tool_use_id="t1", meta_agent_type="Explore", meta_description="Look")],
            "messages": [{"path": path, "role": role} for role in ("user", "assistant", "context")],
            "tool_calls": [called("t1", MAIN, line_no=7, status="error"), called("t2", path), called("t3", path)],
            "token_usage": [{**usage, "input_tokens": 2, "output_tokens": 3}],
        },
        rates=[rate("claude-fable-5", "10", "50")],
        aliases=[Alias("claude-fable-5", "anthropic", "claude-fable-5")],
    )
    columns = "agent_type, description, tool_use_id, dispatch_line_no, dispatch_status, messages, tool_calls"
    assert lake.one(f"SELECT {columns}, calls, tokens, cost_usd FROM subagents") == {
        "agent_type": "Explore", "description": "Look", "tool_use_id": "t1", "dispatch_line_no": 7,
        "dispatch_status": "error", "messages": 2, "tool_calls": 2, "calls": 1, "tokens": 5,
        "cost_usd": Decimal("0.00017"),  # (2 * 10 + 3 * 50) / 1e6
    }  # fmt: skip


@pytest.mark.parametrize(
    ("facts", "session_id", "expected"),
    [
        ({"record_session_ids": ["old", "new"]}, "new", True),
        ({"record_session_ids": ["x"]}, "new", False),
        ({"record_session_ids": ["x"]}, "", True),
        ({"record_session_ids": []}, "new", True),
        ({"record_session_ids": ["x"], "first_oversize_line": 2}, "new", True),
        ({"record_session_ids": ["x"], "read_error": "I/O error"}, "new", True),
        ({}, "new", True),
    ],
)
def test_i7_belongs_to_session(make_lake, facts, session_id, expected):
    lake = make_lake({"files": [main(**facts)]})
    assert lake.one("SELECT belongs_to_session(?, ?) AS yes", [MAIN, session_id])["yes"] is expected
    assert lake.one("SELECT belongs_to_session('/gone', ?) AS yes", [session_id])["yes"] is True


@pytest.mark.parametrize(
    ("cwds", "asked", "expected"),
    [
        (["/w/app/sub"], "/w/app", True),
        (["/w/app"], "/w/app", True),
        (["/w/app-two"], "/w/app", False),
        (["/w"], "/w/app", False),
        (["/z", "/w/app"], "/w/app", True),
        (["/w/app"], "/", False),
        (["/"], "/", True),
        ([], "/w", True),
        (["/z"], "", True),
    ],
)
def test_i8_belongs_to_tree(make_lake, cwds, asked, expected):
    lake = make_lake({"files": [main(cwds_resolved=cwds)]})
    assert lake.one("SELECT belongs_to_tree(?, ?) AS yes", [MAIN, asked])["yes"] is expected


@pytest.mark.parametrize(
    ("mark", "expected"),
    [("a", "bac"), ("zz", "abac"), ("c", ""), ("", "abac"), (None, "abac")],
)
def test_q4_entries_since(make_lake, mark, expected):
    """The specification's example: uuids a, b, a, c."""
    lines = [{"line_no": n, "uuid": uuid, "status": "ok"} for n, uuid in enumerate("abac", 1)]
    lines += [{"line_no": 5, "status": "ok"}, {"line_no": 6, "uuid": "d", "status": "bad_type"}]
    lines.append({"line_no": 1, "uuid": "other", "status": "ok", "path": "/p/other.jsonl"})
    lake = make_lake({"entries": lines})
    rows = lake.ask("SELECT uuid FROM entries_since(?, ?)", [MAIN, mark])
    assert "".join(row["uuid"] for row in rows) == expected


def test_i7_i8_a_column_can_be_the_argument(make_lake):
    files = [
        main(record_session_ids=["s1"], cwds_resolved=["/w"], start_cwd="/w"),
        main("/p/s2.jsonl", record_session_ids=["s2"], cwds_resolved=["/v"], start_cwd="/v"),
    ]
    lake = make_lake({"files": files})
    for path, cwd in (("path", "start_cwd"), ("files.path", "files.start_cwd")):
        sql = f"SELECT belongs_to_session({path}, 's1') AS session, belongs_to_tree({path}, {cwd}) AS own FROM files"
        assert lake.ask(f"{sql} ORDER BY path") == [{"session": True, "own": True}, {"session": False, "own": True}]
        other = f"SELECT path FROM files WHERE belongs_to_tree({path}, '/w')"
        assert lake.ask(other) == [{"path": MAIN}]
