"""C-14 to C-18 and their errors, over small trees."""

import pytest
from tracelake.citations.errors import (
    AmbiguousError,
    CitationRequestError,
    NoSessionRootError,
    NotFoundError,
    RecordUnreadableError,
    SubagentUnlinkedError,
)
from tracelake.citations.files import RecordFile, citations_unavailable, require_available, tree_of
from tracelake.citations.model import CitationRequest, SourceType, parse_source_type
from tracelake.citations.render import call_line, cap
from tracelake.citations.resolve import (
    cite,
    cite_in_session,
    cite_with_sources,
    resolve_citation,
    resolve_citations,
    resolve_subagent_citation,
)

from tests.citations.records import MAIN, OTHER, THIRD, bash, block, call, result, transcript, user

USER, TOOL = SourceType.USER, SourceType.TOOL_RESULT
BOTH = (USER, TOOL)
A, B = f"{MAIN}/subagents/agent-a.jsonl", f"{MAIN}/subagents/agent-b.jsonl"
NESTED = f"{MAIN}/subagents/agent-a/subagents/agent-c.jsonl"
WORKFLOW = f"{MAIN}/subagents/workflows/wf_1/agent-w.jsonl"
ROOT = f"{MAIN}.jsonl"


def sub(*records):
    return transcript(*records, isSidechain=True)


@pytest.fixture(scope="module")
def lake(shared_tree):
    """A root with sub-agents, and an orphan."""
    shared_tree.write(
        {
            ROOT: transcript(
                user("please retry on port 8081"),
                bash("b1", "make"),
                result("b1", "retries: 5 of port"),
                user("retry, I said, retry"),
                user([{"type": "text", "text": "beside"}, block("b1", "beside too")]),
            ),
            A: sub(user("count the retries"), bash("b1", "make"), result("b1", "retries: 5")),
            B: sub(user("look elsewhere"), bash("b1", "ls"), result("b1", "nothing here")),
            NESTED: sub(user("deeper"), bash("b1", "cat x"), result("b1", "deep words")),
            WORKFLOW: sub(user("flow"), bash("b1", "cat x"), result("b1", "flow words")),
            "agent-gone.jsonl": sub(user("lost prompt"), bash("b1", "ls"), result("b1", "lost words")),
        }
    )
    with shared_tree.open() as connection:
        yield connection


def found(lake, shared_tree, name, quote, *pools, subagent=False):
    """File and line of the resolved entry, and the pools it was found in."""
    resolve = resolve_subagent_citation if subagent else resolve_citation
    citation = resolve(lake, shared_tree.path(name), CitationRequest(quote, pools or (USER,)))
    return citation.path.removeprefix(f"{shared_tree.project}/"), citation.line, citation.source_types


def test_c14_one_file_in_order_one_match_an_entry(lake, shared_tree):
    assert [match.line for match in cite(lake, shared_tree.path(ROOT), "retry")] == [1, 4]
    assert [match.line for match in cite_with_sources(lake, shared_tree.path(ROOT), "port", BOTH)] == [1, 3]
    assert [match.line for match in cite_with_sources(lake, shared_tree.path(ROOT), "port", [])] == [1]
    assert cite_with_sources(lake, shared_tree.path(ROOT), " \n", BOTH) == []
    assert str(cite(lake, shared_tree.path(ROOT), "8081")[0]) == f"{shared_tree.path(ROOT)}:1"


def test_c14_pool_names():
    assert [parse_source_type(name) for name in ("user", "tool_result", "User", "", "tool")] == [
        USER,
        TOOL,
        None,
        None,
        None,
    ]


def test_c15_own_file_first_then_the_session(lake, shared_tree):
    assert found(lake, shared_tree, ROOT, "retries: 5", TOOL) == (ROOT, 3, (TOOL,))
    assert found(lake, shared_tree, A, "retries: 5", TOOL) == (A, 3, (TOOL,))
    with pytest.raises(AmbiguousError) as caught:
        found(lake, shared_tree, B, "retries: 5", TOOL)
    assert [str(match) for match in caught.value.matches] == [f"{shared_tree.path(ROOT)}:3", f"{shared_tree.path(A)}:3"]
    assert not caught.value.same_entry


@pytest.mark.parametrize("start", [ROOT, A, B, NESTED, WORKFLOW])
@pytest.mark.parametrize(("quote", "where"), [("deep words", NESTED), ("flow words", WORKFLOW), ("nothing here", B)])
def test_c15_output_is_found_from_anywhere_in_the_session(lake, shared_tree, start, quote, where):
    assert found(lake, shared_tree, start, quote, TOOL) == (where, 3, (TOOL,))


