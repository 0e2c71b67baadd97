"""Workflow journals in a whole session: their signals, and nothing else of them."""

from __future__ import annotations

import pytest

from tests.extract.bundles import Extracted
from tests.fold.signal_lines import data_of, said

SESSION = "5b0f2f6e-9a0c-4c5e-8a52-0c9f4f4be111"
JOURNAL = b'{"type":"started","key":"h0","agentId":"a1"}\n{"type":"started","key":"h1","agentId":"a2"}\n'
RESULT = b'{"type":"result","key":"h0","agentId":"a1","result":"x"}\n'


@pytest.fixture
def extracted(tmp_path):
    """Rows of a table after extracting a session with this journal."""

    def run(journal: bytes, table: str):
        main = tmp_path / "projects" / "-w" / f"{SESSION}.jsonl"
        run_dir = main.with_suffix("") / "subagents" / "workflows" / "wf_1"
        run_dir.mkdir(parents=True)
        main.write_bytes(data_of(said("hello")))
        (run_dir / "journal.jsonl").write_bytes(journal)
        made = Extracted(tmp_path / "projects", tmp_path / "lake", with_raw=False)
        assert made.errors == []
        return made.rows(table)

    return run


def test_starts_and_results_become_signals(extracted):
    rows = extracted(JOURNAL + RESULT, "agent_signals")
    columns = ("signal", "agent_id", "status", "line_no", "seq", "run_id", "key", "carrier", "strict")
    assert [tuple(row[name] for name in columns) for row in rows] == [
        ("launched", "a1", "", 1, 0, "wf_1", "h0:a1", "journal", False),
        ("launched", "a2", "", 2, 1, "wf_1", "h1:a2", "journal", False),
        ("ended", "a1", "completed", 3, 2, "wf_1", "h0:a1", "journal", False),
    ]
    assert {(row["session_id"], row["agent"]) for row in rows} == {(SESSION, "claude")}
    assert {row["path"].rsplit("/", 1)[1] for row in rows} == {"journal.jsonl"}


def test_a_bad_line_is_told_in_files(extracted):
    rows = {row["kind"]: row for row in extracted(JOURNAL + b"{torn", "files")}
    assert rows["journal"]["read_error"].startswith("line 3: ")
    assert rows["main"]["read_error"] is None
