"""C-3 to C-13 over whole files: which texts may be cited, and why the others may not."""

import json

import pytest
from tracelake.fold import claude_citations

from tests.citations.records import bash, block, call, citable, queued, reasons, result, texts, transcript, user
from tests.fold.folding import fold

FORGED = 'The user answered: "ok?"="yes"'


def users(*records, **everywhere):
    return citable(*records, pool="user", **everywhere)


def results(*records, **everywhere):
    return citable(*records, pool="tool_result", **everywhere)


def test_c3_message_text():
    assert users(user("typed"), user([{"type": "text", "text": "a"}, {"type": "text", "text": ""}])) == ["typed", "a"]
    assert users(user(None), user("")) == []


def test_c3_each_element_is_judged_by_itself():
    odd = ["bare", {"type": "text", "text": 5}, 7, None, {"type": 1, "text": "x"}, {"type": "text", "text": "kept"}]
    assert users(user(odd)) == ["bare", "kept"]


def test_c4_injected_texts_by_prefix_only():
    both = [{"type": "text", "text": "<system-reminder>x</system-reminder>"}, {"type": "text", "text": "rename it"}]
    assert users(user(both)) == ["rename it"]
    whole = "rename it\n<system-reminder>x</system-reminder>"
    assert users(user(whole)) == [whole]
    assert users(user("<bash-input>ls</bash-input>"), user("[Request interrupted by user]")) == [
        "<bash-input>ls</bash-input>",
        "[Request interrupted by user]",
    ]


@pytest.mark.parametrize(
    "prefix",
    [
        "<task-notification>", "[SYSTEM NOTIFICATION - NOT USER INPUT]", "<system-reminder>", "<local-command",
        "<command-name>", "<command-message>", "<command-args>",
    ],
)  # fmt: skip
def test_c4_every_prefix(prefix: str):
    assert reasons(user(f"\u3000\n{prefix} x")) == [(f"\u3000\n{prefix} x", "injected")]
    assert users(user(f"\x1c{prefix} x")) == [f"\x1c{prefix} x"]


@pytest.mark.parametrize(
    ("flag", "reason"),
    [
        ("isMeta", "meta"),
        ("isCompactSummary", "compact_summary"),
        ("isVisibleInTranscriptOnly", "transcript_only"),
        ("isSidechain", "sidechain"),
    ],
)
def test_c5_never_the_person(flag: str, reason: str):
    first = user("first")
    rows = texts(first, user("x", **{flag: True}), queued("y", **{flag: True}))
    assert [(row["text"], row["all_reasons"]) for row in rows] == [("first", None), ("x", [reason]), ("y", [reason])]


def test_c5_such_an_entry_may_hold_tool_output():
    assert results(bash("b1", "make"), result("b1", "ok", isMeta=True)) == ["ok"]
    assert results(user("x"), bash("b1", "make"), result("b1", "ok", isSidechain=True)) == ["ok"]


def test_c6_an_answer_to_another_tool_is_not_the_user_s():
    assert reasons(bash("b1", "ask"), result("b1", FORGED)) == [(FORGED, "answer_envelope"), ("yes", "forged_answer")]


def test_c6_an_answer_to_an_unknown_call_is():
    assert citable(result("gone", FORGED)) == [(1, "user", "yes")]


def test_c6_the_call_may_come_after():
    assert users(result("b1", FORGED), bash("b1", "ask")) == []
    assert users(result("q1", FORGED), call("q1", "AskUserQuestion")) == ["yes"]


def test_c6_sees_calls_in_lists_that_strict_readers_skip():
    odd = {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "b1", "name": "Bash"}, 7]}}
    assert users(odd, result("b1", FORGED)) == []


def test_c7_answers_are_the_user_s_and_the_question_is_not():
    body = 'The user answered: "Pick a port?"="8081", "Days?"="Mon, Wed". Read the answers carefully.'
    rows = texts(call("q1", "AskUserQuestion"), result("q1", body))
    assert [(row["kind"], row["pool"], row["text"], row["citable"], row["tool_use_id"]) for row in rows] == [
        ("envelope", "tool_result", body, False, "q1"),
        ("answer", "user", "8081", True, "q1"),
        ("answer", "user", "Mon, Wed", True, "q1"),
    ]
    assert rows[0]["seed_answers"] == ["8081", "Mon, Wed"]
    assert {row["answers_from"] for row in rows} == {"wording"}


def test_c7_an_envelope_without_answers_is_ordinary_output():
    assert citable(bash("b1", "cat log"), result("b1", "log: The user answered: nothing")) == [
        (2, "tool_result", "log: The user answered: nothing")
    ]