def test_c15_the_user_s_words_are_the_root_s(lake, shared_tree):
    assert found(lake, shared_tree, NESTED, "port 8081", USER) == (ROOT, 1, (USER,))
    assert found(lake, shared_tree, A, "port 8081", USER, subagent=True) == (ROOT, 1, (USER,))
    with pytest.raises(NotFoundError):
        found(lake, shared_tree, A, "count the retries", USER)


def test_c15_the_order_of_the_tree(lake, shared_tree):
    names = [path.removeprefix(f"{shared_tree.project}/") for path in tree_of(lake, shared_tree.path(ROOT))]
    assert names == [ROOT, NESTED, A, B, WORKFLOW]


def test_c15_a_known_sub_agent_is_never_the_root(lake, shared_tree):
    with pytest.raises(NoSessionRootError) as caught:
        found(lake, shared_tree, ROOT, "port 8081", USER, subagent=True)
    assert caught.value.exit_code == 3


def test_c16_an_orphan_has_no_user(lake, shared_tree):
    assert found(lake, shared_tree, "agent-gone.jsonl", "lost words", TOOL) == ("agent-gone.jsonl", 3, (TOOL,))
    for pools in ((USER,), BOTH):
        with pytest.raises(NoSessionRootError):
            found(lake, shared_tree, "agent-gone.jsonl", "lost words", *pools)


def test_c16_lines_count_across_pools(lake, shared_tree):
    with pytest.raises(AmbiguousError):
        found(lake, shared_tree, ROOT, "port", *BOTH)
    assert found(lake, shared_tree, ROOT, "beside", TOOL, USER) == (ROOT, 5, (TOOL, USER))
    assert found(lake, shared_tree, ROOT, "port 8081", *BOTH) == (ROOT, 1, (USER,))


@pytest.mark.parametrize(("quote", "pools"), [("", (USER,)), ("x", ())])
def test_c16_requests_that_ask_nothing(lake, shared_tree, quote, pools):
    with pytest.raises(CitationRequestError) as caught:
        resolve_citation(lake, shared_tree.path(ROOT), CitationRequest(quote, pools))
    assert caught.value.exit_code == 64


def test_c16_the_wrong_pool_and_words_of_two_entries(lake, shared_tree):
    for quote, pool in (("retries: 5", USER), ("please retry", TOOL), ("8081 retry, I said", USER)):
        with pytest.raises(NotFoundError):
            found(lake, shared_tree, ROOT, quote, pool)


def test_c16_any_length_and_any_script(tree):
    tree.write({ROOT: transcript(user("na\u00efve \u65e5\u672c \U0001f600"), user("q"), user("w " * 100_000 + "end"))})
    with tree.open() as lake:
        for quote, line in (("\u672c \U0001f600", 1), ("na\u00efve", 1), ("q", 2), ("w " * 99_000 + "w end", 3)):
            assert resolve_citation(lake, tree.path(ROOT), CitationRequest(quote)).line == line


def test_c16_white_space_is_in_no_entry(lake, shared_tree):
    with pytest.raises(NotFoundError) as caught:
        found(lake, shared_tree, ROOT, " \n ")
    assert caught.value.exit_code == 1


def test_c16_several_requests_fail_closed(lake, shared_tree):
    good = [CitationRequest("port 8081"), CitationRequest("deep words", [TOOL])]
    assert [citation.line for citation in resolve_citations(lake, shared_tree.path(ROOT), good)] == [1, 3]
    assert resolve_citations(lake, shared_tree.path(ROOT), []) == []
    with pytest.raises(NotFoundError, match="absent"):
        resolve_citations(lake, shared_tree.path(ROOT), [good[0], CitationRequest("absent"), CitationRequest("", ())])


def test_c16_quotes_and_case(lake, shared_tree):
    assert found(lake, shared_tree, ROOT, "please  retry\non port") == (ROOT, 1, (USER,))
    for quote in ("Please retry", "retry please", "8081\x1c"):
        with pytest.raises(NotFoundError):
            found(lake, shared_tree, ROOT, quote)


def test_a_request_as_the_command_line_spells_it():
    assert str(CitationRequest("it's", BOTH)) == "cite --pool user,tool_result 'it'\"'\"'s'"


def test_a_file_that_is_not_in_the_lake(lake):
    with pytest.raises(RecordUnreadableError) as caught:
        resolve_citation(lake, "/nowhere/x.jsonl", CitationRequest("x"))
    assert caught.value.exit_code == 64


def test_sub_agents_that_cannot_be_tied_are_refused(lake, shared_tree):
    require_available(RecordFile("/p", "s", "claude", None, False))
    for file, caller in (
        (RecordFile("/p", "s", "cursor", None, True), False),
        (RecordFile("/p", "s", "cursor", None, False), True),
    ):
        with pytest.raises(SubagentUnlinkedError) as caught:
            require_available(file, caller)
        assert caught.value.exit_code == 3
    assert citations_unavailable(lake, shared_tree.path(A), as_subagent=True) is None


