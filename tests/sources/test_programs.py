"""Which program wrote a record."""

import pytest
from tracelake.sources.programs import program_of, session_id_of

CLAUDE = [
    {"type": "user", "message": {"role": "user", "content": "hi"}},
    {"type": "assistant", "message": {}},
    {"type": "progress", "uuid": "p1"},
    {"type": "no-such-type-yet", "sessionId": "s"},
    {"type": "summary", "summary": "x", "leafUuid": "u"},
    {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
    {"type": "queue-operation", "operation": "enqueue"},
    {"type": "attachment", "attachment": {"type": "queued_command"}},
    {"type": "mode", "mode": "normal"},
    {"type": "permission-mode", "permissionMode": "plan"},
    {"type": "system", "subtype": "init", "session_id": "s"},
    {"type": "result", "subtype": "success", "session_id": "s", "total_cost_usd": 0.1},
    {"parentUuid": None, "isSidechain": False, "sessionId": "s"},
]
CODEX = [
    {"timestamp": "t", "type": "session_meta", "payload": {"id": "c"}},
    {"timestamp": "t", "type": "event_msg", "payload": {"type": "token_count"}},
    {"id": "c", "timestamp": "2025-05-01T00:00:00Z", "instructions": None},
    {"record_type": "state"},
]
PI = [
    {"type": "session", "version": 3, "id": "p", "cwd": "/w"},
    {"type": "session", "cwd": "/w"},
    {"type": "message", "id": "1", "parentId": None, "message": {"role": "user"}},
]
NONE = [
    {},
    {"type": "click", "session_id": "s"},
    {"type": "user", "name": "Ada"},
    {"type": "session_meta"},
    {"type": "message", "text": "hi"},
    {"type": "session"},
    {"type": "started"},
    {"type": "result", "key": "v2:h"},
    {"type": "result", "agentId": "a"},
    {"type": 5, "message": {}},
    {"sessionId": "s"},
    {"sessionId": 7, "type": "click"},
    {"name": "package", "version": "1"},
]


@pytest.mark.parametrize(
    ("record", "program"),
    [(r, "claude") for r in CLAUDE]
    + [(r, "codex") for r in CODEX]
    + [(r, "pi") for r in PI]
    + [(r, "") for r in NONE]
    + [({"type": "started", "key": "v2:h", "agentId": "a"}, "journal")]
    + [({"type": "result", "key": "v2:h", "agentId": "a", "result": "x"}, "journal")],
)
def test_program_of_a_record(record, program):
    assert program_of(record) == program


@pytest.mark.parametrize(
    ("record", "program", "expected"),
    [
        ({"sessionId": "a", "session_id": "b"}, "claude", "a"),
        ({"session_id": "b"}, "claude", "b"),
        ({"sessionId": ""}, "claude", None),
        ({"sessionId": 5}, "claude", None),
        ({"type": "session_meta", "payload": {"id": "c"}}, "codex", "c"),
        ({"type": "event_msg", "payload": {"id": "x"}}, "codex", None),
        ({"id": "c", "timestamp": "t", "git": {}}, "codex", "c"),
        ({"type": "session", "id": "p"}, "pi", "p"),
        ({"type": "message", "id": "m"}, "pi", None),
    ],
)
def test_session_id_of_a_record(record, program, expected):
    assert session_id_of(record, program) == expected