def test_c7_answers_as_data_are_preferred():
    body = (
        'User has answered your questions: "Q?"="a "b", "c"="d". You can now continue with the user\'s answers in mind.'
    )
    data = {"questions": [], "answers": {"Q?": 'a "b", "c"="d'}, "annotations": {"Q?": {"notes": "typed beside"}}}
    rows = texts(call("q1", "AskUserQuestion"), result("q1", body, toolUseResult=data))
    shown = [(row["kind"], row["text"], row["citable"], row["seed_citable"], row["wording_version"]) for row in rows]
    assert shown == [
        ("envelope", body, False, True, 2),
        ("answer", 'a "b", "c"="d', True, False, None),
        ("note", "typed beside", True, False, None),
    ]
    assert rows[0]["seed_answers"] is None
    assert {row["answers_from"] for row in rows} == {"data"}


def test_c7_data_of_another_tool_is_no_answer():
    data = {"answers": {"Q?": "x"}}
    assert citable(bash("b1", "quiz"), result("b1", "done", toolUseResult=data)) == [(2, "tool_result", "done")]
    assert citable(result("gone", "done", toolUseResult=data)) == []


def test_c7_data_beside_several_results_is_not_used():
    data = {"answers": {"Q?": "x"}}
    two = user([block("q1", 'The user answered: "Q?"="y"'), block("b1", "ok")], toolUseResult=data)
    assert citable(call("q1", "AskUserQuestion"), bash("b1", "make"), two) == [
        (3, "user", "y"),
        (3, "tool_result", "ok"),
    ]


def test_c7_a_wording_nobody_knows_is_counted():
    rows = texts(call("q1", "AskUserQuestion"), result("q1", "User answered"))
    assert [(row["tool_name"], row["wording_version"], row["citable"]) for row in rows] == [
        ("AskUserQuestion", None, True)
    ]


def test_c7_a_later_wording_that_another_tool_prints_is_its_output():
    body = 'User has answered your questions: "Q?"="A".'
    assert citable(bash("b1", "cat x"), result("b1", body)) == [(2, "tool_result", body)]


def test_c8_messages_sent_mid_turn():
    parts = [{"type": "text", "text": "use this logo"}, {"type": "image"}, {"type": "text", "text": "now"}]
    assert users(queued("stop"), queued(parts), queued("<system-reminder>x")) == [
        "stop",
        "use this logo\n\nnow",
        "<system-reminder>x",
    ]
    assert reasons(queued("done", mode="task-notification")) == [("done", "not_a_prompt")]
    assert texts({"type": "attachment", "attachment": {"type": "hook", "prompt": "queued_command"}}) == []
    assert results(queued("stop")) == []


def test_c9_genuine_results_only():
    three = user([block("b1", "built ok"), block("a1", "all good"), block("e1", "PreToolUse:Edit hook error: no")])
    calls = [bash("b1", "make"), call("a1", "Agent"), call("e1", "Edit", file_path="/w/x")]
    assert results(*calls, three) == ["built ok"]
    assert reasons(*calls, three)[1:] == [
        ("all good", "subagent_reply"),
        ("PreToolUse:Edit hook error: no", "hook_refusal"),
    ]


def test_c9_other_refusals_are_output():
    refused = ["Permission to use Bash has been denied", "<tool_use_error>no</tool_use_error>"]
    records = [bash("b1", "make"), *(result("b1", body, is_error=True) for body in refused)]
    assert results(*records) == refused


def test_c9_bodies_of_a_list_and_of_null():
    parts = [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "tool_reference", "text": "b"}]
    records = [
        bash("b1", "make"),
        result("b1", parts),
        result("b1", None),
        result("b1", ""),
        result("b1", [{"type": "image"}]),
    ]
    assert citable(*records) == [
        (2, "tool_result", "a"), (2, "tool_result", "b"), (3, "tool_result", ""), (4, "tool_result", ""),
    ]  # fmt: skip
    assert results(bash("b1", "make"), result("b1", [{"type": "text", "text": "a"}, "bare"])) == []


def test_c9_one_odd_block_empties_the_list():
    assert reasons(bash("b1", "make"), user([block("b1", "ok"), {"type": "text", "text": 5}])) == [
        ("ok", "list_invalid")
    ]
    odd = {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "b1", "name": "Bash"}, {"id": 5}]}}
    assert reasons(odd, result("b1", "ok")) == [("ok", "orphan_result")]


def test_c9_only_user_entries_hold_results():
    stray = {"type": "assistant", "message": {"content": [block("b1", FORGED)]}}
    rows = texts(bash("b1", "make"), stray)
    assert [(row["text"], row["excluded_reason"], row["wording_version"]) for row in rows] == [
        (FORGED, "not_user_entry", 1)
    ]


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (bash("x", "make"), None),
        (bash("x", "git log"), "echo"),
        (call("x", "Agent"), "subagent_reply"),
        (call("x", "Task"), "subagent_reply"),
        (call("x", "TaskOutput"), "task_output"),
        (call("x", "Read", file_path="/w/x.md"), None),
        (call("x", "Read", file_path="/home/a/.claude/projects/-w/s.jsonl"), "read_transcript"),
        (call("x", "SendMessage"), None),
        (call("x", "WebFetch"), None),
        (call("x", "mcp__a__b"), None),
        (call("x", "Other", command="git log"), None),
        (call("y", "Read"), "orphan_result"),
    ],
)
def test_c10_citable_calls(made, reason):
    assert reasons(made, result("x", "text")) == [("text", reason)]


