"""Signals beyond the exact rule, each with its carrier (parser.md 8.9)."""

from __future__ import annotations

import json

import pytest

from tests.fold.folding import fold
from tests.fold.signal_lines import (
    call,
    data_of,
    launching,
    notice,
    notice_text,
    queued,
    queued_command,
    receipt,
    record,
    result,
    said,
)

NAMES = ("signal", "target_kind", "agent_id", "status", "carrier", "strict")


def signals(*records):
    return [tuple(row[name] for name in NAMES) for row in fold(data_of(*records))["agent_signals"]]


def launched(kind, agent_id, carrier="call_result", strict=False):
    return ("launched", kind, agent_id, "", carrier, strict)


def ended(kind, agent_id, status, carrier, strict=False):
    return ("ended", kind, agent_id, status, carrier, strict)


ASYNC = {"isAsync": True, "status": "async_launched", "agentId": "k1", "description": "look around"}
K1 = (launching("T1", description="asked"), receipt("T1", "k1", evidence=ASYNC))
LAUNCH = launched("agent", "k1", strict=True)


def test_one_notice_in_three_carriers_has_one_notice_key():
    text = notice_text("k1", **{"tool-use-id": "T1", "summary": 'Agent "look around" completed'})
    rows = fold(data_of(*K1, queued(text), said(text + "\nRead it."), queued_command(text)))["agent_signals"]
    assert [tuple(row[name] for name in NAMES) for row in rows] == [
        LAUNCH,
        ended("agent", "k1", "completed", "queue_operation"),
        ended("agent", "k1", "completed", "user_text", strict=True),
        ended("agent", "k1", "completed", "queued_command", strict=True),
    ]
    assert len({row["notice_key"] for row in rows[1:]}) == 1
    assert len({row["key"] for row in rows}) == 4
    assert {row["tool_use_id"] for row in rows} == {"T1"}
    assert [row["description"] for row in rows] == ["look around"] + ['Agent "look around" completed'] * 3
    assert [row["seq"] for row in rows] == [0, 1, 2, 3]


def test_a_queue_line_may_hold_blocks():
    blocks = [{"type": "text", "text": "hello"}, {"type": "text", "text": notice_text("k1")}]
    assert signals(queued(blocks), queued(None), queued("hello")) == [ended(None, "k1", "completed", "queue_operation")]


def test_a_launch_without_the_flag_is_not_strict():
    assert signals(call("T1"), receipt("T1", "k1", evidence=ASYNC)) == [launched("agent", "k1")]


def test_a_nested_receipt_without_evidence():
    assert signals(call("T1"), receipt("T1", "k1")) == [launched("agent", "k1")]
    assert signals(launching("T1"), receipt("T1", "k1")) == [LAUNCH]


def test_a_foreground_agent_gives_no_signal():
    done = {"status": "completed", "agentId": "k1", "totalTokens": 5}
    assert signals(call("T1"), result("T1", "done, launched agentId: k1", evidence=done)) == []


def test_a_foreground_run_ends_an_agent_that_was_launched():
    done = {"status": "completed", "agentId": "k1"}
    again = (call("T2", resume="k1"), result("T2", "done", evidence=done))
    assert signals(*K1, *again) == [LAUNCH, ended("agent", "k1", "completed", "call_result")]


def test_going_on_with_an_agent_in_the_background_is_a_launch_and_a_resume():
    again = (launching("T2", resume="k1"), receipt("T2", "k1", evidence=ASYNC))
    assert signals(*K1, *again) == [LAUNCH, LAUNCH, ("resumed", "agent", "k1", "", "call_result", False)]


@pytest.mark.parametrize("flag", [{}, {"run_in_background": True}])
def test_a_background_shell(flag):
    evidence = {"stdout": "", "backgroundTaskId": "b12"}
    lines = (call("T1", "Bash", command="sleep 9", description="wait", **flag), result("T1", "x", evidence=evidence))
    assert signals(*lines) == [launched("shell", "b12")]
    assert fold(data_of(*lines))["agent_signals"][0]["description"] == "wait"


@pytest.mark.parametrize(
    "text",
    [
        "Command running in background with ID: b12. Output is being written to: /tmp/x",
        "Command was manually backgrounded by user with ID: b12. Output is",
        "Command running in background with ID: b12",
    ],
)
def test_a_background_shell_of_a_nested_agent(text):
    assert signals(call("T1", "Bash"), result("T1", text)) == [launched("shell", "b12")]
    assert signals(call("T1", "Bash"), result("T1", "$ " + text)) == []
    assert signals(call("T1", "Read"), result("T1", text)) == []


def test_a_notice_of_a_shell_that_was_launched_elsewhere_is_strict_as_well():
    text = notice_text("b12", "killed", summary='Background command "wait" was stopped')
    assert signals(said(text)) == [ended("shell", "b12", "killed", "user_text", strict=True)]


