"""pi: what each kind of entry becomes (parser.md 1.5, 2, 3, 6.4, 8.1)."""

from decimal import Decimal

import pytest

from tests.fold.folding import fold
from tests.fold.rollouts import entry, lines, message

PNG = "iVBORw0KGgpvd2xvd2xvd2xvd2xvd2w="  # the PNG magic and five times "owl"


def pi(*records):
    return fold(lines(*records), "pi")


def text(value):
    return [{"type": "text", "text": value}]


def test_every_assistant_line_is_a_message_of_its_own():
    found = pi(
        message("user", "plain"),
        message("assistant", text("a"), model="m"),
        message("assistant", text("b"), model="m"),
        message("user", [*text("x"), {"type": "image", "data": PNG, "mimeType": "image/png"}, *text("y")]),
    )
    assert found.column("messages", "ordinal", "role", "content", "model") == [
        (0, "user", "plain", None),
        (1, "assistant", "a", "m"),
        (2, "assistant", "b", "m"),
        (3, "user", "x\ny", None),
    ]


def test_thinking_weighs_its_text_only():
    block = {"type": "thinking", "thinking": "é", "thinkingSignature": "sig"}
    found = pi(message("assistant", [block, {"type": "thinking", "thinking": ""}]))
    row = found["messages"][0]
    assert (row["thinking_bytes"], row["thinking_text"], row["has_thinking"]) == (2, "é", True)
    assert [block["signature_bytes"] for block in found["blocks"]] == [3, None]


def test_calls_and_results():
    calls = [
        {"type": "toolCall", "id": "k1", "name": "read", "arguments": {"file_path": "/w/a.py"}},
        {"type": "toolCall", "name": "bash", "arguments": {"command": "ls"}},
        {"type": "toolCall", "id": "k3", "name": "edit"},
    ]
    result = {"toolCallId": "k1", "toolName": "read", "isError": False}
    image = {"type": "image", "data": PNG, "mimeType": "image/webp"}
    found = pi(
        entry("session", "s", cwd="/w"),
        message("assistant", calls),
        message("toolResult", [*text("l1"), image, *text("l2")], **result),
        message("toolResult", text("no"), toolCallId="k3"),
    )
    rows = {row["call_index"]: row for row in found["tool_calls"]}
    assert (rows[0]["file_path"], rows[0]["file_rel_path"], rows[0]["status"]) == ("/w/a.py", "a.py", "ok")
    assert (rows[0]["input_json"], rows[0]["result_text"]) == ('{"file_path": "/w/a.py"}', "l1\nl2")
    assert (rows[1]["detail"], rows[1]["status"], rows[1]["category"]) == ("ls", "pending", "bash")
    assert (rows[2]["input_json"], rows[2]["input_bytes"], rows[2]["status"]) == (None, 0, "ok")
    assert [row["is_error"] for row in found["tool_results"]] == [False, None]
    (attached,) = found["attachments"]
    assert (attached["carrier"], attached["media_type"], attached["bytes"]) == ("tool_result_image", "image/png", 23)


def test_usage_with_cache_reasoning_and_pis_own_cost():
    usage = {"input": 3, "output": 191, "cacheRead": 5, "cacheWrite": 1684, "reasoning": 7, "cost": {"total": 0.0123}}
    found = pi(message("assistant", [], model="m", usage=usage, stopReason="stop"))
    (row,) = found["token_usage"]
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "thinking_tokens")
    assert tuple(row[name] for name in names) == (3, 191, 5, 1684, 7)
    assert (row["cache_write_5m_tokens"], row["cache_write_1h_tokens"]) == (1684, None)
    assert (row["reported_cost_usd"], row["usage_final"], row["model"]) == (Decimal("0.0123"), True, "m")
    (null,) = pi(message("assistant", [], usage=None))["token_usage"]
    assert (null["input_tokens"], null["usage_final"], null["reported_cost_usd"]) == (0, False, None)
    assert pi(message("assistant", []))["token_usage"] == []


def keys(*records):
    return [row["dedup_key"] for row in pi(*records)["token_usage"]]


def used(entry_id=None, time="2031-06-01T08:00:00Z", output=1, **more):
    made = message("assistant", [], entry_id, usage={"input": 1, "output": output}, **more)
    return {**made, "timestamp": time}


