"""C-20."""

import os

import pytest
from tracelake.citations.errors import AmbiguousError, CitationRequestError, NotFoundError
from tracelake.citations.files import record_file
from tracelake.citations.hints import Hint
from tracelake.citations.model import CitationRequest, SourceType
from tracelake.citations.sessions import project_dir_of, resolve_citation_across_sessions

from tests.citations.records import MAIN, OTHER, THIRD, bash, call, result, transcript, user

USER, TOOL = SourceType.USER, SourceType.TOOL_RESULT
HOUR = 3600 * 10**9
CURRENT, OLD, OLDER = f"{MAIN}.jsonl", f"{THIRD}.jsonl", f"{OTHER}.jsonl"


def write(tree, files, ages):
    """Write files and set their ages in hours."""
    tree.write(files)
    for name, hours in ages.items():
        at = 1_700_000_000 * 10**9 - hours * HOUR
        os.utime(tree.path(name), ns=(at, at))


def ask(lake, tree, quote, pools=(USER,), current=CURRENT, folder=True):
    start = tree.path(current) if current else None
    directory = str(tree.project) if folder else None
    citation = resolve_citation_across_sessions(lake, start, directory, CitationRequest(quote, pools))
    return citation.path.removeprefix(f"{tree.project}/"), citation.line


def test_newest_first_whatever_the_name(tree):
    files = {
        CURRENT: transcript(user("now")),
        OLD: transcript(user("said it")),
        OLDER: transcript(user("said it"), user("said it")),
    }
    write(tree, files, {CURRENT: 0, OLD: 1, OLDER: 2})
    with tree.open() as lake:
        assert ask(lake, tree, "said it") == (OLD, 1)
        assert ask(lake, tree, "now") == (CURRENT, 1)
        assert ask(lake, tree, "said it", current=None) == (OLD, 1)
        with pytest.raises(NotFoundError):
            ask(lake, tree, "said it", folder=False)
        with pytest.raises(NotFoundError):
            resolve_citation_across_sessions(lake, tree.path(CURRENT), "/no/such/folder", CitationRequest("said it"))


def test_ambiguity_in_the_first_session_is_final(tree):
    files = {
        CURRENT: transcript(user("now")),
        OLD: transcript(user("said it"), user("said it")),
        OLDER: transcript(user("said it")),
    }
    write(tree, files, {CURRENT: 0, OLD: 1, OLDER: 2})
    with tree.open() as lake, pytest.raises(AmbiguousError) as caught:
        ask(lake, tree, "said it")
    assert [match.line for match in caught.value.matches] == [1, 2]


def test_the_current_session_comes_first_although_it_is_the_oldest(tree):
    write(tree, {CURRENT: transcript(user("both")), OLD: transcript(user("both"))}, {CURRENT: 5, OLD: 1})
    with tree.open() as lake:
        assert ask(lake, tree, "both") == (CURRENT, 1)


def test_equal_ages_go_by_path(tree):
    write(
        tree,
        {CURRENT: transcript(user("now")), OLD: transcript(user("x")), OLDER: transcript(user("x"))},
        {OLD: 1, OLDER: 1},
    )
    with tree.open() as lake:
        assert ask(lake, tree, "x") == (OLDER, 1)


def test_orphan_sub_agents_are_passed_over_for_the_user_s_words(tree):
    orphan = transcript(user("prompt"), bash("b1", "ls"), result("b1", "listed"), isSidechain=True)
    write(tree, {CURRENT: transcript(user("now")), "agent-x.jsonl": orphan}, {CURRENT: 0, "agent-x.jsonl": 1})
    with tree.open() as lake:
        assert ask(lake, tree, "listed", (TOOL,)) == ("agent-x.jsonl", 3)
        with pytest.raises(NotFoundError):
            ask(lake, tree, "listed", (USER, TOOL))


def test_hints_come_from_the_current_session(tree):
    files = {
        CURRENT: transcript(call("a1", "Agent"), result("a1", "reply")),
        OLD: transcript(bash("g", "git log"), result("g", "subject")),
    }
    write(tree, files, {})
    with tree.open() as lake:
        for quote, hints in (("reply", (Hint.SUBAGENT_REPLY,)), ("subject", ())):
            with pytest.raises(NotFoundError) as caught:
                ask(lake, tree, quote, (TOOL,))
            assert caught.value.hints == hints


def test_without_pools_a_hit_is_refused(tree):
    write(tree, {CURRENT: transcript(user("now"))}, {})
    with tree.open() as lake:
        with pytest.raises(CitationRequestError):
            ask(lake, tree, "now", ())
        with pytest.raises(NotFoundError):
            ask(lake, tree, "never", ())


def test_what_could_not_be_read_is_named(tree):
    write(tree, {CURRENT: transcript(user("now"))}, {})
    with tree.open() as lake, pytest.raises(NotFoundError, match=r"could not be read: /nowhere/x\.jsonl"):
        resolve_citation_across_sessions(lake, "/nowhere/x.jsonl", str(tree.project), CitationRequest("never"))


def test_the_folder_of_a_project(tree):
    agent = f"{MAIN}/subagents/agent-a.jsonl"
    write(tree, {CURRENT: transcript(user("now")), agent: transcript(user("p"), isSidechain=True)}, {})
    with tree.open() as lake:
        assert {project_dir_of(record_file(lake, tree.path(name))) for name in (CURRENT, agent)} == {str(tree.project)}
