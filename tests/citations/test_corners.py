"""Lines that are repaired, lists that are refused, lines that nobody searches, other programs' transcripts."""

import pytest
from tracelake.citations.at import envelopes_at, tool_result_at
from tracelake.citations.errors import AgentNotCitableError, CitationRequestError, NotFoundError
from tracelake.citations.model import CitationRequest, SourceType
from tracelake.citations.resolve import cite_with_sources, resolve_citation
from tracelake.citations.sessions import resolve_citation_across_sessions
from tracelake.cursor import Cursor, signals_since
from tracelake.provenance import belongs_to_tree
from tracelake.sources.lines import MAX_LINE_BYTES

from tests.citations.records import MAIN, OTHER, block, call, result, transcript, user
from tests.fold.folding import fold

ROOT = f"{MAIN}.jsonl"


def with_lone_surrogate(data: bytes) -> bytes:
    """The word LONE becomes an escape of half a character, which is valid JSON and repaired to U+FFFD (E-3)."""
    return data.replace(b"LONE", rb"\ud83d")


def test_a_line_with_a_lone_surrogate_is_an_entry_for_every_answer(tree):
    data = with_lone_surrogate(
        transcript(
            user("the LONE heron"), call("t1", "Bash", command="make LONE"), result("t1", "LONE done"), cwd="/w/x"
        )
    )
    made = fold(data)
    assert [row["status"] for row in made["entries"]] == ["bad_utf8"] * 3
    assert [(row["status"], row["ran"]) for row in made["tool_calls"]] == [("ok", True)]
    assert made.facts.start_cwd == "/w/x"
    assert made.facts.strict_error is None
    path = tree.write({ROOT: data}).path(ROOT)
    with tree.open() as lake:
        assert resolve_citation(lake, path, CitationRequest("heron", (SourceType.USER,))).line == 1
        assert tool_result_at(lake, path, 3) == ("\ufffd done", True)
    assert belongs_to_tree(path, "/other") == "/w/x"


def test_signals_of_a_line_with_a_lone_surrogate(tmp_path):
    """B-1: the launch and its receipt stand on such lines."""
    data = with_lone_surrogate(
        transcript(
            call("t1", "Agent", prompt="LONE", run_in_background=True),
            result("t1", "Async agent launched LONE\nagentId: wren1"),
        )
    )
    path = tmp_path / "s.jsonl"
    path.write_bytes(data)
    signals, _ = signals_since(str(path), Cursor())
    assert [(signal.kind, signal.agent_id) for signal in signals] == [("launched", "wren1")]


def test_a_list_with_one_bad_block_holds_no_envelope(tree):
    """The original reads a list as a whole: one block of a wrong type empties it."""
    answer = 'The user answered: "q?"="yes". Read the answers carefully.'
    bad = user([block("q1", answer), {"type": "text", "text": 5}])
    path = tree.write({ROOT: transcript(call("q1", "AskUserQuestion"), bad)}).path(ROOT)
    with tree.open() as lake:
        assert envelopes_at(lake, path, 2) == []
        assert tool_result_at(lake, path, 2) == ("", False)


def test_what_was_not_searched_is_named(tree):
    """A quote that may stand on a line over 16 MiB is not said to stand nowhere."""
    data = transcript(user("short"), user("x" * MAX_LINE_BYTES + " heron"))
    path = tree.write({ROOT: data}).path(ROOT)
    request = CitationRequest("heron", (SourceType.USER,))
    with tree.open() as lake:
        for ask in (
            lambda: resolve_citation(lake, path, request),
            lambda: resolve_citation(lake, None, request),
            lambda: resolve_citation_across_sessions(lake, path, str(tree.project), request),
        ):
            with pytest.raises(NotFoundError, match=rf"not searched: {path}:2 \(over 16 MiB\)"):
                ask()


def test_an_empty_quote_is_a_wrong_request_also_without_a_session(tree):
    tree.write({ROOT: transcript(user("short"))})
    with tree.open() as lake, pytest.raises(CitationRequestError, match="empty quote"):
        resolve_citation_across_sessions(lake, None, None, CitationRequest(" ", (SourceType.USER,)))


CODEX = (
    '{"timestamp":"2026-03-01T09:00:00.000Z","type":"session_meta","payload":{"id":"%s","cwd":"/w"}}\n'
    '{"timestamp":"2026-03-01T09:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user",'
    '"content":[{"type":"input_text","text":"why is the sluice shut"}]}}\n'
)


def test_a_program_whose_texts_cannot_be_judged_is_refused_not_searched_in_vain(tree):
    name = f"rollout-2026-03-01T09-00-00-{OTHER}.jsonl"
    path = tree.write({ROOT: transcript(user("hi")), name: (CODEX % OTHER).encode()}).path(name)
    request = CitationRequest("why is the sluice shut", (SourceType.USER,))
    with tree.open() as lake:
        for ask in (lambda: resolve_citation(lake, path, request), lambda: cite_with_sources(lake, path, "sluice")):
            with pytest.raises(AgentNotCitableError, match="cannot be judged in transcripts of codex") as refusal:
                ask()
            assert refusal.value.exit_code == 64
        with pytest.raises(NotFoundError, match="not searched: transcripts of codex"):
            resolve_citation(lake, None, request)