def test_copies_of_a_response_agree_and_others_do_not():
    header = entry("session", "s")
    assert keys(header, used("a1")) == keys(entry("session", "branch"), used("a1"))
    assert keys(used("a1")) != keys(used("a1", time="2031-06-01T08:00:01Z"))
    assert keys(used("a1")) != keys(used("b7"))
    assert keys(used()) == keys(used()) != keys(used(output=2))
    assert keys(used("a1", responseId="resp-1")) == keys(used("b7", responseId="resp-1")) != keys(used("a1"))
    assert keys(header, used("a1", time=None)) == ["pi:s:a1"]
    assert keys(header, used(time=None)) == [None]


def test_the_tree_and_where_it_began():
    found = pi(
        entry("session", "s2", cwd="/w", parentSession="/home/me/.pi/agent/sessions/--w--/2031_0a1b2c3d.jsonl"),
        entry("model_change", "e1", provider="p", modelId="m"),
        message("user", "x", "e2", "e1"),
    )
    ids = [(row["uuid"], row["parent_uuid"]) for row in found["entries"]]
    assert ids == [("s2", None), ("e1", None), ("e2", "e1")]
    assert found["entries"][0]["record_session_id"] == "s2"
    assert found.facts.root == ("s2", "0a1b2c3d", "2031-06-01T08:00:00.000Z")
    other = pi(entry("session", "s3", branchedFrom="/orig/session.jsonl"))
    assert other.facts.root[1] == "/orig/session.jsonl"


@pytest.mark.parametrize(("written", "version"), [({"version": 3}, "3"), ({}, None)])
def test_the_headers_version_is_that_of_the_format(written, version):
    found = pi({"type": "session", "id": "s", **written}, message("user", "x"))
    assert [row["version"] for row in found["entries"]] == [version, None]


def test_events():
    found = pi(
        entry("model_change", "e1", provider="p", modelId="m"),
        message("assistant", [], stopReason="error", errorMessage="overloaded"),
        entry("thinking_level_change", "e2", thinkingLevel="high"),
        entry("compaction", "e3", summary="so far", firstKeptEntryId="e1", tokensBefore=5000, fromHook=False),
        entry("branch_summary", "e4", fromId="e2", summary="tried B"),
    )
    assert found.column("events", "seq", "kind", "attrs", "message_ordinal") == [
        (0, "model_change", '{"model":"m","provider":"p"}', None),
        (1, "api_error", '{"message":"overloaded"}', 0),
        (2, "thinking_level_change", '{"level":"high"}', 0),
        (3, "compaction", '{"first_kept_entry_id":"e1","from_hook":false,"pre_tokens":5000}', 0),
        (4, "branch_summary", '{"from_id":"e2"}', 0),
    ]
    compaction = found["entries"][3]
    assert (compaction["content"], compaction["is_compact_summary"], compaction["class"]) == ("so far", True, "system")


@pytest.mark.parametrize(
    ("record", "kind", "user_kind", "text"),
    [
        (entry("session", "s"), "control", None, None),
        (entry("session_info", "e", name="n"), "control", None, None),
        (entry("compaction", "e"), "system", None, None),
        (entry("label", "e", label="l"), "other", None, None),
        (entry("custom", "e", data={}), "other", None, None),
        (entry("turn/start", data={}), "other", None, None),
        (entry("custom_message", "e", content="injected"), "message", "meta", None),
        (message("user", "typed"), "message", "prompt", "typed"),
        (message("assistant", [{"type": "text", "text": "a"}]), "message", None, "a"),
        (message("toolResult", [{"type": "text", "text": "r"}]), "message", "tool_result", None),
        (message("bashExecution", command="ls", output="x"), "message", "command", "ls"),
        (message("compactionSummary", summary="s"), "message", "compact_summary", None),
        (message("branchSummary", summary="s"), "message", "meta", None),
        (message("oracle"), "unknown", None, None),
        (entry("novelty", "e"), "unknown", None, None),
    ],
)
def test_classes(record, kind, user_kind, text):
    (row,) = pi(record)["entries"]
    assert (row["class"], row["user_kind"], row["text"], row["status"]) == (kind, user_kind, text, "ok")
    assert (row["value"] is not None) == (kind == "unknown")


def test_glued_torn_and_mistyped_lines():
    glued = lines(message("user", "one"))[:-1] + lines(message("user", "two"))
    found = fold(glued + b'{"type":"message","message":{"role":"us', "pi")
    assert [(row["status"], row["record_count"]) for row in found["entries"]] == [("glued", 2), ("torn", 0)]
    assert found.column("messages", "content", "record_no") == [("one", 0), ("two", 1)]
    odd = pi(message("user", ["bare", 5, *text("t")]), message("assistant", {"k": 1}, usage={"input": "9"}))
    assert odd.column("messages", "content") == [("bare\nt",), ("",)]
    assert odd["token_usage"][0]["input_tokens"] == 9