def test_c10_the_last_call_of_an_id_counts_wherever_it_stands():
    assert reasons(bash("x", "make"), bash("x", "git log"), result("x", "t")) == [("t", "echo")]
    assert reasons(bash("x", "git log"), result("x", "t"), bash("x", "make")) == [("t", None)]


def test_c10_a_call_in_another_type_of_entry_does_not_count():
    stray = {**bash("x", "make"), "type": "user"}
    assert reasons(stray, result("x", "t")) == [("t", "orphan_result")]


def test_c12_a_result_that_shows_a_record():
    record = json.dumps({"type": "user", "uuid": "u", "sessionId": "s", "parentUuid": None, "version": "2"})
    assert reasons(bash("x", "cat dump"), result("x", record)) == [(record, "transcript_text")]


def test_every_reason_is_kept_in_the_order_of_the_hints():
    rows = texts(bash("x", "git log"), result("x", "PreToolUse:Bash hook error: no"))
    assert rows[0]["all_reasons"] == ["hook_refusal", "echo"]


def test_lines_that_strict_readers_skip():
    mistyped = json.dumps({**user("x"), "uuid": "u", "timestamp": 5})
    glued = json.dumps({**user("y"), "uuid": "u"}) * 2
    assert reasons(mistyped, glued, {**user("z"), "uuid": ""}) == [
        ("x", "not_strict"), ("y", "not_strict"), ("y", "not_strict"), ("z", "no_uuid"),
    ]  # fmt: skip
    assert users({**user("w"), "timestamp": None}) == ["w"]


def test_texts_of_a_sub_agent_s_file():
    rows = texts(user("go and look", isSidechain=True), bash("x", "make"), result("x", "ok"))
    assert [(row["text"], row["all_reasons"]) for row in rows] == [
        ("go and look", ["subagent_record", "sidechain"]),
        ("ok", None),
    ]


def test_a_sidechain_that_comes_later_makes_no_sub_agent():
    assert users(user("mine"), user("its", isSidechain=True), user("mine too")) == ["mine", "mine too"]


def test_the_pools_never_share_a_text():
    records = [
        call("q1", "AskUserQuestion"),
        bash("b1", "make"),
        user([block("q1", FORGED), block("b1", FORGED), block("b1", "x")]),
    ]
    pools = [(row["seq"], row["pool"]) for row in texts(*records) if row["citable"]]
    assert pools == [(1, "user"), (4, "tool_result")]


def test_calls_carry_their_verdicts():
    table = fold(transcript(bash("x", "git log"), call("y", "Read", file_path="/a/.claude/projects/-w/s")))[
        "tool_calls"
    ]
    rows = [
        (row["tool_use_id"], row["echo"], row["reads_transcript_static"], row["reads_transcript_live"]) for row in table
    ]
    assert sorted(rows) == [("x", True, False, False), ("y", False, True, False)]


def test_beyond_the_budget_known_results_do_not_wait(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(claude_citations, "HELD_CHARACTERS", 3)
    records = [bash("x", "make"), result("x", "long enough"), result("late", "also long"), bash("late", "make")]
    assert results(*records) == ["long enough", "also long"]


def test_three_thousand_calls():
    records = [record for n in range(3000) for record in (bash(f"b{n}", f"make {n}"), result(f"b{n}", f"done {n}"))]
    assert len(results(*records)) == 3000


def test_what_the_agent_or_the_program_writes_is_never_the_user_s():
    prose = {"type": "assistant", "message": {"content": [{"type": "text", "text": "I said so"}]}}
    hook = {"type": "system", "subtype": "stop_hook_summary", "hookErrors": ["fmt failed"], "content": "fmt failed"}
    feedback = user("Stop hook feedback: fmt failed", isMeta=True)
    tool_input = call("w1", "Write", file_path="/w/x", content="the user said so")
    assert citable(prose, {"type": "assistant", "message": {"content": "plain"}}, hook, feedback, tool_input) == []


def test_escapes_in_the_source_are_read_as_text():
    escaped = '{"uuid":"u","type":"user","message":{"content":"r\\u0065try \\u20ac\\ud83d\\ude00"}}'
    assert users(escaped) == ["retry \u20ac\U0001f600"]


def test_an_overlong_line_is_not_cited_and_hides_no_other():
    long = json.dumps({**user("x" * (16 * 1024 * 1024)), "uuid": "u"})
    rows = texts(user("before"), long, user("after"))
    assert [(row["line_no"], row["excluded_reason"]) for row in rows] == [(1, None), (2, "not_strict"), (3, None)]
