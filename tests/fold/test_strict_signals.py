"""B-1 to B-3: the signals of one file, and what it shows as running."""

from __future__ import annotations

import pytest
from tracelake.fold.notices import strict_end

from tests.fold.folding import fold
from tests.fold.signal_lines import (
    RECEIPT,
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


def strict(*records):
    rows = fold(data_of(*records))["agent_signals"]
    return [(row["signal"], row["agent_id"], row["status"]) for row in rows if row["strict"]]


def running(*records):
    last = {agent_id: signal for signal, agent_id, _ in strict(*records)}
    return {agent_id for agent_id, signal in last.items() if signal == "launched"}


K1 = (launching("T1"), receipt("T1", "k1"))


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        (K1, {"k1"}),
        ((*K1, notice("k1", "running")), {"k1"}),
        ((*K1, notice("k1", "stopped")), set()),
        ((notice("k1"), *K1), {"k1"}),
        ((call("T2"), result("T2", "agentId: k2 launched")), set()),
        ((launching("T3"), result("T3", "agentId: k3 launched", is_error=True)), set()),
        ((launching("T4", flag="true"), receipt("T4", "k4")), {"k4"}),
        ((launching("T5", flag=1), receipt("T5", "k5")), set()),
    ],
)
def test_the_table_of_b3(records, expected):
    assert running(*records) == expected


def test_a_launch_names_the_agent_and_the_record():
    rows = fold(data_of(launching("T1", "Task"), receipt("T1", "a9-_X", uuid="r1")))["agent_signals"]
    assert [(row["signal"], row["agent_id"], row["status"], row["key"]) for row in rows] == [
        ("launched", "a9-_X", "", "r1:a9-_X")
    ]


def test_the_worked_key_of_a_notice_without_uuid():
    text = "<task-notification>\n<task-id>k9</task-id>\n<status>failed</status>\n</task-notification>"
    rows = fold(data_of({"type": "user", "message": {"content": text}}))["agent_signals"]
    assert [(row["agent_id"], row["status"], row["key"]) for row in rows] == [("k9", "failed", "8093bf18ebfd4ea5:k9")]


def test_a_notice_with_uuid_has_it_in_its_key():
    assert fold(data_of(notice("k1", uuid="n1")))["agent_signals"][0]["key"] == "n1:k1"


@pytest.mark.parametrize("status", ["completed", "failed", "killed", "stopped"])
def test_terminal_statuses(status):
    assert strict(notice("k1", status)) == [("ended", "k1", status)]


@pytest.mark.parametrize("status", ["running", "pending", "cancelled", "Completed", ""])
def test_other_statuses_emit_nothing(status):
    assert fold(data_of(notice("k1", status)))["agent_signals"] == []


def test_white_space_of_a_notice():
    assert strict_end("\u00a0\x85 <task-notification><task-id>\n k1\t</task-id><status> killed </status>") == (
        "k1",
        "killed",
    )
    assert strict_end("\x1c<task-notification><task-id>k1</task-id><status>killed</status>") is None
    assert strict_end("<task-notification><task-id>\vk1</task-id><status>killed</status>") == ("\vk1", "killed")
    assert strict_end("<task-notification><task-id>k 1</task-id><status>killed</status>") is None


def test_only_the_first_notice_of_a_text_is_strict():
    rows = fold(data_of(said(notice_text("k1") + "\n" + notice_text("k2", "failed"))))["agent_signals"]
    assert [(row["agent_id"], row["status"], row["strict"]) for row in rows] == [
        ("k1", "completed", True),
        ("k2", "failed", False),
    ]


def test_the_exact_rule_takes_each_first_match_of_the_whole_text():
    """The status of the second notice ends the agent of the first; our reading ends the second only."""
    rows = fold(data_of(said(notice_text("k1", "") + notice_text("k2", "failed"))))["agent_signals"]
    assert {(row["agent_id"], row["status"], row["strict"]) for row in rows} == {
        ("k1", "failed", True),
        ("k2", "failed", False),
    }


def test_notices_in_text_blocks_and_queued_commands():
    blocks = [{"type": "text", "text": "first"}, {"type": "text", "text": notice_text("k1")}]
    assert strict(record("user", message={"content": blocks}), queued_command(notice_text("k2", "killed"))) == [
        ("ended", "k1", "completed"),
        ("ended", "k2", "killed"),
    ]


