"""Typed lines: the fields of parser.md 8.1 to 8.6."""

import json
from datetime import UTC, datetime

import pytest
from tracelake.transcripts import Label, PatchHunk, Reading, Usage, decode_result_evidence

from tests.transcripts.texts import user


def read(*given, agent_id=None):
    data = b"\n".join(one if isinstance(one, bytes) else json.dumps(one).encode() for one in given) + b"\n"
    reading = Reading(Label("x.jsonl", agent_id), keep_raw=True)
    return reading.file(reading.continue_(data)).lines


def line(record):
    (made,) = read(record)
    return made


def test_a_line_with_every_field():
    record = user(
        "u1", parentUuid="u0", agentId="a1", promptId="p1", requestId="r1", timestamp="2026-05-01T10:00:00.250Z",
        isSidechain=True, isMeta=True, cwd="/w", gitBranch="main", version="2.1.0", promptSource="typed",
        origin={"kind": "human"}, toolDenialKind="user-rejected", toolUseResult={"stdout": "x"},
    )  # fmt: skip
    made = line(record)
    assert (made.ordinal, made.class_, made.type, made.user_kind, made.status) == (1, "message", "user", "meta", "ok")
    assert made.raw == json.dumps(record).encode()
    ids = (made.uuid, made.parent_uuid, made.session_id, made.agent_id, made.prompt_id, made.request_id)
    assert ids == ("u1", "u0", record["sessionId"], "a1", "p1", "r1")
    assert made.timestamp == datetime(2026, 5, 1, 10, 0, 0, 250_000, tzinfo=UTC)
    assert (made.is_sidechain, made.is_meta) == (True, True)
    assert (made.cwd, made.git_branch, made.version) == ("/w", "main", "2.1.0")
    assert (made.prompt_source, made.tool_denial_kind) == ("typed", "user-rejected")
    assert (made.origin, made.tool_use_result) == (b'{"kind": "human"}', b'{"stdout": "x"}')
    assert (made.subtype, made.control, made.attachment, made.text) == (None, None, None, "hello")


def test_a_line_without_any():
    made = line({"type": "user"})
    fields = ("uuid", "parent_uuid", "session_id", "agent_id", "prompt_id", "request_id", "timestamp", "cwd", "message",
              "version", "subtype", "prompt_source", "origin", "tool_denial_kind", "tool_use_result")  # fmt: skip
    assert [getattr(made, name) for name in fields] == [None] * len(fields)
    assert (made.is_sidechain, made.is_meta, made.text, made.evidence.present) == (False, False, "", False)


def test_a_message_and_its_blocks():
    content = [
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "text", "text": "It is done."},
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
        "bare",
    ]
    usage = {
        "input_tokens": 1, "output_tokens": 2, "cache_creation_input_tokens": 9, "cache_read_input_tokens": 4,
        "cache_creation": {"ephemeral_1h_input_tokens": 0}, "speed": "fast",
    }  # fmt: skip
    made = line({"type": "assistant", "message": {
        "id": "m", "role": "assistant", "model": "claude-x", "stop_reason": "tool_use", "usage": usage,
        "content": content,
    }})  # fmt: skip
    message = made.message
    assert (message.id, message.role, message.model, message.stop_reason) == ("m", "assistant", "claude-x", "tool_use")
    assert message.usage == Usage(1, 2, 9, 4, 0, "fast")
    assert json.loads(message.content) == content
    assert [(block.type, block.text) for block in message.blocks] == [
        ("thinking", "hm"), ("text", "It is done."), ("tool_use", None), (None, "bare"),
    ]  # fmt: skip
    call = message.blocks[2]
    assert (call.id, call.name, json.loads(call.input), call.is_error) == ("t1", "Bash", {"command": "ls"}, None)
    assert json.loads(call.raw) == content[2]
    assert made.text == "It is done."


@pytest.mark.parametrize(
    ("usage", "one_hour"),
    [
        ({"cache_creation": {"ephemeral_1h_input_tokens": 7}}, 7),
        ({"cache_creation": {"ephemeral_1h_input_tokens": 0}}, 0),
        ({"cache_creation": {"ephemeral_1h_input_tokens": "7"}}, None),
        ({"cache_creation": {"ephemeral_1h_input_tokens": 7.5}}, None),
        ({"cache_creation": {}}, None),
        ({"cache_creation": None}, None),
        ({}, None),
    ],
)
def test_cache_writes_for_an_hour_are_none_unless_an_integer_says_so(usage, one_hour):
    usage = line({"type": "assistant", "message": {"usage": usage}}).message.usage
    assert (usage.cache_write_1h, usage.speed, usage.input_tokens) == (one_hour, None, 0)


