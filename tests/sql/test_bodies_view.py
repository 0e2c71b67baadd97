"""`bodies` lists equal bodies once; `strict_agent_signals` leaves out refused files."""

from __future__ import annotations

from tests.sql.lakes import MakeLake


def test_equal_bodies_are_one_row(make_lake: MakeLake) -> None:
    call = {"record_no": 0, "call_index": 0, "tool_name": "Read", "input_sha256": "a", "input_bytes": 7}
    result = {
        "record_no": 0,
        "block_index": 0,
        "seq": 0,
        "body_sha256": "b",
        "body_bytes": 5,
        "media_type": "text/plain",
    }
    lake = make_lake(
        {
            "tool_calls": [{**call, "line_no": 4}, {**call, "line_no": 2}],
            "tool_results": [{**result, "line_no": 3}],
            "attachments": [{"line_no": 9, "record_no": 0, "block_index": 0, "sha256": "b", "bytes": 5}],
        }
    )
    columns = "sha256, bytes, is_input, is_result, is_attachment, occurrences, occurrences_bytes, line_no"
    assert [tuple(row.values()) for row in lake.ask(f"SELECT {columns} FROM bodies ORDER BY sha256")] == [
        ("a", 7, True, False, False, 2, 14, 2),
        ("b", 5, False, True, True, 2, 10, 3),
    ]


def test_a_refused_file_has_no_signals_by_the_exact_rule(make_lake: MakeLake) -> None:
    """B-1: a file that strict reading refuses is unknown, whatever its lines before the damage say."""
    signal = {"line_no": 2, "record_no": 0, "seq": 0, "signal": "launched", "agent_id": "wren", "strict": True}
    sound = {"session_id": "s1", "path": "/p/s1.jsonl", "kind": "main"}
    torn = {"session_id": "s1", "path": "/p/s2.jsonl", "kind": "main", "strict_error": "line 3: torn"}
    rows = [{**signal, "session_id": "s1", "path": file["path"]} for file in (sound, torn)]
    lake = make_lake({"files": [sound, torn], "agent_signals": rows})
    assert lake.ask("SELECT path, agent_id FROM strict_agent_signals") == [{"path": "/p/s1.jsonl", "agent_id": "wren"}]
