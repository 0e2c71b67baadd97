"""T-5 and T-6: which calls ran, and what a hook said to those that did not."""

from __future__ import annotations

import io
import json

import pytest
from tracelake.decode.parse import decode_line
from tracelake.fold import held
from tracelake.fold.agents import FOLDS
from tracelake.fold.rows import Rows
from tracelake.fold.verdicts import hook_refusal_reason, is_hook_refusal, text_bodies
from tracelake.sources.lines import LineReader

from tests.fold.folding import fold
from tests.fold.signal_lines import call, data_of, record, result

VERDICT = ("ran", "ran_extended", "not_run_form", "hook_refusal_reason")
RAN = (True, True, None, None)
NO_RESULT = (False, False, None, None)


def verdicts(*records):
    rows = fold(data_of(*records))["tool_calls"]
    return [tuple(row[name] for name in VERDICT) for row in rows]


def verdict(text, is_error=True):
    return verdicts(call("t1", "Bash"), result("t1", text, is_error=is_error))[0]


FORMS = [
    ("N1", "PreToolUse:Edit hook error: no"),
    ("N2", "Tool call blocked by a PreToolUse hook: no"),
    ("N3", "The user doesn't want to proceed with this tool use."),
    ("N4", "Permission to use Bash with command x has been denied."),
    ("N5", "Claude requested permissions to use Bash, but you haven't granted it yet."),
    ("N6", "This command requires approval"),
    ("N7", "This Bash command contains multiple operations. The following part requires approval: rm x"),
    ("N8", "Tool permission request failed: x"),
    ("N9", "[Request interrupted by user for tool use]"),
    ("N10", "<tool_use_error>File does not exist."),
    ("N11", "Contains brace with quote character (expansion obfuscation)"),
]


@pytest.mark.parametrize(("form", "text"), FORMS)
def test_the_not_run_notices(form, text):
    reason = "no" if form == "N1" else None
    assert verdict(text) == (False, False, form, reason)
    assert verdict([{"type": "text", "text": text}]) == (False, False, form, reason)


@pytest.mark.parametrize(("form", "text"), FORMS[1:])
def test_without_is_error_the_call_ran_whatever_the_text_says(form, text):
    assert verdict(text, is_error=False) == RAN
    assert verdicts(call("t1"), result("t1", text)) == [RAN]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("ext:parts_require_approval", "The following parts require approval: a, b"),
        (
            "ext:parts_require_approval",
            "This Bash command contains multiple operations. The following parts require approval: a, b",
        ),
        ("ext:control_characters", "Contains control characters"),
        ("ext:unicode_whitespace", "Contains Unicode whitespace"),
        ("ext:backslash_whitespace", "Contains backslash-escaped whitespace"),
        ("ext:newline_hash", "Newline followed by # inside a quoted argument"),
        ("ext:permissions_requested", "Claude requested permissions to write to /srv/owl/a.md, but"),
        ("ext:prompt_aborted", "Permission prompt was aborted."),
    ],
)
def test_the_extended_forms_count_as_run_in_the_exact_answer(form, text):
    assert verdict(text) == (True, False, form, None)


@pytest.mark.parametrize(
    "text",
    [
        "exit status 2",
        " <tool_use_error>leading blank",
        "Error: <tool_use_error>",
        "PreToolUse:Edit went well",
        "Permission to use Bash was granted",
        " has been denied",
        None,
        [{"type": "image"}],
        [{"type": "other", "text": "<tool_use_error>"}],
        [{"type": "text", "text": "<tool_use_error>"}, "bare"],
    ],
)
def test_an_error_that_is_no_notice_ran(text):
    assert verdict(text) == RAN


def test_a_call_without_result_did_not_run():
    assert verdicts(call("t1"), call("", "Bash")) == [NO_RESULT, NO_RESULT]


def test_one_result_that_ran_is_enough_in_any_order():
    notice, done = result("t1", "<tool_use_error>x", is_error=True), result("t1", "done")
    for results in ((notice, done), (done, notice), (notice, notice, done)):
        assert verdicts(call("t1"), *results) == [RAN]
    assert verdicts(call("t1"), notice, notice) == [(False, False, "N10", None)]