def test_text_after_the_closing_tag():
    assert strict(said(notice_text("k1", after="\nRead the output file to retrieve the result"))) == [
        ("ended", "k1", "completed")
    ]


def test_lookalikes_are_no_signals():
    text = notice_text("k1")
    lookalikes = (
        call("T9", "Bash"),
        result("T9", text),
        record("assistant", message={"content": [{"type": "text", "text": text}]}),
        queued_command(text, mode="prompt"),
        said("Look: " + text),
        record("system", content=text),
    )
    assert fold(data_of(*lookalikes))["agent_signals"] == []


def test_queue_lines_are_beyond_the_exact_rule():
    rows = fold(data_of(queued(notice_text("k1"))))["agent_signals"]
    assert [(row["agent_id"], row["carrier"], row["strict"]) for row in rows] == [("k1", "queue_operation", False)]


def test_the_preface_of_the_client_is_beyond_the_exact_rule():
    rows = fold(data_of(said("[SYSTEM NOTIFICATION - NOT USER INPUT]\n" + notice_text("k1"))))["agent_signals"]
    assert [(row["agent_id"], row["strict"]) for row in rows] == [("k1", False)]


def test_one_bad_block_empties_the_list():
    """Section 2: a list with an element of the wrong type is no list for the exact rule."""
    good = {"type": "tool_use", "id": "T1", "name": "Agent", "input": {"run_in_background": True}}
    spoilt = record("assistant", message={"content": [good, {"type": "text", "text": 5}]})
    assert strict(spoilt, receipt("T1", "k1")) == []
    assert strict(record("assistant", message={"content": [good]}), receipt("T1", "k1")) == [("launched", "k1", "")]


def test_a_bad_element_in_a_receipt_empties_it():
    bodies = [{"type": "text", "text": RECEIPT.format("k1")}]
    assert strict(launching("T1"), result("T1", bodies)) == [("launched", "k1", "")]
    assert strict(launching("T1"), result("T1", [*bodies, "bare"])) == []
    assert strict(launching("T1"), result("T1", [*bodies, {"type": "text", "text": 5}])) == []


def test_the_first_body_that_says_launched_and_names_an_agent():
    bodies = [
        {"type": "text", "text": "agentId: k1"},
        {"type": "other", "text": "launched agentId: k2"},
        {"type": "text", "text": "launched agentId:\n\tk3 agentId: k4"},
    ]
    assert strict(launching("T1"), result("T1", bodies)) == [("launched", "k3", "")]


def test_the_answer_takes_the_call_off_the_list():
    assert strict(launching("T1"), result("T1", "no", is_error=True), receipt("T1", "k1")) == []


def test_lines_that_strict_reading_refuses_give_no_strict_signal():
    mistyped = {**notice("k1"), "timestamp": 5}
    rows = fold(data_of(mistyped))["agent_signals"]
    assert [(row["agent_id"], row["strict"]) for row in rows] == [("k1", False)]


def test_sidechain_meta_and_compaction_change_nothing():
    summary = record("user", isCompactSummary=True, message={"content": "Summary of it all"})
    boundary = record("system", subtype="compact_boundary")
    hidden = ({**entry, "isSidechain": True, "isMeta": True} for entry in K1)
    assert running(boundary, *hidden, boundary, summary) == {"k1"}


def test_a_launch_that_waits_in_an_earlier_file_is_not_seen():
    assert strict(receipt("T1", "k1")) == []


def test_agents_side_by_side():
    launches = [line for n in "1234" for line in (launching("T" + n), receipt("T" + n, "k" + n))]
    assert running(*launches, notice("k2", "failed"), notice("k4")) == {"k1", "k3"}
    parallel = [*launches[::2], *launches[1::2]]
    assert running(*parallel, notice("k1")) == {"k2", "k3", "k4"}


def test_a_line_that_strict_reading_refuses_leaves_the_whole_file_without_an_answer():
    """E-4: records without a uuid and blank lines are fine, an array is not; its signals are still rows."""
    assert fold(data_of({"type": "mode"}, b"  ", *K1)).facts.strict_error is None
    refused = fold(data_of({"type": "mode"}, b"[]", *K1))
    assert refused.facts.strict_error.startswith("line 2: ")
    assert [row["agent_id"] for row in refused["agent_signals"]] == ["k1"]