def test_the_launch_tells_the_kind_of_a_notice_without_summary():
    shell = (call("T1", "Bash"), result("T1", "x", evidence={"backgroundTaskId": "b12"}))
    assert signals(*shell, queued(notice_text("b12")))[1] == ended("shell", "b12", "completed", "queue_operation")


def test_a_workflow():
    evidence = {"status": "async_launched", "taskId": "w7", "runId": "wf_1", "taskType": "local_workflow"}
    lines = (call("T1", "Workflow", script="x"), result("T1", "x", evidence=evidence))
    assert signals(*lines) == [launched("workflow", "w7")]
    assert fold(data_of(*lines))["agent_signals"][0]["run_id"] == "wf_1"
    text = "Workflow launched in background. Task ID: w7\nSummary: x"
    assert signals(call("T1", "Workflow"), result("T1", text)) == [launched("workflow", "w7")]


def test_teammates_start_and_leave():
    spawned = {"status": "teammate_spawned", "agent_id": "ada@team", "name": "ada", "team_name": "team"}
    start = (call("T1", "Agent"), result("T1", "Spawned", evidence=spawned))
    system = '<teammate-message teammate_id="system">\n{}\n</teammate-message>'
    approval = '{"type":"shutdown_approved","from":"bob"}'
    own = f'<teammate-message teammate_id="bob" color="red">\n{approval}\n</teammate-message>'
    beat = '<teammate-message teammate_id="ada">\nteammate_terminated: bob\n</teammate-message>'
    assert signals(*start, said(beat), said(system.format("teammate_terminated: ada left")), said(own)) == [
        launched("teammate", "ada@team"),
        ended("teammate", "ada@team", "stopped", "teammate_message"),
        ended("teammate", "bob", "stopped", "teammate_message"),
    ]
    in_json = system.format('{"type":"teammate_terminated","message":"ada has shut down."}')
    assert signals(*start, said(in_json))[1:] == [ended("teammate", "ada@team", "stopped", "teammate_message")]


def test_a_monitor_and_its_events():
    text = "Monitor started (task m7, timeout 3600000ms). You will be notified on each event."
    event, end = notice_text("m7", ""), notice_text("m7", summary='Monitor "PR" stream ended')
    start = (call("T1", "Monitor", command="x"), result("T1", text))
    assert signals(*start, said(event), said(end)) == [
        launched("monitor", "m7"),
        ended("monitor", "m7", "completed", "user_text", strict=True),
    ]
    assert signals(call("T1", "Monitor"), result("T1", text, evidence={"taskId": "m7", "timeoutMs": 5})) == [
        launched("monitor", "m7")
    ]


@pytest.mark.parametrize(
    ("name", "evidence", "text", "expected"),
    [
        ("TaskStop", {"message": "Successfully stopped task: x1 (sleep 9)"}, "", ("x1", "stopped")),
        ("TaskStop", {"message": "Successfully stopped task: x1", "task_id": "x2"}, "", ("x2", "stopped")),
        ("TaskStop", None, '{"message":"Successfully stopped task: x1 (sleep 9)"}', ("x1", "stopped")),
        ("KillShell", {"message": "Successfully killed shell: x1 (pnpm dev)", "shell_id": "x1"}, "", ("x1", "killed")),
        (
            "KillBash",
            {"success": True, "message": "Successfully killed shell: x1", "shell_id": "x1"},
            "",
            ("x1", "killed"),
        ),
        ("KillBash", {"success": False, "message": "Successfully killed shell: x1", "shell_id": "x1"}, "", None),
        ("TaskStop", {"message": "Nothing to stop"}, "", None),
        ("TaskStop", None, "{broken", None),
    ],
)
def test_stopping(name, evidence, text, expected):
    found = signals(call("T1", name), result("T1", text, evidence=evidence))
    kind = "shell" if name.startswith("Kill") else None
    assert found == ([] if expected is None else [ended(kind, *expected, "stop_result")])


def test_stopping_what_is_over_tells_its_state():
    over = "Shell dce0af is not running, so cannot be killed (status: completed)"
    lines = (call("T1", "KillShell"), result("T1", over, evidence="Error: " + over, is_error=True))
    assert signals(*lines) == [ended("shell", "dce0af", "completed", "stop_result")]
    unknown = "<tool_use_error>No task found with ID: x1</tool_use_error>"
    assert signals(call("T1", "TaskStop", task_id="x1"), result("T1", unknown, is_error=True)) == []


