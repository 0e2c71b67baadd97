"""Workflow journals: starts and results, whatever else the lines hold."""

from __future__ import annotations

import io

from tracelake.sources.journals import JournalEntry, read_journal


def entries(data: bytes):
    return list(read_journal(io.BytesIO(data)))


def test_starts_and_results():
    data = (
        b'{"type":"started","key":"v2:h0","agentId":"a1"}\n'
        b"\n"
        b'{"type":"result","key":"v2:h0","agentId":"a1","result":{"deep":[1]}}'
    )
    assert entries(data) == [
        JournalEntry(1, "started", "a1", "v2:h0"),
        JournalEntry(3, "result", "a1", "v2:h0"),
    ]


def test_a_bad_line_is_named_and_passed_over():
    found = entries(b'{"type":"started"\n[]\n{"type":5}\n{"type":"started","agentId":"a1"}\n')
    assert [entry.error is None for entry in found] == [False, False, False, True]
    assert [entry.error.split(":")[0] for entry in found[:3]] == ["line 1", "line 2", "line 3"]
    assert found[3] == JournalEntry(4, "started", "a1", "")


def test_a_line_over_the_limit_is_passed_over():
    data = (
        b'{"type":"result","agentId":"a1","result":"' + b"x" * (16 << 20) + b'"}\n{"type":"started","agentId":"a2"}\n'
    )
    assert entries(data) == [
        JournalEntry(1, "", "", "", "line 1: over 16 MiB"),
        JournalEntry(2, "started", "a2", ""),
    ]
