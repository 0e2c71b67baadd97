"""The entry model and the readers over a message (E-1 to E-12, T-1 to T-7), with the specification's examples."""

from __future__ import annotations

import json

import pytest

from tests.fold.folding import fold


def data_of(*lines) -> bytes:
    """Records (or raw bytes) as lines."""
    return b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)


def entries(*lines):
    return fold(data_of(*lines))["entries"]


def strict(*lines):
    """What the readers see: lines with status ok and a uuid."""
    return [row for row in entries(*lines) if row["status"] == "ok" and row["uuid"] is not None]


def said(content, kind="assistant", uuid="u1", **more):
    return {"type": kind, "uuid": uuid, "message": {"role": kind, "content": content}, **more}


def text(content, kind="assistant"):
    return strict(said(content, kind))[0]["text"]


def test_e1_every_physical_line_has_a_number():
    rows = fold(b'{"uuid":"A"}\n\n{bad\n{"uuid":"B"}')["entries"]
    assert [(row["line_no"], row["uuid"], row["status"]) for row in rows] == [
        (1, "A", "ok"), (2, None, "blank"), (3, None, "bad_json"), (4, "B", "ok")]  # fmt: skip


def test_e1_a_trailing_cr_is_dropped_and_nothing_but_lf_ends_a_line():
    rows = fold(b'{"uuid":"A"}\r\n{"uuid":\r"B","cwd":"\xe2\x80\xa8"}\n')["entries"]
    assert [(row["line_no"], row["uuid"], row["cwd"]) for row in rows] == [(1, "A", None), (2, "B", "\u2028")]


def test_e2_the_first_line_over_the_limit_is_noted_and_what_was_before_it_stands():
    before = [{"type": "mode"}, {"uuid": "u", "cwd": "/w"}, {"uuid": "v", "parentUuid": "u"}]
    made = fold(data_of(*before, b'{"uuid":"w","x":"' + b"x" * 20_000_000 + b'"}', {"uuid": "z"}))
    assert made.facts.first_oversize_line == 4
    assert made.facts.start_cwd == "/w"
    assert [row["status"] for row in made["entries"]] == ["ok", "ok", "ok", "oversize", "ok"]
    assert made.facts.strict_error.startswith("line 4: line over 16 MiB")


@pytest.mark.parametrize(
    "line",
    [
        b'{"uuid":"u1","type":"user","timestamp":1700000000}',
        b'{"uuid":"u1","isMeta":"yes"}',
        b'{"uuid":"u1","hookErrors":[{}]}',
        b'{"uuid":"u1","parentUuid":1}',
        b"[1]",
        b'"text"',
        b"7",
        b"{bad",
        b'{"uuid":"u1","x":NaN}',
    ],
)
def test_e3_a_line_that_strict_reading_skips_is_there_with_its_reason(line):
    """D16: a well-formed line with one mistyped field is hidden from the exact answers, not from the lake."""
    (row,) = entries(line)
    assert row["status"] != "ok"
    assert len(row["error"]) > 5
    assert "\n" not in row["error"]
    assert fold(line + b"\n").facts.strict_error == f"line 1: {row['error']}"
    assert strict(line) == []


def test_e3_what_can_be_read_of_it_is_kept():
    (row,) = entries(b'{"uuid":"u1","type":"user","timestamp":1700000000,"message":{"content":"hi"}}')
    assert (row["status"], row["error"]) == ("bad_type", "timestamp has type number, expected string")
    assert (row["uuid"], row["type"], row["text"]) == ("u1", "user", "hi")


KEPT = (
    "type", "timestamp", "sessionId", "cwd", "subtype", "parentUuid", "logicalParentUuid", "isSidechain", "isMeta",
    "isCompactSummary", "isVisibleInTranscriptOnly", "hookErrors", "message", "toolUseResult", "attachment",
)  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_e3_null_is_the_zero_value_of_every_kept_field(name):
    (row,) = strict({"uuid": "u1", name: None})
    assert (row["line_no"], row["status"]) == (1, "ok")


def test_e3_a_line_that_is_null_is_an_empty_record_and_no_entry():
    (row,) = entries(b"null")
    assert (row["status"], row["uuid"]) == ("ok", None)


