"""Codex: what each kind of line becomes (parser.md 1.4, 2, 3.4 to 3.6, 4.8)."""

import hashlib
import json

import pytest

from tests.fold.folding import fold
from tests.fold.rollouts import event, item, line, lines, meta, said

PNG = "iVBORw0KGgpvd2xvd2xvd2xvd2xvd2w="  # the PNG magic and five times "owl"
PNG_SHA = "4618f43c044a6e58387a59676c23f2b65cb35d480949ebfe2c96b9dc6e35a9fb"  # parser.md 4.8
IMAGE = f"data:image/png;base64,{PNG}"


def codex(*records):
    return fold(lines(*records), "codex")


def roles(folded):
    return folded.column("messages", "ordinal", "role", "content")


def test_standing_texts_become_rows_when_they_change():
    mode = {"mode": "default", "settings": {"developer_instructions": "be brief"}}
    found = codex(
        meta(base_instructions={"text": "SYS"}),
        line("turn_context", collaboration_mode=mode),
        line("world_state", state={"agents_md": {"text": "use tabs"}}),
        meta(base_instructions="SYS"),
        line("turn_context", collaboration_mode=mode),
        line("world_state", state={"agents_md": {"text": "use spaces"}}),
    )
    assert roles(found) == [
        (0, "system", "SYS"),
        (1, "context", "be brief"),
        (2, "context", "use tabs"),
        (3, "context", "use spaces"),
    ]


def test_a_turn_ends_with_user_system_and_context_rows_but_not_with_other_agents_or_developers():
    found = codex(
        said("user", "go"),
        said("assistant", "a"),
        item("agent_message", content=[{"type": "input_text", "text": "from a peer"}]),
        said("developer", "rules"),
        item("web_search_call", action={}),
        said("assistant", "b"),
        line("world_state", state={"agents_md": "md"}),
        said("assistant", "c"),
    )
    assert roles(found) == [
        (0, "user", "go"),
        (1, "assistant", "a\nb"),
        (2, "context", "from a peer"),
        (3, "context", "md"),
        (4, "assistant", "c"),
    ]


def test_agent_message_events_are_echoes():
    found = codex(event("agent_message", message="hello"), event("user_message", message="hi", images=[]))
    assert found["messages"] == []  # deviation: an echo without images opens no empty turn
    assert [row["content"] for row in found["entries"]] == ["hello", "hi"]


def test_reasoning_weighs_its_parts_and_streamed_text_counts_only_without_them():
    kept = codex(
        item("reasoning", summary=[{"type": "summary_text", "text": "é"}], encrypted_content="abc"),
        event("agent_reasoning", text="streamed"),
    )["messages"][0]
    assert (kept["thinking_text"], kept["thinking_plain_bytes"], kept["thinking_encrypted_bytes"]) == ("é", 2, 3)
    sealed = codex(item("reasoning", summary=[], encrypted_content="abc"), event("agent_reasoning", text="streamed"))
    row = sealed["messages"][0]
    assert (row["thinking_text"], row["thinking_bytes"], row["thinking_plain_bytes"]) == ("streamed", 3, 0)
    bare = codex(event("agent_reasoning", text="ab"), event("agent_reasoning", text="c"))["messages"][0]
    assert (bare["thinking_text"], bare["thinking_bytes"], bare["has_thinking"]) == ("ab\nc", 4, True)


@pytest.mark.parametrize(
    ("given", "text", "size", "detail"),
    [
        ({"arguments": '{"command":"ls"}'}, '{"command":"ls"}', 16, "ls"),
        ({"arguments": {"command": "ls"}}, '{"command": "ls"}', 17, "ls"),
        ({"arguments": None}, None, 0, None),
        ({"arguments": ""}, None, 0, None),
        ({}, None, 0, None),
    ],
)
def test_arguments_are_the_decoded_text_or_the_object(given, text, size, detail):
    (row,) = codex(item("function_call", name="Shell", call_id="k", **given))["tool_calls"]
    assert (row["input_json"], row["input_bytes"], row["detail"]) == (text, size, detail)
    assert (row["category"], row["status"]) == ("bash", "pending")
    assert row["input_media_type"] == ("application/json" if size else None)


