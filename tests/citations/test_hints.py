"""C-19."""

import json

import pytest
from tracelake.citations.errors import NotFoundError
from tracelake.citations.hints import Hint, unresolved_hints, unresolved_user_hints
from tracelake.citations.model import CitationRequest, SourceType
from tracelake.citations.resolve import resolve_citation

from tests.citations.records import MAIN, bash, call, result, transcript, user

USER, TOOL = SourceType.USER, SourceType.TOOL_RESULT
ROOT, A = f"{MAIN}.jsonl", f"{MAIN}/subagents/agent-a.jsonl"
RECORD = json.dumps({"type": "user", "uuid": "u", "sessionId": "s", "parentUuid": None, "version": "2", "x": "shown"})


@pytest.fixture(scope="module")
def lake(shared_tree):
    root = [
        user("hello"),
        call("a1", "Agent"), result("a1", "all good"),
        call("o1", "TaskOutput"), result("o1", "task words"),
        bash("g1", "git log"), result("g1", "subject line"),
        bash("c1", "cat dump"), result("c1", RECORD),
        call("r1", "Read", file_path="/a/.claude/projects/-w/s.jsonl"), result("r1", "read words"),
        result("gone", "orphan words"),
        call("q1", "AskUserQuestion"), result("q1", 'The user answered: "Port?"="8081". Read the answers'),
        call("e1", "Edit"), result("e1", "PreToolUse:Edit hook error: tabs"),
        user("meta words", isMeta=True),
    ]  # fmt: skip
    agent = transcript(
        user("count the boxes"), user("meta prompt", isMeta=True), user("<system-reminder>inj"), isSidechain=True
    )
    gone = transcript(user("lost prompt"), isSidechain=True)
    shared_tree.write({ROOT: transcript(*root), A: agent, "agent-gone.jsonl": gone})
    with shared_tree.open() as connection:
        yield connection


@pytest.mark.parametrize(
    ("quote", "hints"),
    [
        ("all good", [Hint.SUBAGENT_REPLY]),
        ("task words", [Hint.TASK_OUTPUT]),
        ("subject line", [Hint.ECHO]),
        ("shown", [Hint.READ_TRANSCRIPT]),
        ("read words", [Hint.READ_TRANSCRIPT]),
        ("orphan words", [Hint.ORPHAN_RESULT]),
        ("Port?", [Hint.IS_USER_ANSWER]),
        ("tabs", []),
        ("nowhere", []),
        (" ", []),
    ],
)
def test_why_no_tool_printed_it(lake, shared_tree, quote, hints):
    assert unresolved_hints(lake, shared_tree.path(ROOT), quote, [TOOL]) == hints
    assert unresolved_hints(lake, shared_tree.path(A), quote, [TOOL]) == hints


def test_a_dispatch_prompt_is_named(lake, shared_tree):
    assert unresolved_user_hints(lake, shared_tree.path(ROOT), "count the boxes") == [Hint.DISPATCH_PROMPT]
    both = [Hint.DISPATCH_PROMPT, Hint.SUBAGENT_CANNOT_CITE_USER_FROM_PROMPT]
    assert unresolved_user_hints(lake, shared_tree.path(A), "count the boxes") == both
    assert unresolved_user_hints(lake, shared_tree.path("agent-gone.jsonl"), "lost prompt") == both
    assert unresolved_user_hints(lake, shared_tree.path(ROOT), "count the boxes", as_subagent=True) == both


@pytest.mark.parametrize("quote", ["meta prompt", "inj", "meta words", "hello you"])
def test_meta_and_injected_texts_are_no_prompts(lake, shared_tree, quote):
    assert unresolved_user_hints(lake, shared_tree.path(ROOT), quote) == []


def test_hints_of_both_pools(lake, shared_tree):
    assert unresolved_hints(lake, shared_tree.path(ROOT), "all good", [USER, TOOL]) == [Hint.SUBAGENT_REPLY]


def test_the_error_carries_them(lake, shared_tree):
    with pytest.raises(NotFoundError) as caught:
        resolve_citation(lake, shared_tree.path(A), CitationRequest("count the boxes"))
    assert caught.value.hints == (Hint.DISPATCH_PROMPT, Hint.SUBAGENT_CANNOT_CITE_USER_FROM_PROMPT)
    assert all(hint.text.endswith(".") for hint in Hint)
