"""How each kind of Claude Code line is classified, and what of it becomes columns (parser.md 8.1 to 8.3)."""

import json
from datetime import UTC, datetime

import pytest
from tracelake.decode.claude_types import OTHER_TYPES, SYSTEM_SUBTYPES, TYPED_OTHER

from tests.fold.folding import fold


def entry(record, is_agent_file=False):
    """The row of one line."""
    (row,) = fold(json.dumps(record).encode() + b"\n", is_agent_file=is_agent_file)["entries"]
    return row


def user(content, **more):
    return {"type": "user", "message": {"role": "user", "content": content}, **more}


KNOWN = {
    "message": ("user", "assistant"),
    "system": ("system",),
    "attachment": ("attachment",),
    "control": (
        "mode", "permission-mode", "ai-title", "custom-title", "agent-name", "last-prompt", "bridge-session",
        "queue-operation", "pr-link",
    ),
    "other": (
        "progress", "file-history-snapshot", "summary", "result", "started", "worktree-state", "tool_use",
        "tool_result", "frame-link", "relocated", "function_call", "atis-latch", "topic", "cost-state", None,
    ),
    "unknown": ("brand-new", ""),
}  # fmt: skip
"""Every line type that real transcripts hold, and two that none does."""


@pytest.mark.parametrize(("named", "kind"), [(named, kind) for named, kinds in KNOWN.items() for kind in kinds])
def test_class(named, kind):
    assert entry({"type": kind, "x": 1})["class"] == named


def test_every_other_type_says_why():
    assert all(reason.strip() for reason in [*OTHER_TYPES.values(), *SYSTEM_SUBTYPES.values()])
    assert set(OTHER_TYPES) >= TYPED_OTHER


RESULT = [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]
NOTICE = "<task-notification><task-id>a</task-id></task-notification>"
USER_KINDS = [
    ("tool_result", user(RESULT, isMeta=True)),
    ("compact_summary", user("This session continues", isCompactSummary=True, isMeta=True)),
    ("meta", user(NOTICE, isMeta=True)),
    ("task_notification", user(NOTICE, origin={"kind": "peer"})),
    ("task_notification", user("done", origin={"kind": "task-notification"})),
    ("peer", user("<command-name>/x</command-name>", origin={"kind": "peer"})),
    ("coordinator", user("go on", origin={"kind": "coordinator"})),
    ("command", user("<command-name>/clear</command-name>")),
    ("command", user("<local-command-stdout>ok</local-command-stdout>")),
    ("interrupt", user("[Request interrupted by user for tool use]")),
    ("interrupt", user([{"type": "text", "text": "[Request interrupted by user]"}])),
    ("prompt", user("hello", origin={"kind": "human"})),
    ("prompt", user("hello", origin="human")),
    ("prompt", user("say <command-name>")),
    ("prompt", user([{"type": "text", "text": "hello"}, {"type": "image"}])),
]


@pytest.mark.parametrize(("kind", "record"), USER_KINDS)
def test_user_kind(kind, record):
    assert entry(record)["user_kind"] == kind


def test_the_first_user_line_of_an_agent_file_is_its_prompt():
    lines = [user("do this"), user("and that"), {"type": "assistant", "message": {"content": "x"}}]
    rows = fold("\n".join(map(json.dumps, lines)).encode(), is_agent_file=True)["entries"]
    assert [row["user_kind"] for row in rows] == ["subagent_prompt", "prompt", None]
    assert entry(user("do this"), is_agent_file=False)["user_kind"] == "prompt"
    assert entry(user(RESULT), is_agent_file=True)["user_kind"] == "tool_result"


def test_what_only_user_lines_say():
    row = entry(user("x", promptSource="typed", origin={"kind": "human"}, toolDenialKind="user-rejected"))
    assert (row["prompt_source"], row["origin"], row["tool_denial_kind"]) == (
        "typed", '{"kind": "human"}', "user-rejected",
    )  # fmt: skip
    row = entry(user("x"))
    assert (row["prompt_source"], row["origin"], row["tool_denial_kind"]) == (None, None, None)


CONTROLS = [
    ("mode", {"mode": "normal"}, {"mode": "normal"}),
    ("permission-mode", {"permissionMode": "plan"}, {"permission_mode": "plan"}),
    ("ai-title", {"aiTitle": "T"}, {"ai_title": "T"}),
    ("custom-title", {"customTitle": "C"}, {"custom_title": "C"}),
    ("agent-name", {"agentName": "N"}, {"agent_name": "N"}),
    ("last-prompt", {"leafUuid": "u", "lastPrompt": "do…"}, {"leaf_uuid": "u", "last_prompt": "do…"}),
    ("last-prompt", {"leafUuid": "u"}, {"leaf_uuid": "u", "last_prompt": None}),
    (
        "bridge-session", {"bridgeSessionId": "b", "lastSequenceNum": 0},
        {"bridge_session_id": "b", "last_sequence_num": 0},
    ),
    (
        "bridge-session", {"bridgeSessionId": "b", "lastSequenceNum": None},
        {"bridge_session_id": "b", "last_sequence_num": None},
    ),
    ("queue-operation", {"operation": "enqueue", "content": "later"}, {"operation": "enqueue", "content": "later"}),
    ("queue-operation", {"operation": "popAll"}, {"operation": "popAll", "content": None}),
    (
        "pr-link", {"prNumber": 7, "prUrl": "https://x/7", "prRepository": "o/r"},
        {"pr_number": 7, "pr_url": "https://x/7", "pr_repository": "o/r"},
    ),
]  # fmt: skip
PAYLOAD = (
    "mode", "permission_mode", "ai_title", "custom_title", "agent_name", "leaf_uuid", "last_prompt",
    "bridge_session_id", "last_sequence_num", "operation", "content", "value", "pr_number", "pr_url", "pr_repository",
)  # fmt: skip