@pytest.mark.parametrize(
    ("status", "retrieval"),
    [
        ("completed", "success"),
        ("failed", "success"),
        ("killed", "success"),
        ("running", "timeout"),
        ("running", "not_ready"),
    ],
)
def test_fetching_the_output(status, retrieval):
    task = {"task_id": "x1", "task_type": "local_bash", "status": status, "description": "d", "output": "..."}
    evidence = {"retrieval_status": retrieval, "task": task}
    head = f"<retrieval_status>{retrieval}</retrieval_status>\n\n<task_id>x1</task_id>"
    head += "\n\n<task_type>local_bash</task_type>"
    text = f"{head}\n\n<status>{status}</status>\n\n<output>\n<status>failed</status>\n</output>"
    expected = [] if status == "running" else [ended("shell", "x1", status, "output_result")]
    assert signals(call("T1", "TaskOutput", task_id="x1"), result("T1", text, evidence=evidence)) == expected
    assert signals(call("T1", "TaskOutput", task_id="x1"), result("T1", text)) == expected


def test_fetching_the_output_of_a_shell():
    text = "<status>completed</status>\n\n<exit_code>0</exit_code>\n\n<stdout>\nok\n</stdout>"
    evidence = {"shellId": "bash_1", "status": "completed", "stdout": "ok", "exitCode": 0}
    expected = [ended("shell", "bash_1", "completed", "output_result")]
    assert signals(call("T1", "BashOutput", bash_id="bash_1"), result("T1", text, evidence=evidence)) == expected
    assert signals(call("T1", "BashOutput", bash_id="bash_1"), result("T1", text)) == expected
    running = {**evidence, "status": "running"}
    assert signals(call("T1", "BashOutput", bash_id="bash_1"), result("T1", text, evidence=running)) == []


def test_a_message_that_resumes_an_agent():
    sent = {"success": True, "message": "Resumed", "resumedAgentId": "k1"}
    expected = [("resumed", "agent", "k1", "", "message_result", False)]
    assert signals(call("T1", "SendMessage", to="k1"), result("T1", "x", evidence=sent)) == expected
    assert signals(call("T1", "SendMessage", to="k1"), result("T1", json.dumps(sent))) == expected
    del sent["resumedAgentId"]
    assert signals(call("T1", "SendMessage", to="k1"), result("T1", "x", evidence=sent)) == []


def test_results_whose_call_is_not_in_the_file_are_read_by_their_evidence():
    assert signals(receipt("T1", "k1", evidence=ASYNC)) == [launched("agent", "k1")]
    assert signals(receipt("T1", "k1")) == []


def test_what_other_tools_return_is_not_believed():
    assert signals(call("T1", "mcp__x__y"), result("T1", "x", evidence=ASYNC)) == []
    assert signals(call("T1", "Read"), receipt("T1", "k1", evidence=ASYNC)) == []


def test_a_server_tool_that_moved_to_the_background():
    text = 'The call was moved to the background as task "x9".'
    assert signals(call("T1", "mcp__x__y"), result("T1", text)) == [launched(None, "x9")]
    assert signals(call("T1", "mcp__x__y"), result("T1", text, is_error=True)) == []


def test_a_task_status_attachment():
    status = {
        "type": "task_status",
        "taskId": "k1",
        "taskType": "local_agent",
        "description": "d",
        "status": "completed",
    }
    again = {**status, "status": "running"}
    assert signals(record("attachment", attachment=status), record("attachment", attachment=again)) == [
        ended("agent", "k1", "completed", "task_status")
    ]


def test_evidence_of_a_line_with_two_results_belongs_to_neither():
    blocks = [{"type": "tool_result", "tool_use_id": name, "content": "x"} for name in ("T1", "T2")]
    line = record("user", message={"content": blocks}, toolUseResult=ASYNC)
    assert signals(call("T1"), call("T2"), line) == []


def test_glued_records_carry_their_number():
    line = data_of(notice("k1", uuid="n1")).rstrip() + data_of(notice("k2", uuid="n2")).rstrip()
    rows = fold(line + b"\n")["agent_signals"]
    assert [(row["agent_id"], row["line_no"], row["record_no"], row["strict"]) for row in rows] == [
        ("k1", 1, 0, False),
        ("k2", 1, 1, False),
    ]


def test_a_shape_of_another_kind_is_not_an_error():
    odd = [
        call("T1", "TaskOutput"),
        result("T1", [5, None], evidence={"task": [1], "shellId": 5, "status": {}}),
        record("attachment", attachment=["task-notification"]),
        queued({"task-notification": 1}),
        said(None),
        record("user", message={"content": {"task-notification": 1}}),
    ]
    assert signals(*odd) == []


def test_the_notices_of_older_clients():
    text = (
        "<agent-notification>\n<agent-id>k1</agent-id>\n<output-file>/tmp/x</output-file>\n<status>completed</status>\n"
        '<summary>Agent "dig" completed.</summary>\nRead the output file.\n</agent-notification>'
    )
    assert signals(*K1, queued(text), said(text)) == [
        LAUNCH,
        ended("agent", "k1", "completed", "queue_operation"),
        ended("agent", "k1", "completed", "user_text"),
    ]
    shell = "<bash-notification>\n<shell-id>b1</shell-id>\n<status>failed</status>\n</bash-notification>"
    assert signals(queued(shell)) == [ended(None, "b1", "failed", "queue_operation")]
