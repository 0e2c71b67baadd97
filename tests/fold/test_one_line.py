"""One line never costs more than itself: odd but valid JSON becomes the status of its line."""

import json

import pytest
from tracelake.decode.odd import odd_values
from tracelake.decode.parse import decode_line
from tracelake.fold.agents import FOLDS
from tracelake.fold.claude import ClaudeFold
from tracelake.tables.entries import STATUSES, STRICT_STATUSES

from tests.fold.folding import fold

AT = "2026-03-01T09:00:0%d.000Z"


def claude_lines(odd: str) -> bytes:
    prompts = [
        json.dumps({"type": "user", "uuid": f"u{n}", "timestamp": AT % n, "message": {"role": "user", "content": "go"}})
        for n in (1, 2)
    ]
    return "\n".join([prompts[0], odd, prompts[1], ""]).encode()


def system(subtype: str, more: str) -> str:
    return f'{{"type":"system","subtype":"{subtype}","uuid":"x","timestamp":"{AT % 3}",{more}}}'


def deep(levels: int) -> str:
    return "[" * levels + "]" * levels


ODD_CLAUDE = {
    "a whole number of 20 digits": (
        system("turn_duration", '"durationMs":18446744073709551616,"messageCount":3'),
        "durationMs: 18446744073709551616 is beyond 64 bits",
        [("turn_end", '{"message_count":3}')],
    ),
    "a number beyond a double": (
        system("turn_duration", '"durationMs":1e400,"messageCount":3'),
        "durationMs: 1e400 is beyond 64 bits",
        [("turn_end", '{"message_count":3}')],
    ),
    "one inside an object": (
        system("compact_boundary", '"compactMetadata":{"trigger":"auto","preTokens":-100000000000000000000}'),
        "compactMetadata.preTokens: -100000000000000000000 is beyond 64 bits",
        [("compaction", '{"trigger":"auto"}')],
    ),
    "one that makes its object unreadable": (
        system("compact_boundary", '"compactMetadata":{"trigger":"auto","preTokens":1e999}'),
        "compactMetadata.preTokens: 1e999 is beyond 64 bits",
        [("compaction", "{}")],
    ),
    "nesting": (
        system("api_error", f'"error":{{"message":{deep(300)}}}'),
        "error.message[]: nested more than 128 deep",
        [("api_error", "{}")],
    ),
    "a typed count": (
        system("api_error", '"prNumber":100000000000000000000,"error":{"message":"m"}'),
        "prNumber: 100000000000000000000 is beyond 64 bits",
        [("api_error", '{"message":"m"}')],
    ),
}


@pytest.mark.parametrize("name", ODD_CLAUDE)
def test_an_odd_value_costs_itself(name):
    odd, error, events = ODD_CLAUDE[name]
    made = fold(claude_lines(odd))
    assert made.column("entries", "status", "error") == [("ok", None), ("bad_value", error), ("ok", None)]
    assert made.column("events", "kind", "attrs") == events
    assert [row["content"] for row in made["messages"]] == ["go", "go"]
    assert made.facts.strict_error is None


def test_an_answer_beyond_a_double_costs_only_the_answer():
    """What the user chose cannot be read as data and the line says so; the result itself is there."""
    odd = (
        '{"type":"user","uuid":"a","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t",'
        '"content":"ok"}]},"toolUseResult":{"questions":[],"answers":{"q":1e400}}}'
    )
    made = fold(claude_lines(odd))
    assert [row["body"] for row in made["tool_results"]] == ["ok"]
    error = "toolUseResult.answers.q: 1e400 is beyond 64 bits"
    assert made.column("entries", "status", "error") == [("ok", None), ("bad_value", error), ("ok", None)]


def test_pi_and_codex():
    pi = (
        b'{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/w"}\n'
        b'{"type":"compaction","id":"b","parentId":"a","summary":"s","tokensBefore":100000000000000000000}\n'
    )
    made = fold(pi, agent="pi")
    assert made.column("entries", "status", "error") == [
        ("ok", None),
        ("bad_value", "tokensBefore: 100000000000000000000 is beyond 64 bits"),
    ]


def test_deep_nesting():
    """However deep it is (the interpreter's limit is near 1,000), the line has a row, and the next line its own."""
    for levels in (300, 700, 964, 5000):
        line = b'{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":%b}}\n'
        made = fold(line % deep(levels).encode() + line % b'"x"', agent="codex")
        assert len(made["entries"]) == 2
        assert made["tool_results"][-1]["body"] == "x"


@pytest.mark.parametrize("agent", FOLDS)
def test_whatever_a_fold_raises_is_the_status_of_the_line(agent, monkeypatch):
    """An error nobody thought of: the line keeps its row, the reason names it, the next line is folded."""

    def fail(*_):
        raise KeyError("no such thing")

    monkeypatch.setattr(FOLDS[agent], "_fold" if agent == "claude" else "record", fail)
    made = fold(b'{"type":"user"}\n{"type":"user"}\n', agent=agent)
    error = "could not be folded: KeyError: 'no such thing'"
    assert made.column("entries", "line_no", "status", "error") == [(1, "bad_value", error), (2, "bad_value", error)]


def test_a_full_disk_is_no_fault_of_the_line(monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ClaudeFold, "_fold", fail)
    with pytest.raises(OSError, match="No space"):
        fold(b'{"type":"user"}\n')


def test_a_graver_status_stays_and_the_error_names_all():
    odd = system("turn_duration", '"durationMs":1e400,"cwd":7')
    (_, row, _) = fold(claude_lines(odd))["entries"]
    assert row["status"] == "bad_type"
    assert row["error"].startswith("cwd has type number, expected string; durationMs: 1e400 is beyond 64 bits")


def test_odd_values_are_named_by_their_keys():
    assert odd_values(b'{"a":[1,{"b":9223372036854775808}],"c":-9223372036854775807,"d":"1e400","e":1e308}') == [
        "a[].b: 9223372036854775808 is beyond 64 bits"
    ]
    assert odd_values(b'{"a":{"b":1,"c":' + deep(5000).encode() + b'},"d":1}') == ["a.c[]: nested more than 128 deep"]
    assert len(odd_values(b'{"a":[' + b",".join([b"1e400"] * 50) + b"]}")) == 8


def test_no_key_of_the_data_sets_internal_state():
    """Names that the program might use for itself are unknown keys like any other."""
    content = [{"type": "text", "text": "hello", "tracelake:bare": True, "bare": True}]
    message = {"role": "user", "content": content, "tracelake:list_valid": False, "list_valid": False}
    line = json.dumps({"type": "user", "uuid": "u", "message": message}).encode() + b"\n"
    made = fold(line)
    assert made.column("blocks", "list_valid", "type", "text") == [(True, "text", "hello")]
    assert made.column("citations", "text", "citable") == [("hello", True)]


def test_statuses_are_one_list():
    samples = {
        "ok": b"{}",
        "bad_type": b'{"type":1}',
        "bad_value": b'{"type":"x","prNumber":1e400}',
        "glued": b"{}{}",
        "bad_utf8": b'{"a":"\xff"}',
        "torn": b'{"a":',
        "bad_json": b"[}",
        "blank": b" ",
    }
    found = {status: decode_line(data, status != "torn", ClaudeFold.form).status for status, data in samples.items()}
    assert found == {status: status for status in samples}
    assert set(samples) | {"oversize"} == set(STATUSES)
    assert set(STATUSES) > STRICT_STATUSES