@pytest.mark.parametrize(("kind", "given", "wanted"), CONTROLS)
def test_control_payloads_fill_their_columns_and_no_others(kind, given, wanted):
    row = entry({"type": kind, "sessionId": "s", **given})
    assert {name: row[name] for name in PAYLOAD} == {**dict.fromkeys(PAYLOAD), **wanted}
    assert (row["record_session_id"], row["uuid"], row["timestamp"]) == ("s", None, None)


@pytest.mark.parametrize("kind", ["brand-new", "cost-state", "worktree-state", "relocated", "frame-link", None])
def test_a_payload_without_columns_is_kept_whole(kind):
    record = {"type": kind, "payload": {"a": [1, None]}}
    assert json.loads(entry(record)["value"]) == record


@pytest.mark.parametrize("kind", ["mode", "user", "attachment", *sorted(TYPED_OTHER)])
def test_other_lines_are_not_repeated(kind):
    assert entry({"type": kind, "summary": "s"})["value"] is None


def test_a_new_subtype_of_a_system_line_keeps_its_record():
    record = {"type": "system", "subtype": "brand_new", "content": "c"}
    row = entry(record)
    assert (row["class"], row["subtype"], row["content"]) == ("system", "brand_new", "c")
    assert json.loads(row["value"]) == record
    assert [entry({"type": "system", "subtype": known})["value"] for known in SYSTEM_SUBTYPES] == [None] * len(
        SYSTEM_SUBTYPES
    )
    assert entry({"type": "system", "content": "c"})["value"] is None


def attachment(payload):
    return entry({"type": "attachment", "uuid": "u", "attachment": payload})


@pytest.mark.parametrize("kind", ["hook_success", "todo_reminder", "total_tokens_reminder", "brand_new"])
def test_attachments_keep_type_and_payload(kind):
    row = attachment({"type": kind, "content": ["x"]})
    assert (row["class"], row["attachment_type"]) == ("attachment", kind)
    assert json.loads(row["attachment_payload"]) == {"type": kind, "content": ["x"]}
    assert (row["queued_prompt"], row["command_mode"], row["queued_origin"], row["queued_at"]) == (None,) * 4


def test_a_queued_command_is_typed():
    row = attachment(
        {
            "type": "queued_command",
            "prompt": NOTICE,
            "commandMode": "task-notification",
            "origin": {"kind": "task-notification"},
            "timestamp": "2026-05-01T10:00:00.500Z",
        }
    )
    at = datetime(2026, 5, 1, 10, 0, 0, 500_000, tzinfo=UTC)
    assert (row["queued_prompt"], row["command_mode"]) == (NOTICE, "task-notification")
    assert (row["queued_origin"], row["queued_at"]) == ('{"kind": "task-notification"}', int(at.timestamp() * 1e6))


def test_a_queued_command_of_parts():
    parts = [{"type": "text", "text": "see"}, {"type": "image", "source": {}}, {"type": "text", "text": "this"}]
    row = attachment({"type": "queued_command", "prompt": parts, "commandMode": "prompt"})
    assert (row["queued_prompt"], row["command_mode"]) == ("see\nthis", "prompt")
    assert (row["queued_origin"], row["queued_at"]) == (None, None)
    assert attachment({"type": "queued_command", "prompt": 5, "commandMode": None})["queued_prompt"] is None


@pytest.mark.parametrize("payload", [None, "text", 5, [], {"type": 5}, {}])
def test_strange_attachments_are_kept(payload):
    row = attachment(payload)
    assert (row["class"], row["attachment_type"]) == ("attachment", None)
    assert row["attachment_payload"] == (None if payload is None else json.dumps(payload))


def test_progress():
    row = entry(
        {
            "type": "progress",
            "toolUseID": "hook-1",
            "parentToolUseID": "toolu_1",
            "data": {"type": "hook_progress", "hookEvent": "PostToolUse"},
        }
    )
    assert (row["class"], row["subtype"]) == ("other", "hook_progress")
    assert (row["tool_use_id"], row["parent_tool_use_id"]) == ("hook-1", "toolu_1")
    assert [entry({"type": "progress", "data": data})["subtype"] for data in (None, 3, {}, {"type": 3})] == [None] * 4


def test_a_call_failed_where_its_result_is_an_error_or_states_another_exit_code_than_0():
    def pair(number, is_error, evidence):
        used = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "x", "is_error": is_error}
        return [
            {"type": "assistant", "uuid": f"a{number}", "message": {"role": "assistant", "content": [used]}},
            {"type": "user", "uuid": f"u{number}", "message": {"content": [result]}, "toolUseResult": evidence},
        ]

    records = [*pair(1, True, "Error"), *pair(2, False, {"exitCode": 1}), *pair(3, False, {"exitCode": 0})]
    rows = fold("".join(json.dumps(one) + "\n" for one in records).encode())["tool_calls"]
    assert [(row["status"], row["failed"]) for row in rows] == [("error", True), ("ok", True), ("ok", False)]