@pytest.mark.parametrize(
    ("output", "body", "media_type"),
    [
        ("done", "done", "text/plain"),
        ([{"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": IMAGE}], "a", "text/plain"),
        ({"k": 1}, '{"k": 1}', "application/json"),
        (7, "7", "text/plain"),
    ],
)
def test_outputs_are_flattened_and_never_errors(output, body, media_type):
    found = codex(
        item("custom_tool_call", name="exec", call_id="k", input="x"),
        item("custom_tool_call_output", call_id="k", output=output),
    )
    (result,), (call,) = found["tool_results"], found["tool_calls"]
    assert (result["body"], result["media_type"], result["is_error"]) == (body, media_type, None)
    assert (call["status"], call["result_text"], call["result_line_no"]) == ("ok", body, 2)


def test_the_first_result_counts_for_every_call_with_its_id():
    found = codex(
        item("function_call", name="a", call_id="k", arguments="{}"),
        item("function_call", name="b", call_id="k", arguments="{}"),
        item("function_call_output", call_id="k", output="first"),
        item("function_call_output", call_id="k", output="second"),
    )
    assert [row["result_text"] for row in found["tool_calls"]] == ["first", "first"]
    assert [row["body"] for row in found["tool_results"]] == ["first", "second"]


def test_a_search_is_known_by_its_end_event():
    action = {"type": "search"}
    found = codex(
        event("web_search_end", call_id="w", query="owls", action=action, results=[{"title": "t"}]),
        event("web_search_end", call_id="w", query="again", action=action),
        event("web_search_end", call_id="", query="no id"),
        event("web_search_end", call_id="p", query="unanswered"),
    )
    first, second = sorted(found["tool_calls"], key=lambda row: row["call_index"])
    assert (first["tool_name"], first["detail"], first["status"]) == ("web_search", "owls", "ok")
    assert json.loads(first["input_json"]) == {"action": action, "query": "owls"}
    assert (first["result_text"], first["result_media_type"]) == ('[{"title": "t"}]', "application/json")
    assert (second["tool_use_id"], second["input_json"], second["status"]) == ("p", '{"query":"unanswered"}', "pending")


def test_an_mcp_call_with_an_item_of_its_own_is_not_added_again():
    call = {"server": "s", "tool": "t", "arguments": {"q": 1}}
    found = codex(
        item("function_call", name="mcp__s__t", call_id="k", arguments="{}"),
        event("mcp_tool_call_end", call_id="k", invocation=call, result={"Ok": {}}),
        event("mcp_tool_call_end", call_id="m", invocation=call, result="plain"),
        event("mcp_tool_call_end", call_id="n", invocation=call),
    )
    rows = {row["tool_use_id"]: row for row in found["tool_calls"]}
    assert [rows[name]["status"] for name in "kmn"] == ["pending", "ok", "pending"]
    assert (rows["m"]["tool_name"], rows["m"]["result_text"], rows["m"]["result_media_type"]) == (
        "mcp__s__t",
        "plain",
        "text/plain",
    )


def test_images_of_all_carriers():
    image = {"type": "input_image", "image_url": IMAGE}
    found = codex(
        item("message", role="user", content=[{"type": "input_text", "text": "see"}, image, {"type": "input_image"}]),
        event("user_message", message="see", images=[IMAGE]),
        item("image_generation_call", result=PNG, saved_path="C:\\out\\owl.png"),
        event("image_generation_end", result=PNG, saved_path="/out/owl2.png"),
        item("function_call_output", call_id="k", output=[image]),
    )
    rows = [(r["carrier"], r["message_ordinal"], r["block_index"], r["filename"]) for r in found["attachments"]]
    assert rows == [
        ("user_image", 0, 1, None),
        ("user_image", 0, 0, None),
        ("generated_image", 1, 0, "owl.png"),
        ("generated_image", 1, 0, "owl2.png"),
        ("tool_result_image", 1, 0, None),
    ]
    assert {(r["sha256"], r["bytes"], r["media_type"]) for r in found["attachments"]} == {(PNG_SHA, 23, "image/png")}
    assert found["tool_calls"] == []
    assert next(row for row in found["messages"] if row["ordinal"] == 1)["has_tool_use"] is True


