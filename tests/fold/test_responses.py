"""Lines of one message id without a request id: which are one answer (accounting.md 1)."""

from __future__ import annotations

import json

import pytest

from tests.fold.folding import fold


def assistant(uuid, parent=None, message_id="gw", prompt=10, request=None, **more):
    usage = {"input_tokens": prompt, "output_tokens": 1}
    message = {"id": message_id, "role": "assistant", "content": [{"type": "text", "text": "x"}], "usage": usage}
    named = {"requestId": request} if request else {}
    return {"type": "assistant", "uuid": uuid, "parentUuid": parent, "message": message, **named, **more}


def user(uuid="u", content="go", **more):
    return {"type": "user", "uuid": uuid, "message": {"role": "user", "content": content}, **more}


RESULT = user(content=[{"type": "tool_result", "tool_use_id": "t", "content": "done"}])


def keys(*records):
    data = "".join(json.dumps(one) + "\n" for one in records)
    return [row["answer_key"] for row in fold(data.encode())["token_usage"]]


def test_lines_that_follow_each_other_are_one_answer():
    assert keys(assistant("a"), assistant("b"), assistant("c", parent="b")) == ["a", "a", "a"]


@pytest.mark.parametrize("between", [user(), RESULT])
def test_a_prompt_or_a_result_between_ends_it(between):
    assert keys(assistant("a"), between, assistant("b", parent="u")) == ["a", "b"]


def test_a_line_that_names_its_parent_goes_on_across_a_result():
    assert keys(assistant("a"), RESULT, assistant("b", parent="a")) == ["a", "a"]


def test_text_that_the_client_puts_in_ends_nothing():
    assert keys(assistant("a"), user(isMeta=True), assistant("b")) == ["a", "a"]


@pytest.mark.parametrize(
    ("prompts", "expected"), [((10, 20), ["a", "b"]), ((0, 20), ["a", "a"]), ((20, 0), ["a", "a"])]
)
def test_prompts_of_other_sizes_are_other_answers_where_both_are_known(prompts, expected):
    assert keys(assistant("a", prompt=prompts[0]), assistant("b", parent="a", prompt=prompts[1])) == expected


def test_a_request_id_says_all_unless_a_line_without_one_came_before():
    assert keys(assistant("a", request="r"), assistant("b", request="r")) == [None, None]
    assert keys(assistant("a", request="r"), assistant("b")) == [None, "a"]
    assert keys(assistant("a"), assistant("b", request="r")) == ["a", "a"]
    assert keys(assistant("a"), assistant("b", request="r"), assistant("c", request="s")) == ["a", "a", None]


def test_sidechains_are_conversations_of_their_own():
    assert keys(assistant("a"), user(isSidechain=True), assistant("b")) == ["a", "a"]


def test_without_uuids_the_line_is_the_key():
    assert keys(assistant(None), assistant(None), user(), assistant(None)) == ["1", "1", "4"]


def test_a_copy_on_a_progress_line_bears_the_uuid_of_the_copied_entry():
    copied = assistant("a", request="r")
    data = json.dumps({"type": "progress", "uuid": "p", "data": {"type": "agent_progress", "message": copied}})
    (row,) = fold(data.encode() + b"\n")["token_usage"]
    assert (row["uuid"], row["answer_key"], row["carrier"]) == ("a", None, "progress")


def test_calls_know_their_prompt_folder_and_branch():
    where = {"cwd": "/w", "gitBranch": "main"}
    data = [user(promptId="p1", **where), assistant("a"), user(promptId="p2", cwd="/v"), assistant("b")]
    rows = fold("".join(json.dumps(one) + "\n" for one in data).encode())["token_usage"]
    found = [(row["prompt_id"], row["cwd"], row["git_branch"]) for row in rows]
    assert found == [("p1", "/w", "main"), ("p2", "/v", "main")]


def test_a_file_knows_its_copied_lines_and_what_goes_on_from_it():
    data = [
        assistant("a", forkedFrom={"sessionId": "s0", "messageUuid": "a"}),
        user(forkedFrom={"sessionId": "s0"}),
        assistant("b", forkedFrom="odd"),
        {"type": "continued-in", "sessionId": "s1", "continuedInSessionId": "s2"},
    ]
    folded = fold("".join(json.dumps(one) + "\n" for one in data).encode())
    assert [row["forked_from_session_id"] for row in folded["token_usage"]] == ["s0", None]
    assert (folded.facts.forked_line_count, folded.facts.continued_in_session_id) == (2, "s2")
    assert folded["entries"][-1]["class"] == "other"
