"""Codex: lines typed and classified, headers, sub-agents, old and damaged files (parser.md 8.1; transcript.md 9)."""

import pytest

from tests.fold.folding import fold
from tests.fold.rollouts import count, event, item, line, lines, meta, said


def codex(*records):
    return fold(lines(*records), "codex")


@pytest.mark.parametrize(
    ("record", "kind", "subtype"),
    [
        (meta(), "control", None),
        (line("turn_context"), "control", None),
        (line("world_state"), "control", None),
        (line("compacted"), "system", None),
        (said("user", "x"), "message", "message"),
        (line("response_item", role="assistant", content="x"), "message", None),
        (item("reasoning"), "message", "reasoning"),
        (item("local_shell_call"), "message", "local_shell_call"),
        (item("ghost_snapshot"), "other", "ghost_snapshot"),
        (event("token_count"), "system", "token_count"),
        (event("thread_name_updated", thread_name="n"), "control", "thread_name_updated"),
        (line("inter_agent_communication_metadata"), "other", None),
        ({"record_type": "state"}, "other", None),
        (item("hologram"), "unknown", "hologram"),
        (event("telepathy"), "unknown", "telepathy"),
        ({"type": "novelty", "payload": {}}, "unknown", None),
        ({"nothing": 1}, "unknown", None),
    ],
)
def test_classes(record, kind, subtype):
    (row,) = codex(record)["entries"]
    assert (row["class"], row["subtype"], row["status"]) == (kind, subtype, "ok")
    assert (row["value"] is not None) == (kind == "unknown")


@pytest.mark.parametrize(
    ("record", "user_kind", "is_meta"),
    [
        (said("user", "dig"), "prompt", False),
        (said("user", "<environment_context>"), "meta", True),
        (said("user", "# AGENTS.md instructions for /w"), "meta", True),
        (said("user", "<turn_aborted>\nstopped"), "interrupt", True),
        (said("developer", "rules"), None, True),
        (said("assistant", "dug"), None, False),
        (item("agent_message", content="hi"), "peer", False),
        (item("function_call_output", call_id="k", output="x"), "tool_result", False),
    ],
)
def test_user_kinds(record, user_kind, is_meta):
    (row,) = codex(record)["entries"]
    assert (row["user_kind"], row["is_meta"]) == (user_kind, is_meta)


def test_what_a_header_and_a_context_say():
    header = meta("t9", cwd="/w", cli_version="0.9.1", git={"branch": "b"}, forked_from_id="t8")
    found = codex(header, line("turn_context", model="m", cwd="/v", sandbox_policy={"type": "read-only"}, turn_id="u1"))
    first, second = found["entries"]
    assert (first["record_session_id"], first["uuid"], first["logical_parent_uuid"]) == ("t9", "t9", "t8")
    assert (first["cwd"], first["version"], first["git_branch"]) == ("/w", "0.9.1", "b")
    assert (second["model"], second["permission_mode"], second["prompt_id"]) == ("m", "read-only", "u1")
    assert found.facts.root == ("t9", "t8", "2031-06-01T08:00:00.000Z")
    assert list(found.facts.cwds) == ["/w", "/v"]
    assert found.facts.spawn is None


def test_items_form_a_chain():
    found = codex(meta("t1"), item("reasoning", id="r1"), event("token_count"), said("assistant", "a", id="m1"), meta())
    ids = [(row["uuid"], row["parent_uuid"]) for row in found["entries"]]
    assert ids == [("t1", None), ("r1", "t1"), (None, None), ("m1", "r1"), (None, None)]


SPAWN = {"subagent": {"thread_spawn": {"parent_thread_id": "p1", "depth": 1, "agent_role": "explorer"}}}


@pytest.mark.parametrize(
    ("header", "spawn"),
    [
        (meta(source=SPAWN, agent_nickname="Ada"), ("p1", "explorer", "Ada", 1)),
        (
            meta(thread_source="subagent", parent_thread_id="p2", agent_path="/root/scout"),
            ("p2", "scout", "scout", None),
        ),
        (meta(thread_source="subagent", agent_path="/root", agent_nickname="Bo"), (None, "Bo", "Bo", None)),
        (meta(source={"subagent": "review"}), (None, "review", None, None)),
        (meta(source={"subagent": {"other": "guard"}}), (None, "guard", None, None)),
    ],
)
def test_sub_agents_say_who_started_them(header, spawn):
    found = codex(
        header, said("user", "look"), said("user", "again"), said("assistant", "a"), count((1, 0, 1), (1, 0, 1))
    )
    assert tuple(found.facts.spawn) == spawn
    for table in ("entries", "messages", "token_usage", "blocks"):
        assert {row["is_sidechain"] for row in found[table]} == {True}
    assert [row["user_kind"] for row in found["entries"]][1:3] == ["subagent_prompt", "prompt"]
    assert found.facts.first_is_sidechain is True


def test_a_copied_ancestors_header_does_not_change_whose_file_it_is():
    found = codex(meta("b", forked_from_id="a"), meta("a", source=SPAWN), said("user", "x"))
    assert (found.facts.spawn, found["entries"][2]["is_sidechain"]) == (None, False)
    assert found.facts.root[:2] == ("b", "a")


def test_rollouts_of_early_2025():
    found = codex(
        {"id": "old-1", "instructions": None, "git": {"branch": "main"}},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}], "id": None},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "think"}]},
        {"type": "function_call", "name": "shell", "call_id": "k", "arguments": '{"command":["ls"]}'},
        {"type": "function_call_output", "call_id": "k", "output": "ok"},
        {"role": "assistant", "content": "done"},
    )
    assert found.column("messages", "role", "content", "thinking_text") == [
        ("user", "hi", None),
        ("assistant", "done", "think"),
    ]
    assert [row["status"] for row in found["tool_calls"]] == ["ok"]
    assert [row["class"] for row in found["entries"]] == ["control", "other", *["message"] * 5]
    assert [row["type"] for row in found["entries"]][2:4] == ["message", "reasoning"]
    assert (found.facts.root[0], found.facts.git_branch) == ("old-1", "main")


def test_damaged_lines_are_kept_as_far_as_they_go():
    good = lines(said("user", "one"), said("user", 2))
    torn = b'{"timestamp":"2031-06-01T08:00:09Z","type":"response_item","payload":{"type":"mess'
    found = fold(good + b"\n" + b'{"a":1}{"type":"compacted","payload":{}}\n' + b"{broken}\n" + torn, "codex")
    assert [row["status"] for row in found["entries"]] == ["ok", "ok", "blank", "glued", "bad_json", "torn"]
    assert [(row["kind"], row["record_no"]) for row in found["events"]] == [("compaction", 1)]
    assert found.facts.torn_tail is True


def test_mistyped_members_are_read_by_the_rules():
    mode = {"collaboration_mode": "odd", "model": 5, "cwd": "/w"}
    found = codex(line("turn_context", **mode), event("token_count", info={"last_token_usage": {"input_tokens": "7"}}))
    assert [row["status"] for row in found["entries"]] == ["ok", "ok"]
    assert (found["token_usage"][0]["input_tokens"], found["token_usage"][0]["model"]) == (7, "5")
    lost = codex({"type": "event_msg", "payload": [1]}, {"type": 3, "payload": {}})
    assert [row["status"] for row in lost["entries"]] == ["ok", "bad_type"]


def test_titles():
    found = codex(event("thread_name_updated", thread_name="Fix the den"), line("compacted", message="so far"))
    assert found["entries"][0]["custom_title"] == "Fix the den"
    assert (found["entries"][1]["content"], found["entries"][1]["is_compact_summary"]) == ("so far", True)
