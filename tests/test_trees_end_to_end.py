"""Nested agents, a workflow, forks and restarts: from files through an extraction to the views."""

from __future__ import annotations

import json

import pytest
from tracelake.build import extract
from tracelake.lake.connect import open_lake

SESSION = "0a1b2c3d-0000-4000-8000-00000000000a"
FORK = "0a1b2c3d-0000-4000-8000-00000000000b"
LATER = "0a1b2c3d-0000-4000-8000-00000000000c"

BAD = "0a1b2c3d-0000-4000-8000-00000000000d"


def record(kind, uuid, parent=None, session=SESSION, **more):
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": session, **more}


def prompt(uuid, **more):
    return record("user", uuid, message={"role": "user", "content": "go"}, **more)


def calls(uuid, *ids, name="Agent", **more):
    blocks = [{"type": "tool_use", "id": one, "name": name, "input": {"prompt": "x"}} for one in ids]
    return record("assistant", uuid, message={"role": "assistant", "content": blocks}, **more)


def workflow_result(uuid, call_id, run_id):
    block = {"type": "tool_result", "tool_use_id": call_id, "content": "Workflow launched"}
    evidence = {"status": "async_launched", "taskId": "w1", "taskType": "local_workflow", "runId": run_id}
    return record("user", uuid, message={"role": "user", "content": [block]}, toolUseResult=evidence)


def write(path, *records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in records))


def agent(folder, name, meta, *records):
    side = {"isSidechain": True, "agentId": name}
    write(folder / f"agent-{name}.jsonl", *({**one, **side} for one in records))
    if meta:
        (folder / f"agent-{name}.meta.json").write_text(json.dumps(meta))


def plant(project):
    """A main file with two agents, one of them with agents of its own (nested folder, flat), and a workflow's two."""
    write(
        project / f"{SESSION}.jsonl",
        prompt("u1"),
        calls("u2", "t-one", "t-two", parent="u1"),
        calls("u3", "t-flow", name="Workflow", parent="u2"),
        workflow_result("u4", "t-flow", "wf_9"),
    )
    agents = project / SESSION / "subagents"
    agent(agents, "one", {"toolUseId": "t-one", "agentType": "Plan"}, prompt("a1"), calls("a2", "t-deep", "t-flat"))
    agent(agents, "two", {"toolUseId": "t-two"}, prompt("b1"))
    agent(agents / "agent-one" / "subagents", "deep", {"toolUseId": "t-deep"}, prompt("c1"), calls("c2", "t-deepest"))
    agent(agents, "flat", {"toolUseId": "t-flat"}, prompt("d1"))
    agent(agents, "deepest", {"toolUseId": "t-deepest"}, prompt("e1"))
    for name in ("wa", "wb"):
        agent(agents / "workflows" / "wf_9", name, {"agentType": "worker"}, prompt(f"{name}1"))


def plant_restarts(project):
    """A fork that repeats the dispatching call, and a restart that continues an entry of the original."""
    write(project / f"{FORK}.jsonl", prompt("u1", session=FORK), calls("u2", "t-one", parent="u1", session=FORK))
    boundary = record("system", "k1", session=LATER, subtype="compact_boundary", logicalParentUuid="u3")
    write(project / f"{LATER}.jsonl", {"type": "mode", "sessionId": LATER}, boundary)
    (project / f"{BAD}.jsonl").write_bytes(b'{"sessionId":"x","a":"' + b"x" * (17 << 20) + b'"}\n')


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    """Rows of a query over a lake made of the files."""
    base = tmp_path_factory.mktemp("trees")
    project = base / "projects" / "-w"
    plant(project)
    plant_restarts(project)
    extract([base / "projects"], base / "lake", engine="serial")
    with open_lake(base / "lake") as connection:
        yield lambda sql, *params: connection.execute(sql.replace("PROJECT", str(project)), params).fetchall()


def test_every_agent_is_under_its_true_parent(ask):
    rows = ask(
        "SELECT agent_id, replace(parent_path, 'PROJECT/', ''), parent_source, depth FROM subagents ORDER BY ALL"
    )
    main, agents = f"{SESSION}.jsonl", f"{SESSION}/subagents"
    assert rows == [
        ("deep", f"{agents}/agent-one.jsonl", "call", 2),
        ("deepest", f"{agents}/agent-one/subagents/agent-deep.jsonl", "call", 3),
        ("flat", f"{agents}/agent-one.jsonl", "call", 2),
        ("one", main, "call", 1),
        ("two", main, "call", 1),
        ("wa", main, "workflow", 1),
        ("wb", main, "workflow", 1),
    ]


def test_the_search_over_the_project_prefers_no_session(ask):
    """S-7: of two files with the call the first by name, whatever the session; a workflow's agents have none."""
    found = dict(ask("SELECT agent_id, replace(searched_parent_path, 'PROJECT/', '') FROM subagents"))
    assert found["one"] == f"{SESSION}.jsonl"  # ...0a before ...0b
    assert found["deepest"] == f"{SESSION}/subagents/agent-one/subagents/agent-deep.jsonl"
    assert found["wa"] is None


def test_the_walk_order(ask):
    walked = ask("SELECT agent_id FROM subagents ORDER BY walk_order")
    # Folders are expanded where their names stand: `agent-one` comes before `agent-one.jsonl`.
    assert [name for (name,) in walked] == ["deepest", "flat", "deep", "one", "two", "wa", "wb"]


def test_the_tree_of_the_session(ask):
    rows = ask("SELECT depth, agent_id FROM session_tree(?)", SESSION)
    assert rows[0] == (0, None)
    assert sorted(rows[1:]) == [(1, "one"), (1, "two"), (1, "wa"), (1, "wb"), (2, "deep"), (2, "flat"), (3, "deepest")]


def test_fork_and_restart_share_the_identity_of_the_original(ask):
    rows = ask(
        "SELECT parse_filename(path), stable_id, degraded, identity_error,"
        " list_transform(unreadable_siblings, lambda one: parse_filename(one)) FROM conversation_files ORDER BY 1"
    )
    assert rows == [
        (f"{SESSION}.jsonl", "u1", None, None, []),
        (f"{FORK}.jsonl", "u1", None, None, []),
        (f"{LATER}.jsonl", "u1", None, None, [f"{BAD}.jsonl"]),
        (f"{BAD}.jsonl", None, None, "unreadable", []),
    ]
    ((files, sessions, restarts),) = ask("SELECT files, sessions, restarts FROM conversations")
    assert (files, sessions, restarts) == (3, 3, 1)


def test_nothing_is_amiss(ask):
    assert ask("SELECT check_id FROM integrity_issues WHERE severity = 'error'") == []