def test_the_first_result_still_gives_the_body():
    rows = fold(data_of(call("t1"), result("t1", "<tool_use_error>x", is_error=True), result("t1", "done")))[
        "tool_calls"
    ]
    assert [(row["status"], row["result_text"], row["ran"]) for row in rows] == [("error", "<tool_use_error>x", True)]


def test_every_copy_of_a_call_has_the_verdict():
    notice, done = result("t1", "<tool_use_error>x", is_error=True), result("t1", "done")
    assert verdicts(call("t1"), notice, call("t1"), done, call("t1")) == [RAN, RAN, RAN]


def test_results_that_strict_readers_do_not_see_count_in_the_extended_answer_only():
    done = result("t1", "done")
    nameless = {key: value for key, value in done.items() if key != "uuid"}
    mistyped = {**done, "timestamp": 5}
    block = {"type": "tool_result", "tool_use_id": "t1", "content": "done"}
    spoilt = record("user", message={"content": [block, {"type": "text", "text": 5}]})
    for unseen in (nameless, mistyped, spoilt):
        assert verdicts(call("t1"), unseen) == [(False, True, None, None)]
        assert verdicts(call("t1"), unseen, done) == [RAN]
    glued = (json.dumps(done) + json.dumps(record("mode"))).encode()
    assert verdicts(call("t1"), glued) == [(False, True, None, None)]


def test_a_refusal_and_its_reason():
    """T-6: no is_error check, no trimming, everything after the first separator."""
    assert hook_refusal_reason("PreToolUse:Edit hook error: [lint.sh]: tabs found") == "[lint.sh]: tabs found"
    assert hook_refusal_reason("PreToolUse:A hook error:  x hook error: y ") == " x hook error: y "
    assert is_hook_refusal("PreToolUse: hook error: ")
    assert not is_hook_refusal(" PreToolUse:Edit hook error: x")
    assert hook_refusal_reason("PreToolUse:Edit fine") is None


def test_a_refusal_without_is_error_ran_and_has_a_reason():
    text = "PreToolUse:Edit hook error: [lint.sh]: tabs found"
    assert verdict(text, is_error=False) == (True, True, None, "[lint.sh]: tabs found")
    assert verdict([{"type": "text", "text": "x"}, {"type": "text", "text": text}], is_error=False) == (
        True,
        True,
        None,
        "[lint.sh]: tabs found",
    )


def test_text_bodies():
    """T-4: the example's other variant, empty texts included; a bad element empties the list."""
    parts = [
        {"type": "text", "text": "a"},
        {"type": "image"},
        {"type": "tool_reference", "text": "b"},
        {"type": "text"},
    ]
    assert text_bodies(json.dumps(parts).encode()) == ["a", ""]
    assert text_bodies(b'"one"') == ["one"]
    assert text_bodies(b"null") == text_bodies(b"") == text_bodies(b'{"text":"x"}') == []
    assert text_bodies(json.dumps([*parts, 5]).encode()) == []


def test_held_rows_beyond_the_spool_come_back_whole(monkeypatch):
    """Rows that wait for the end of the file go to disk and are handed over in portions."""
    monkeypatch.setattr(held, "SPOOL_BYTES", 2000)
    lines = [
        line
        for n in range(20)
        for line in (call(f"t{n}", "Bash", command="é" * 200), result(f"t{n}", "<tool_use_error>x", is_error=True))
    ]
    made = FOLDS["claude"](Rows(), False, frozenset())
    portions: list[list] = []

    def hand_over():
        portions.append(made.rows.tool_calls)
        made.rebind(Rows())

    made.on_full = hand_over
    for line in LineReader(io.BytesIO(data_of(*lines))):
        made.feed(line, decode_line(line.data, line.has_lf, made.form))
    made.finish()
    hand_over()
    rows = [row for portion in portions for row in portion]
    assert [row.tool_use_id for row in rows] == [f"t{n}" for n in range(20)]
    assert {(row.ran, row.not_run_form, json.loads(row.input_json)["command"]) for row in rows} == {
        (False, "N10", "é" * 200)
    }
    assert len(portions) > 2