def test_no_usage_and_no_stop_reason():
    message = line({"type": "assistant", "message": {"content": "plain"}}).message
    assert (message.usage, message.stop_reason, message.blocks, message.content) == (None, None, [], b'"plain"')
    assert line({"type": "assistant", "message": {"usage": None}}).message.usage is None


def test_tool_results_tell_an_absent_error_from_a_false_one():
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    made = line(user("u", [
        {"type": "tool_result", "tool_use_id": "t1", "content": parts},
        {"type": "tool_result", "tool_use_id": "t2", "is_error": False, "content": "c"},
        {"type": "tool_result", "tool_use_id": "t3", "is_error": True},
        {"type": "text", "text": "d"},
    ]))  # fmt: skip
    found = [(block.tool_use_id, block.is_error, block.result_text) for block in made.message.blocks]
    assert found == [("t1", None, "a\nb"), ("t2", False, "c"), ("t3", True, ""), (None, None, "")]
    assert made.user_kind == "tool_result"


def test_controls_and_attachments():
    assert line({"type": "mode", "mode": "plan"}).control.mode == "plan"
    control = line({"type": "brand-new", "x": [1]}).control
    assert (json.loads(control.value), control.mode) == ({"type": "brand-new", "x": [1]}, None)
    control = line({"type": "bridge-session", "bridgeSessionId": "b", "lastSequenceNum": 0}).control
    assert (control.bridge_session_id, control.last_sequence_num, control.value) == ("b", 0, None)
    made = line({"type": "attachment", "attachment": {
        "type": "queued_command", "prompt": "p", "commandMode": "prompt", "origin": {"kind": "human"},
        "timestamp": "2026-05-01T10:00:00Z",
    }}).attachment  # fmt: skip
    assert (made.type, made.prompt, made.command_mode, made.origin) == (
        "queued_command", "p", "prompt", b'{"kind": "human"}',
    )  # fmt: skip
    assert made.timestamp == datetime(2026, 5, 1, 10, tzinfo=UTC)
    made = line({"type": "attachment", "attachment": {"type": "todo_reminder", "prompt": "p"}}).attachment
    assert (made.type, made.prompt) == ("todo_reminder", None)
    assert json.loads(made.payload) == {"type": "todo_reminder", "prompt": "p"}


def test_damaged_lines_are_lines():
    made = read(b"", b"{broken", b"[1]", b'{"type":"mode"}{"type":"user","uuid":"g"}', {"type": "user", "uuid": "u"})
    assert [one.ordinal for one in made] == [1, 2, 3, 4, 5]
    assert [one.status for one in made] == ["blank", "bad_json", "bad_type", "glued", "ok"]
    assert [one.class_ for one in made] == [None, None, None, "control", "message"]
    assert [one.uuid for one in made[3].glued] == ["g"]
    assert [one.byte_offset for one in made] == [0, 1, 9, 13, 55]
    assert made[1].error.startswith("invalid JSON")


def test_the_first_user_line_of_an_agent():
    kinds = [one.user_kind for one in read({"type": "mode"}, user("1"), user("2"), agent_id="a")]
    assert kinds == [None, "subagent_prompt", "prompt"]


def test_the_worked_example_of_evidence():
    found = decode_result_evidence(b'"Error: Exit code 3\\nboom"')
    assert (found.present, found.text, found.exit_code) == (True, "Error: Exit code 3\nboom", 3)
    others = (found.stdout, found.stderr, found.interrupted, found.file_path, found.structured_patch, found.start_line)
    assert [*others, found.num_lines, found.agent_id, found.resumed_agent_id, found.status] == [None] * 10


def test_evidence_of_an_edit():
    hunk = {"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 3, "lines": [" a", "+b"]}
    found = decode_result_evidence(json.dumps({"filePath": "/f", "structuredPatch": [hunk]}).encode())
    assert (found.file_path, found.structured_patch) == ("/f", [PatchHunk(1, 2, 1, 3, [" a", "+b"])])


@pytest.mark.parametrize("raw", [None, b"", b"null"])
def test_no_evidence(raw):
    assert decode_result_evidence(raw) == decode_result_evidence(None)
    assert (decode_result_evidence(raw).present, decode_result_evidence(raw).raw) == (False, None)


def test_the_text_of_an_only_result_may_name_the_exit_code():
    result = {"type": "tool_result", "tool_use_id": "t", "is_error": True, "content": "Exit code 2\nno"}
    made = line(user("u", [result], toolUseResult={"stdout": ""}))
    assert (made.evidence.exit_code, made.evidence.stdout, made.evidence.raw) == (2, "", b'{"stdout": ""}')
    assert line(user("u", [result, result])).evidence.exit_code is None