def test_in_session(lake, shared_tree):
    lines = [match.line for match in cite_in_session(lake, shared_tree.path(A), "retry")]
    assert lines == [1, 4]
    assert [str(match) for match in cite_in_session(lake, shared_tree.path(B), "retries: 5", [TOOL])] == [
        f"{shared_tree.path(ROOT)}:3",
        f"{shared_tree.path(A)}:3",
    ]
    assert cite_in_session(lake, shared_tree.path(A), " ") == []
    with pytest.raises(NoSessionRootError):
        cite_in_session(lake, shared_tree.path("agent-gone.jsonl"), "lost")


def test_c17_the_message_is_the_whole_entry_in_the_pools(tree):
    body = 'The user answered: "Pick a port?"="8081". Read the answers'
    three = user(
        [{"type": "text", "text": "take this"}, block("q1", body), block("b1", "built ok"), block("b1", "twice")]
    )
    tree.write({ROOT: transcript(call("q1", "AskUserQuestion"), bash("b1", "make test"), three)})
    with tree.open() as lake:
        one = resolve_citation(lake, tree.path(ROOT), CitationRequest("8081", BOTH))
        assert (one.message, one.call, one.source_types) == (f"take this\n\n{body}", "", (USER,))
        output = resolve_citation(lake, tree.path(ROOT), CitationRequest("built", BOTH))
        assert (output.message, output.call) == ("built ok\n\ntwice", "Bash: make test")
        assert output.to_dict() == {
            "quote": "built",
            "sourceTypes": ["tool_result"],
            "path": tree.path(ROOT),
            "line": 3,
            "message": "built ok\n\ntwice",
            "call": "Bash: make test",
        }
        assert "call" not in one.to_dict()


def test_c17_the_message_is_cut_at_a_code_point(tree):
    text = "a" + "\u20ac" * 6000  # 1 + 18,000 bytes; 16,384 - 1 is 5,461 times 3
    tree.write({ROOT: transcript(user(text))})
    with tree.open() as lake:
        message = resolve_citation(lake, tree.path(ROOT), CitationRequest("a\u20ac")).message
    assert message == "a" + "\u20ac" * 5461 + "\n[... truncated]"


def test_c18_calls_in_the_order_of_their_results(tree):
    calls = [bash("b1", "make test"), call("r1", "Read", file_path="/w/a.txt"), call("g1", "Grep", pattern="x")]
    many = user(
        [block("g1", "three"), block("b1", "one"), block("b1", "two"), block("r1", "four"), block("b1", "five")]
    )
    tree.write({ROOT: transcript(*calls, many)})
    with tree.open() as lake:
        citation = resolve_citation(lake, tree.path(ROOT), CitationRequest("three", [TOOL]))
    assert citation.call == 'Grep: {"pattern": "x"}\nBash: make test\nRead: /w/a.txt\nBash: make test'


def test_c18_arguments():
    assert call_line("Grep", '{"pattern":"x"}') == 'Grep: {"pattern":"x"}'
    assert call_line("Bash", '{"command":"","file_path":"/w/a"}') == "Bash: /w/a"
    assert call_line("Bash", '{"command":5}') == 'Bash: {"command":5}'
    assert call_line("Bash", '{"command":"' + "x" * 2049 + '"}') == "Bash: " + "x" * 2048 + "[... truncated]"
    assert call_line("X", None) == "X: "


def test_cap_counts_bytes():
    assert cap("\u20ac\u20ac", 6, "!") == "\u20ac\u20ac"
    assert cap("\u20ac\u20ac", 5, "!") == "\u20ac!"


def test_copies_of_one_entry_are_told_apart_from_different_ones(tree):
    copied = user("said once", uuid="same")
    tree.write(
        {
            ROOT: transcript(copied, user("said twice")),
            f"{OTHER}.jsonl": transcript(copied, user("said twice too")),
            f"{THIRD}.jsonl": transcript(copied, user("on top")),
        }
    )
    with tree.open() as lake:
        for quote, same, places in (("said once", True, 3), ("said twice", False, 2)):
            with pytest.raises(AmbiguousError) as caught:
                resolve_citation(lake, None, CitationRequest(quote))
            assert (caught.value.same_entry, len(caught.value.matches)) == (same, places)
        assert resolve_citation(lake, tree.path(ROOT), CitationRequest("said once")).line == 1


def test_the_whole_lake_without_a_start(lake, shared_tree):
    citation = resolve_citation(lake, None, CitationRequest("lost words", [TOOL]))
    assert citation.path == shared_tree.path("agent-gone.jsonl")
    with pytest.raises(NotFoundError):
        resolve_citation(lake, None, CitationRequest("lost prompt"))
