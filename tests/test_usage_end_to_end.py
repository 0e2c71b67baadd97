"""Usage from files through an extraction to `costs`: shapes that other programs count wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tracelake.build import extract
from tracelake.lake.connect import open_lake

Json = dict[str, Any]

A, B = "0a1b2c3d-0000-4000-8000-00000000000a", "0a1b2c3d-0000-4000-8000-00000000000b"
OPUS = "claude-opus-5"
"""5 USD per million tokens of input, 25 of output."""
SONNET = "claude-sonnet-4-5"
"""3 USD per million tokens of input, 15 of output, 6 of writes for one hour."""


def write(path: Path, *records: Json) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def totals(root: Path, by: str = "session_id") -> dict[str, tuple[Any, ...]]:
    """Calls, input, output and micro-dollars of each group, the parts of calls among them."""
    extract([root / "source"], root / "lake", engine="serial")
    with open_lake(root / "lake") as con:
        rows = con.execute(
            f"SELECT {by}, count(*), sum(input_tokens)::INT, sum(output_tokens)::INT, (sum(cost_usd) * 1000000)::INT"
            f" FROM costs GROUP BY ALL ORDER BY ALL"
        ).fetchall()
    return {row[0]: row[1:] for row in rows}


def ask(root: Path, sql: str) -> list[tuple[Any, ...]]:
    with open_lake(root / "lake") as con:
        return con.execute(sql).fetchall()


def claude(session: str, number: int, kind: str, message: Json, **more: Any) -> Json:
    made = {"type": kind, "uuid": f"{session[-1]}-{number}", "sessionId": session, "cwd": "/w", "message": message}
    return {**made, "timestamp": f"2031-06-01T08:00:{number:02}.000Z", **more}


def prompt(session: str, number: int, **more: Any) -> Json:
    return claude(session, number, "user", {"role": "user", "content": f"go {number}"}, **more)


def answer(session: str, number: int, model: str, usage: Json, message_id: str | None = None, **more: Any) -> Json:
    text = [{"type": "text", "text": "x"}]
    message = {"id": message_id or f"m{number}", "role": "assistant", "model": model, "content": text, "usage": usage}
    return claude(session, number, "assistant", message, **{"requestId": f"r{number}", **more})


def tokens(given: int, output: int, **more: Any) -> Json:
    return {"input_tokens": given, "output_tokens": output, **more}


def test_a_compaction_is_billed_beside_its_message(tmp_path: Path) -> None:
    parts = [{"type": "compaction", **tokens(1000, 40)}, {"type": "message", **tokens(20, 10)}]
    record = answer(A, 2, OPUS, tokens(20, 10, iterations=parts))
    write(tmp_path / "source/projects/-w" / f"{A}.jsonl", prompt(A, 1), record)
    # 20 x 5 + 10 x 25 + 1000 x 5 + 40 x 25
    assert totals(tmp_path) == {A: (2, 1020, 50, 6350)}
    assert ask(tmp_path, "SELECT part, part_of IS NULL FROM costs ORDER BY part") == [
        ("compaction", False),
        (None, True),
    ]


def test_a_gateway_that_gives_every_answer_one_id_loses_no_call(tmp_path: Path) -> None:
    for session, size in ((A, 100), (B, 200)):
        lines = []
        for number in (1, 3, 5):
            usage = tokens(size + number, 10)
            lines += [prompt(session, number), answer(session, number + 1, OPUS, usage, "gw", requestId=None)]
        write(tmp_path / "source/projects/-w" / f"{session}.jsonl", *lines)
    # (101 + 103 + 105) x 5 + 30 x 25; (201 + 203 + 205) x 5 + 30 x 25
    assert totals(tmp_path) == {A: (3, 309, 30, 2295), B: (3, 609, 30, 3795)}


def test_a_fork_owns_only_what_it_added_whatever_its_name(tmp_path: Path) -> None:
    original = [prompt(B, 1), answer(B, 2, OPUS, tokens(10, 1)), answer(B, 3, OPUS, tokens(20, 2))]
    marked = [
        {**line, "sessionId": A, "forkedFrom": {"sessionId": B, "messageUuid": line["uuid"]}} for line in original
    ]
    folder = tmp_path / "source/projects/-w"
    write(folder / f"{B}.jsonl", *original)
    write(folder / f"{A}.jsonl", *marked, prompt(A, 4), answer(A, 5, OPUS, tokens(30, 3)))
    assert totals(tmp_path) == {A: (1, 30, 3, 225), B: (2, 30, 3, 225)}
    losers = "SELECT owner_rule, rule, reason FROM usage_audit WHERE NOT won"
    assert set(ask(tmp_path, losers)) == {("copy", "request", "fork or resume copy")}


def test_lines_that_a_compaction_appends_again_count_once(tmp_path: Path) -> None:
    old = [prompt(A, 1), answer(A, 2, OPUS, tokens(10, 1)), answer(A, 3, OPUS, tokens(20, 2))]
    write(tmp_path / "source/projects/-w" / f"{A}.jsonl", *old, prompt(A, 4), *old, answer(A, 5, OPUS, tokens(30, 3)))
    assert totals(tmp_path) == {A: (3, 60, 6, 450)}


def test_an_audit_log_beside_the_session_is_its_copy(tmp_path: Path) -> None:
    home = tmp_path / "source/agents/local_1"
    usage = [tokens(100, 50), tokens(100, 70)]
    lines = [answer(A, number, OPUS, one) for number, one in enumerate(usage, 2)]
    write(home / ".claude/projects/-w" / f"{A}.jsonl", prompt(A, 1), *lines)
    partial = [
        {"type": "assistant", "session_id": A, "message": {**line["message"], "usage": tokens(100, 3)}}
        for line in lines
    ]
    start = {"type": "system", "subtype": "init", "session_id": A, "model": OPUS}
    write(home / "audit.jsonl", start, *partial, {"type": "result", "session_id": A, "total_cost_usd": 0.004})
    # 200 x 5 + 120 x 25
    assert totals(tmp_path) == {A: (2, 200, 120, 4000)}
    assert ask(tmp_path, "SELECT DISTINCT rule FROM usage_audit WHERE NOT won") == [("message",)]


def test_folders_that_share_an_encoded_name_are_told_apart_by_cwd(tmp_path: Path) -> None:
    for session, cwd, given in ((A, "/h/é/a.b", 1), (B, "/h/ü/a-b", 2)):
        lines = [prompt(session, 1, cwd=cwd), answer(session, given + 1, OPUS, tokens(given, 0), cwd=cwd)]
        write(tmp_path / "source/projects/-h---a-b" / f"{session}.jsonl", *lines)
    assert totals(tmp_path, "cwd") == {"/h/é/a.b": (1, 1, 0, 5), "/h/ü/a-b": (1, 2, 0, 10)}


def pi_session(session: str, *usages: Json) -> list[Json]:
    header = {"type": "session", "version": 3, "id": session, "timestamp": "2031-06-01T08:00:00Z", "cwd": "/w"}
    return [
        header,
        *(
            {
                "type": "message",
                "id": f"{session[-1]}{number}",
                "parentId": None,
                "timestamp": f"2031-06-01T08:00:{number:02}Z",
                "message": {"role": "assistant", "content": [], "model": SONNET, "usage": usage, "stopReason": "stop"},
            }
            for number, usage in enumerate(usages, 1)
        ),
    ]


def test_pi_writes_for_one_hour_have_their_own_rate(tmp_path: Path) -> None:
    usage = {"input": 10, "output": 10, "cacheRead": 0, "cacheWrite": 1500, "cacheWrite1h": 1000}
    write(tmp_path / "source/x.jsonl", *pi_session(A, usage))
    # 10 x 3 + 10 x 15 + 500 x 3.75 + 1000 x 6
    assert totals(tmp_path) == {A: (1, 10, 10, 8055)}


@pytest.mark.parametrize("name", [f"2031_{A}", A], ids=["beside a pi session", "like a Claude session"])
def test_pi_is_read_by_its_content_in_folders_like_a_session_of_claude(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "source/sessions/--w--"
    usage = {"input": 100, "output": 10, "cacheRead": 0, "cacheWrite": 0}
    if name != A:
        write(folder / f"{name}.jsonl", *pi_session(A, usage))
    write(folder / name / "run/session.jsonl", *pi_session(B, {**usage, "input": 200}))
    artifact = {"version": 1, "recordType": "message", "agent": "scout", "message": pi_session(B, usage)[1]["message"]}
    write(folder / name / "artifacts/scout_transcript.jsonl", artifact)
    expected = {B: (1, 200, 10, 750)} | ({A: (1, 100, 10, 450)} if name != A else {})
    assert totals(tmp_path) == expected


def test_what_claude_stored_as_a_result_is_no_session_of_pi(tmp_path: Path) -> None:
    folder = tmp_path / "source/projects/-w"
    write(folder / f"{A}.jsonl", prompt(A, 1))
    write(folder / A / "tool-results/quoted.jsonl", *pi_session(B, {"input": 100, "output": 10}))
    assert totals(tmp_path) == {}
    assert ask(tmp_path, "SELECT kind FROM files WHERE path LIKE '%quoted%'") == [("sidecar",)]


def rollout(thread: str, *lines: tuple[str, Json], header: Json | None = None, second: int = 0) -> list[Json]:
    first = ("session_meta", {"id": thread, "cwd": "/w", "source": "cli", **(header or {})})
    return [
        {"timestamp": f"2031-06-01T08:{second:02}:{number:02}.000Z", "type": kind, "payload": payload}
        for number, (kind, payload) in enumerate((first, *lines))
    ]


def counted(*totals: tuple[int, int]) -> tuple[str, Json]:
    total, last = ({"input_tokens": one[0], "output_tokens": one[1]} for one in totals)
    return "event_msg", {"type": "token_count", "info": {"total_token_usage": total, "last_token_usage": last}}


CONTEXT = ("turn_context", {"model": "gpt-5.5"})
SPAWNED = {"source": {"subagent": {"thread_spawn": {"parent_thread_id": B, "depth": 1}}}}


def test_a_child_repeats_the_counts_of_the_parent_that_started_it(tmp_path: Path) -> None:
    parent = rollout(B, CONTEXT, counted((100, 10), (100, 10)), counted((250, 25), (150, 15)))
    own = rollout(A, header=SPAWNED, second=5)
    later = rollout(A, counted((600, 32), (350, 7)), second=6)[1:]
    write(tmp_path / "source/sessions" / f"rollout-{B}.jsonl", *parent)
    write(tmp_path / "source/sessions" / f"rollout-{A}.jsonl", *own, *parent, *later)
    found = totals(tmp_path)
    assert {key: value[:3] for key, value in found.items()} == {B: (2, 250, 25), A: (1, 350, 7)}


def test_usage_records_are_the_calls_of_their_counts_or_of_their_own(tmp_path: Path) -> None:
    def record(response: str, given: int, output: int) -> tuple[str, Json]:
        usage = {"input_tokens": given, "output_tokens": output}
        return "token_usage_record", {"turn_id": "t1", "response_id": response, "usage": usage}

    both = rollout(A, CONTEXT, counted((100, 10), (100, 10)), record("a1", 100, 10), record("a2", 5000, 40))
    write(tmp_path / "source/sessions" / f"rollout-{A}.jsonl", *both)
    write(tmp_path / "source/sessions" / f"rollout-{B}.jsonl", *rollout(B, CONTEXT, record("b1", 70, 7)))
    found = totals(tmp_path)
    assert {key: value[:3] for key, value in found.items()} == {A: (2, 5100, 50), B: (1, 70, 7)}


def test_a_rollout_whose_header_is_only_an_id_and_a_time_is_one(tmp_path: Path) -> None:
    write(
        tmp_path / "source/old.jsonl",
        {"id": A, "timestamp": "2025-04-01T08:00:00.000Z"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "gone"}]},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"},
    )
    write(tmp_path / "source/log.jsonl", *({"id": str(n), "timestamp": "2025-04-01T08:00:00Z"} for n in range(3)))
    totals(tmp_path)
    assert ask(tmp_path, "SELECT agent, session_id, kind FROM files WHERE path LIKE '%old%'") == [("codex", A, "main")]
    assert ask(tmp_path, "SELECT kind FROM files WHERE path LIKE '%log%'") == [("unrecognised",)]
    assert ask(tmp_path, "SELECT role FROM messages ORDER BY ordinal") == [("user",), ("assistant",)]
    assert ask(tmp_path, "SELECT count(*) FROM tool_calls") == [(1,)]


def test_a_cost_report_names_lines_that_it_cannot_count(tmp_path: Path, program) -> None:
    odd = {"type": "a-type-to-come", "sessionId": A, "uuid": "z", "usage": {"output_tokens": 9}}
    write(tmp_path / "source/projects/-w" / f"{A}.jsonl", prompt(A, 1), answer(A, 2, OPUS, tokens(10, 1)), odd)
    totals(tmp_path)
    done = program("report", "cost", "--lake", tmp_path / "lake")
    assert "not in the sum: token counts on lines of unknown type a-type-to-come (1, the first at " in done.stderr
    assert f"{A}.jsonl:3)" in done.stderr