def test_an_images_place_is_that_of_its_text():
    data = lines(item("message", role="user", content=[{"type": "input_image", "image_url": IMAGE}]))
    (row,) = fold(data, "codex")["attachments"]
    assert data[row["byte_offset"] : row["byte_offset"] + row["byte_len"]] == IMAGE.encode()
    assert hashlib.sha256(b"\x89PNG\r\n\x1a\n" + b"owl" * 5).hexdigest() == row["sha256"]


def test_an_echoed_image_before_any_message_opens_a_turn():
    found = codex(event("user_message", message="see", images=[IMAGE]))
    assert roles(found) == [(0, "assistant", "")]
    assert found["attachments"][0]["message_ordinal"] == 0


def test_events():
    found = codex(
        line("compacted", message="so far"),
        said("assistant", "x"),
        event("task_complete", duration_ms=5, time_to_first_token_ms=2, last_agent_message="x"),
        event("turn_aborted", reason="interrupted", duration_ms=7),
        event("sub_agent_activity", agent_thread_id="t2", agent_path="/root/scout", kind="started"),
        event("error", message="overloaded"),
        event("error", error={"kind": "rate_limit", "message": "slow down"}),
        event("context_compacted"),
    )
    assert found.column("events", "seq", "kind", "attrs", "message_ordinal") == [
        (0, "compaction", "{}", None),
        (1, "turn_end", '{"duration_ms":5,"ttft_ms":2}', 0),
        (2, "turn_aborted", '{"duration_ms":7,"reason":"interrupted"}', 0),
        (3, "subagent_activity", '{"agent_path":"/root/scout","state":"started","thread_id":"t2"}', 0),
        (4, "api_error", '{"message":"overloaded"}', 0),
        (5, "api_error", '{"message":"slow down"}', 0),
    ]


def test_the_model_is_the_threads_own_not_that_of_an_agent_it_starts():
    found = codex(
        line("turn_context", model="gpt-own"),
        event("collab_agent_spawn_end", model="gpt-child", call_id="c"),
        said("assistant", "x"),
    )
    assert found["messages"][0]["model"] == "gpt-own"  # deviation: not overwritten by the child's


def test_blocks():
    found = codex(
        said("assistant", "a", "b"),
        item("reasoning", summary=[{"type": "summary_text", "text": "s"}], encrypted_content="éé"),
        item("function_call", name="shell", call_id="k", arguments="{}"),
        item("function_call_output", call_id="k", output="done"),
    )
    names = ("line_no", "block_index", "role", "type", "text", "tool_use_id", "tool_name", "data_bytes")
    assert [tuple(row[name] for name in names) for row in found["blocks"]] == [
        (1, 0, "assistant", "output_text", "a", None, None, None),
        (1, 1, "assistant", "output_text", "b", None, None, None),
        (2, 0, "assistant", "reasoning", "s", None, None, 4),
        (3, 0, "assistant", "function_call", None, "k", "shell", None),
        (4, 0, "user", "function_call_output", None, "k", None, None),
    ]


def test_a_turn_of_calls_and_reasoning_has_the_model_that_was_set_before():
    found = codex(
        meta(),
        line("turn_context", model="gpt-reed"),
        said("user", "go"),
        item("reasoning", summary=[]),
        item("function_call", call_id="c", name="f", arguments="{}"),
    )
    assert found.column("messages", "role", "model") == [("user", None), ("assistant", "gpt-reed")]


def test_an_agent_reasoning_event_without_text_makes_nothing():
    found = codex(meta(), event("agent_reasoning", text=""), event("agent_reasoning"), said("user", "dig"))
    assert roles(found) == [(0, "user", "dig")]