def test_e4_any_other_line_makes_strict_reading_refuse_the_file():
    assert fold(data_of({"type": "mode"}, b"", b"[]")).facts.strict_error == "line 3: a JSON array, not an object"
    assert fold(data_of({"type": "mode"}, b"  ")).facts.strict_error is None


@pytest.mark.parametrize(
    "kind",
    ["custom-title", "ai-title", "mode", "queue-operation", "last-prompt", "summary", "file-history-snapshot"],
)
def test_e5_bookkeeping_lines_are_no_entries_but_have_a_number(kind):
    lines = ({"type": kind, "sessionId": "s"}, {"type": "user", "uuid": "u1"})
    assert [(row["line_no"], row["uuid"]) for row in strict(*lines)] == [(2, "u1")]
    assert entries(*lines)[0]["record_session_id"] == "s"
    assert strict({"type": kind, "uuid": ""}) == []


def test_e6_the_fields_of_an_entry():
    (row,) = strict(
        {
            "type": "user", "uuid": "u1", "parentUuid": None, "logicalParentUuid": "l", "timestamp": "noon",
            "isSidechain": True, "isMeta": True, "isCompactSummary": True, "isVisibleInTranscriptOnly": True,
            "cwd": "/w", "message": {"content": "x"},
        }
    )  # fmt: skip
    names = ("type", "uuid", "parent_uuid", "logical_parent_uuid", "timestamp", "timestamp_text", "cwd")
    assert [row[name] for name in names] == ["user", "u1", None, "l", None, "noon", "/w"]
    flags = ("is_sidechain", "is_meta", "is_compact_summary", "is_visible_in_transcript_only")
    assert [row[name] for name in flags] == [True] * 4
    (bare,) = strict({"uuid": "u1"})
    assert [bare[name] for name in flags] == [False] * 4


def test_e7_an_unknown_type_keeps_its_name():
    (row,) = strict({"uuid": "p1", "type": "progress"})
    assert (row["type"], row["uuid"]) == ("progress", "p1")
    assert strict({"uuid": "p1", "type": "new thing"})[0]["type"] == "new thing"


STOPPED = {"type": "system", "subtype": "stop_hook_summary", "uuid": "h1"}


def test_e8_the_outcome_of_stop_hooks():
    def outcome(**more):
        return [(row["stop_hook_refused"], row["stop_hook_reasons"]) for row in strict({**STOPPED, **more})]

    assert outcome(hookErrors=["fmt failed"]) == [(True, ["fmt failed"])]
    assert outcome(hookErrors=[]) == outcome() == [(False, [])]
    assert outcome(hookErrors=["x"], subtype="other") == [(None, None)]
    assert outcome(hookErrors=["x"], type="user") == [(None, None)]
    assert outcome(hookErrors=[{"reason": "x"}]) == []
    (hidden,) = entries({**STOPPED, "hookErrors": [{"reason": "x"}]})
    assert hidden["error"] == "hookErrors has type array, expected list of strings"


def test_e9_an_empty_parent_is_a_parent():
    assert fold(data_of({"uuid": "a", "parentUuid": ""})).facts.root is None
    assert fold(data_of({"uuid": "a"})).facts.root == ("a", None, None)
    assert fold(data_of({"uuid": "a", "parentUuid": None})).facts.root == ("a", None, None)


def test_e10_inlined_sidechain_entries_are_read_and_marked():
    lines = [said("x", uuid=f"m{n}") for n in range(3)] + [said("x", uuid=f"s{n}", isSidechain=True) for n in range(2)]
    rows = strict(*lines)
    assert (len(rows), sum(not row["is_sidechain"] for row in rows)) == (5, 3)


def test_e11_an_empty_file_is_an_empty_success():
    made = fold(b"")
    assert (made["entries"], made.facts.lines, made.facts.strict_error) == ([], 0, None)


def test_e12_entries_keep_their_physical_number():
    lines = ({"type": "mode"}, {"uuid": "a"}, b"", b"{bad", {"uuid": "b"}, {"uuid": "c"})
    assert [row["line_no"] for row in strict(*lines)] == [2, 5, 6]


USE = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ([{"type": "text", "text": "one"}, USE, {"type": "thinking"}, {"type": "text", "text": "two"}], "one\ntwo"),
        ("as it is ", "as it is "),
        ([{"type": "text", "text": ""}, {"type": "text", "text": "x"}, {"type": "text"}], "x"),
        ([{"type": "other", "text": "x"}], None),
        ([], None),
        (None, None),
        ({"text": "x"}, None),
    ],
)
def test_t1_assistant_text(content, expected):
    assert text(content) == expected


