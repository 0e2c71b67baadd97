"""docs/seed-map.md by values: the answer of a known input, compared with what the rule says by hand.

Rows without a value here are only checked to exist (`test_seed_map.py`); the number of those with one may only grow.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from tracelake.build import extract
from tracelake.citations.at import envelopes_at, tool_result_at
from tracelake.citations.echo import is_echo
from tracelake.citations.model import CitationRequest, SourceType
from tracelake.citations.resolve import cite, resolve_citation
from tracelake.cursor import Cursor, signals_since
from tracelake.fold.verdicts import hook_refusal_reason, is_hook_refusal
from tracelake.lake.connect import open_lake
from tracelake.lake.entry_filter import filter_entries, mark_of, since
from tracelake.provenance import encode_project_dir

from tests.test_seed_map import rows

LEAST = 44
"""How many rows have a value; raise it with every row that gets one."""

SESSION = "5e550000-0000-4000-8000-000000000001"
ANSWER = 'The user answered: "q?"="yes". Read the answers carefully.'
REFUSAL = "PreToolUse:Bash hook error: not on a Sunday"


def line(kind: str, uuid: str, parent: str | None, second: int, content: Any, **more: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "uuid": uuid,
        "parentUuid": parent,
        "timestamp": f"2026-03-01T09:00:{second:02}.000Z",
        "sessionId": SESSION,
        "cwd": "/w/weir",
        "message": {"role": kind, "content": content},
        **more,
    }


def call(name: str, call_id: str, **given: Any) -> list[dict[str, Any]]:
    return [{"type": "tool_use", "id": call_id, "name": name, "input": given}]


def answer(call_id: str, text: str, **more: Any) -> list[dict[str, Any]]:
    return [{"type": "tool_result", "tool_use_id": call_id, "content": text, **more}]


LINES = [
    line("user", "u1", None, 1, "mend the heron gate"),
    line("assistant", "a1", "u1", 2, call("Bash", "t1", command="cat notes.txt")),
    line("user", "u2", "a1", 3, answer("t1", "abc123 mend")),
    line("assistant", "a2", "u2", 4, call("Agent", "t2", prompt="look", run_in_background=True)),
    line("user", "u3", "a2", 5, answer("t2", "Async agent launched successfully.\nagentId: wren1")),
    line("assistant", "a3", "u3", 6, call("AskUserQuestion", "t3", questions=[])),
    line("user", "u4", "a3", 7, answer("t3", ANSWER)),
    line("assistant", "a4", "u4", 8, call("Bash", "t4", command="make")),
    line("user", "u5", "a4", 9, answer("t4", REFUSAL, is_error=True)),
    line("assistant", "a5", "u5", 10, [{"type": "text", "text": "the gate holds"}]),
    line("attachment", "x1", "a5", 11, None, attachment={"type": "task_reminder"}),
    line("system", "y1", "x1", 12, None, subtype="turn_duration", durationMs=5),
]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory):
    """A connection to the lake of the lines above, and the path of their file."""
    folder = tmp_path_factory.mktemp("values")
    path = folder / "home" / "projects" / "-w-weir" / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in LINES))
    extract([folder / "home"], folder / "lake", engine="serial")
    with open_lake(folder / "lake") as connection:
        yield connection, str(path)


def sql(text: str) -> Callable[[Any, str], Any]:
    """Ask the lake; `$path` stands for the file. One column gives a list of values, several a list of tuples."""

    def ask(lake: Any, path: str) -> Any:
        found = lake.execute(text, {"path": path} if "$path" in text else {}).fetchall()
        return [row[0] if len(row) == 1 else row for row in found]

    return ask


def of_entry(kind: str) -> Callable[[Any, str], Any]:
    return sql(f"SELECT uuid FROM entries WHERE type = '{kind}' ORDER BY line_no")


def quote(words: str, *pools: SourceType) -> CitationRequest:
    return CitationRequest(words, pools or (SourceType.USER,))


SIGNAL = "SELECT signal, agent_id, status, key FROM strict_agent_signals"
VALUES: dict[str, tuple[Callable[[Any, str], Any], Any]] = {
    "EntryUser": (of_entry("user"), ["u1", "u2", "u3", "u4", "u5"]),
    "EntryAssistant": (of_entry("assistant"), ["a1", "a2", "a3", "a4", "a5"]),
    "EntrySystem": (of_entry("system"), ["y1"]),
    "EntryAttachment": (of_entry("attachment"), ["x1"]),
    "EntryType": (sql("SELECT type FROM entries WHERE line_no = 11"), ["attachment"]),
    "Entry": (sql("SELECT count(*) FROM entries WHERE uuid IS NOT NULL"), [12]),
    "Read": (sql("SELECT uuid FROM entries ORDER BY line_no LIMIT 2"), ["u1", "a1"]),
    "Since": (sql("SELECT uuid FROM entries_since($path, 'a5')"), ["x1", "y1"]),
    "Mark": (lambda lake, path: mark_of([{"uuid": "p"}, {"uuid": "q"}]), "q"),
    "Filter": (
        lambda lake, path: filter_entries(lake, "message->'content'->0->>'name' = 'Bash'").column("uuid").to_pylist(),
        ["a1", "a4"],
    ),
    "AssistantText": (sql("SELECT text FROM entries WHERE uuid = 'a5'"), ["the gate holds"]),
    "StartCwd": (sql("SELECT start_cwd FROM files"), ["/w/weir"]),
    "StartTime": (sql("SELECT CAST(start_time AS VARCHAR) FROM files"), ["2026-03-01 09:00:01+00"]),
    "StableSessionID": (sql("SELECT stable_id FROM conversation_files"), ["u1"]),
    "Identity": (sql("SELECT stable_id, degraded FROM conversation_files"), [("u1", None)]),
    "Identity.ID": (sql("SELECT stable_id FROM conversation_files"), ["u1"]),
    "Identity.Degraded": (sql("SELECT degraded FROM conversation_files"), [None]),
    "EncodeProjectDir": (lambda lake, path: encode_project_dir("/w/weir.x_y"), "-w-weir-x-y"),
    "IsSubagentRecord": (sql("SELECT is_subagent_record FROM files"), [False]),
    "IsSubagentTranscript": (sql("SELECT is_subagent_transcript FROM files"), [False]),
    "SessionRootOf": (sql("SELECT root_path = path FROM files"), [True]),
    "CommandEchoes": (lambda lake, path: (is_echo("git log -1"), is_echo("make")), (True, False)),
    "RanToolUseIDs": (sql("SELECT tool_use_id FROM tool_calls WHERE ran ORDER BY line_no"), ["t1", "t2", "t3"]),
    "IsHookRefusal": (lambda lake, path: (is_hook_refusal(REFUSAL), is_hook_refusal("no")), (True, False)),
    "HookRefusalReason": (lambda lake, path: hook_refusal_reason(REFUSAL), "not on a Sunday"),
    "EnvelopeAt": (lambda lake, path: envelopes_at(lake, path, 7), [ANSWER]),
    "ToolResultAt": (lambda lake, path: tool_result_at(lake, path, 3), ("abc123 mend", True)),
    "BackgroundAgentSignals": (sql(SIGNAL), [("launched", "wren1", "", "u3:wren1")]),
    "AgentSignal": (sql("SELECT agent_id FROM strict_agent_signals"), ["wren1"]),
    "BackgroundAgentSignalsSince": (
        lambda lake, path: [(one.kind, one.agent_id) for one in signals_since(path, Cursor())[0]],
        [("launched", "wren1")],
    ),
    "RunningBackgroundAgents": (
        sql("SELECT answer, running FROM running_background_by_file"),
        [("known", ["wren1"])],
    ),
    "BelongsToSession": (sql("SELECT belongs_to_session($path, 'other')"), [False]),
    "BelongsToTree": (sql("SELECT belongs_to_tree($path, '/w/weir'), belongs_to_tree($path, '/x')"), [(True, False)]),
    "Cite": (lambda lake, path: [one.line for one in cite(lake, path, "heron  gate")], [1]),
    "ResolveCitation": (lambda lake, path: resolve_citation(lake, path, quote("heron gate")).line, 1),
    "Citation.Line": (sql("SELECT line_no FROM cite('heron gate')"), [1]),
    "CitationMatch.Line": (sql("SELECT line_no FROM cite('yes', from_path := $path)"), [7]),
    "CitationMatch.Path": (sql("SELECT path = $path FROM cite('heron gate')"), [True]),
    "CitationRequest": (lambda lake, path: quote("a").quote, "a"),
    "CitationRequest.Quote": (lambda lake, path: quote("a b").quote, "a b"),
    "CitationRequest.SourceTypes": (
        lambda lake, path: [str(pool) for pool in quote("a", SourceType.TOOL_RESULT).source_types],
        ["tool_result"],
    ),
    "Citation.Message": (
        lambda lake, path: resolve_citation(lake, path, quote("heron gate")).message,
        "mend the heron gate",
    ),
    "Citation.Path": (
        lambda lake, path: resolve_citation(lake, path, quote("heron gate")).path.endswith(SESSION + ".jsonl"),
        True,
    ),
    "ErrNoOriginRecord": (sql("SELECT identity_error FROM conversation_files"), [None]),
}
"""Row of the package `transcript` -> how to ask, and the right answer."""


@pytest.mark.parametrize("name", VALUES)
def test_the_answer_is_right(name: str, asked: tuple[Any, str]) -> None:
    ask, right = VALUES[name]
    assert ask(*asked) == right


def test_since_in_hand() -> None:
    assert since([{"uuid": "p"}, {"uuid": "q"}], "p") == [{"uuid": "q"}]


def test_each_value_is_of_a_row_and_none_is_taken_away() -> None:
    names = {name for name, _ in rows("transcript")}
    assert set(VALUES) <= names
    assert len(VALUES) >= LEAST