def test_t1_only_assistant_lines_have_assistant_text():
    assert strict(said("x", "system"))[0]["text"] is None


@pytest.mark.parametrize("bad", ["bare", 7, {"type": "text", "text": 5}, {"type": 1}, {"type": "tool_use", "id": 2}])
def test_one_bad_block_spoils_the_list_and_that_can_be_seen(bad):
    """T-1 to T-4: the strict readers take the whole list as empty; its blocks are there and say so."""
    rows = fold(data_of(said([{"type": "text", "text": "a"}, bad])))["blocks"]
    assert [row["list_valid"] for row in rows] == [False, False]
    assert fold(data_of(said([{"type": "text", "text": "a"}, USE])))["blocks"][0]["list_valid"] is True


def test_t2_calls_in_order_with_their_raw_input():
    first = b'{"type":"tool_use","id":"t1","name":"Read","input":{"b": 1,  "a":[]}}'
    second = b'{"type":"tool_use","id":"","name":"Bash","input":{}}'
    line = b'{"type":"assistant","uuid":"u","message":{"content":[' + first + b"," + second + b"]}}\n"
    rows = fold(line)["tool_calls"]
    assert [(row["tool_name"], row["input_json"], row["tool_use_id"]) for row in rows] == [
        ("Read", '{"b": 1,  "a":[]}', "t1"),
        ("Bash", "{}", ""),
    ]


def test_t3_an_id_needs_no_name_and_a_call_needs_one():
    made = fold(data_of(said([{"type": "tool_use", "id": "t1"}, {"type": "tool_use", "name": "Bash", "id": ""}])))
    ids = [row["tool_use_id"] for row in made["blocks"] if row["type"] == "tool_use" and row["tool_use_id"]]
    assert ids == ["t1"]
    assert [row["tool_name"] for row in made["tool_calls"] if row["tool_name"]] == ["Bash"]


def test_t3_the_type_of_the_entry_is_not_looked_at():
    (row,) = fold(data_of(said([USE], kind="user")))["blocks"]
    assert (row["tool_use_id"], row["role"]) == ("t1", "user")


def result(call_id, content, **more):
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def verdicts(*results):
    calls = said([USE], uuid="c")
    rows = fold(data_of(calls, *(said([one], "user", uuid="r") for one in results)))["tool_calls"]
    return [(row["ran"], row["not_run_form"]) for row in rows]


def test_t5_ran():
    error = "<tool_use_error>File does not exist."
    assert verdicts(result("t1", error, is_error=True)) == [(False, "N10")]
    assert verdicts(result("t1", error, is_error=False)) == [(True, None)]
    assert verdicts(result("t1", "exit status 2", is_error=True)) == [(True, None)]
    assert verdicts() == [(False, None)]


def test_t6_refusal():
    def reason(body):
        row = fold(data_of(said([USE], uuid="c"), said([result("t1", body)], "user")))["tool_calls"][0]
        return row["hook_refusal_reason"]

    assert reason("PreToolUse:Edit hook error: [lint.sh]: tabs found") == "[lint.sh]: tabs found"
    assert reason(" PreToolUse:Edit hook error: x") is None


def test_t7_only_genuine_results_of_a_line_count():
    """Line 9 of the example: two results, one of Bash, one of Agent; only the first is the machine's own output."""
    calls = said([{**USE, "id": "t1"}, {**USE, "id": "t2", "name": "Agent"}], uuid="c")
    both = said([result("t1", "ok 3/3"), result("t2", "done")], "user")
    rows = [row for row in fold(data_of(calls, both))["citations"] if row["pool"] == "tool_result" and row["citable"]]
    assert [(row["line_no"], row["text"]) for row in rows] == [(2, "ok 3/3")]


@pytest.mark.parametrize(("content", "texts"), [("", [""]), (None, [""]), ([{"type": "image"}], [])])
def test_t7_an_empty_result_is_one_and_a_list_of_images_is_none(content, texts):
    rows = fold(data_of(said([USE], uuid="c"), said([result("t1", content)], "user")))["citations"]
    assert [row["text"] for row in rows if row["pool"] == "tool_result" and row["citable"]] == texts
