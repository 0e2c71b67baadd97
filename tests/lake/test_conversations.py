"""The stored identities: what a refresh reads, and that piecemeal equals all at once (I-2 to I-6)."""

from __future__ import annotations

import random
import time
from collections import Counter
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tracelake.lake import conversations
from tracelake.lake.conversation_table import conversation_files
from tracelake.lake.conversations import project_dir_of, refresh_conversations
from tracelake.lake.layout import LakePaths
from tracelake.lake.manifest import Manifest, SessionState

FILES = pa.schema(
    [(name, pa.string()) for name in ("path", "session_id", "agent", "kind", "root_uuid", "root_logical_parent_uuid")]
    + [("root_timestamp", pa.string()), ("root_line_no", pa.int64()), ("first_oversize_line", pa.int64())]
    + [("read_error", pa.string()), ("reason", pa.string())]
)
ENTRIES = pa.schema([("path", pa.string()), ("line_no", pa.int64()), ("status", pa.string()), ("uuid", pa.string())])


class Record(NamedTuple):
    """One line with a uuid."""

    uuid: str
    parent: str | None = None
    continues: str | None = None


class Lake:
    """A lake of root files alone, and what a refresh reads of it."""

    def __init__(self, root, monkeypatch) -> None:
        self.paths = LakePaths(root)
        self.manifest = Manifest()
        self.read: Counter[tuple[str, str]] = Counter()
        self._clock = 0
        real = conversations._query

        def counting(paths, manifest, table, sessions, sql, params=None):
            self.read.update((table, session) for session in sessions)
            return real(paths, manifest, table, sessions, sql, params)

        monkeypatch.setattr(conversations, "_query", counting)

    def put(self, session_id: str, *records: Record, path: str | None = None, agent="claude", **facts: Any) -> None:
        """Write the partition of a session with one root file."""
        self._clock += 1
        path = path or f"/p/{session_id}.jsonl"
        root = next(((n, r) for n, r in enumerate(records, 1) if r.parent is None), None)
        file = {"path": path, "session_id": session_id, "agent": agent, "kind": "main", **facts}
        if root:
            file |= {"root_line_no": root[0], "root_uuid": root[1].uuid, "root_logical_parent_uuid": root[1].continues}
        lines = [{"path": path, "line_no": n, "status": "ok", "uuid": r.uuid} for n, r in enumerate(records, 1)]
        for table, schema, rows in (("files", FILES, [file]), ("entries", ENTRIES, lines)):
            target = self.paths.partition_file(table, session_id)
            target.parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(pa.Table.from_pylist(rows, schema=schema), target)
        rows_of = {"files": 1, "entries": len(lines)}
        self.manifest.sessions[session_id] = SessionState(rows_of, {}, [], self._clock, 1, True, 0, len(lines))

    def refresh(self) -> dict[str, tuple[str | None, str | None]]:
        """Refresh, and return stable id and degradation by path."""
        self.read.clear()
        refresh_conversations(self.paths, self.manifest)
        rows = pq.read_table(conversation_files(self.paths).table).to_pylist()
        return {row["path"]: (row["stable_id"], row["degraded"]) for row in rows}

    def whole(self) -> dict[str, tuple[str | None, str | None]]:
        """Forget everything, then refresh."""
        conversation_files(self.paths).state.unlink()
        return self.refresh()


@pytest.fixture
def lake(tmp_path, monkeypatch):
    return Lake(tmp_path / "lake", monkeypatch)


ORIGIN = (Record("A"), Record("B", "A"))


def test_a_restart_and_its_fork_join_the_origin(lake):
    lake.put("o", *ORIGIN)
    lake.put("p", Record("K", None, "B"), Record("X", "K"))
    lake.put("q", Record("K", None, "B"), Record("Y", "K"))
    assert lake.refresh() == {f"/p/{name}.jsonl": ("A", None) for name in "opq"}


def test_nothing_is_read_when_nothing_changed(lake):
    lake.put("o", *ORIGIN)
    lake.put("agents-only", path="/p/x/subagents/agent-a.jsonl", kind="subagent")
    first = lake.refresh()
    assert lake.read
    assert lake.refresh() == first
    assert not lake.read


def test_a_new_restart_reads_its_own_project_and_nothing_else(lake):
    lake.put("o", *ORIGIN)
    lake.put("stranger", Record("S"))
    lake.put("elsewhere", *ORIGIN, path="/other/e.jsonl")
    assert lake.refresh()["/p/o.jsonl"] == ("A", None)
    lake.put("p", Record("K", None, "B"))
    assert lake.refresh()["/p/p.jsonl"] == ("A", None)
    assert lake.read == {("files", "p"): 1, ("entries", "p"): 1, ("entries", "o"): 1, ("entries", "stranger"): 1}


def test_a_fork_of_a_known_restart_reads_itself_alone(lake):
    lake.put("o", *ORIGIN)
    lake.put("p", Record("K", None, "B"))
    lake.refresh()
    lake.put("q", Record("K", None, "B"))
    assert lake.refresh()["/p/q.jsonl"] == ("A", None)
    assert {session for _, session in lake.read} == {"q"}


def test_a_session_that_goes_takes_its_answer_along(lake):
    lake.put("o", *ORIGIN)
    lake.put("p", Record("K", None, "B"))
    lake.refresh()
    del lake.manifest.sessions["o"]
    assert lake.refresh() == {"/p/p.jsonl": ("K", "missing")}
    assert not lake.read


def test_piecemeal_equals_all_at_once(lake):
    rng = random.Random(7)
    for step in range(12):
        number = rng.randrange(6)
        continues = rng.choice([None, f"u{rng.randrange(6)}", "never"])
        lake.put(f"s{number}", Record(f"r{rng.randrange(4)}", None, continues), Record(f"u{rng.randrange(6)}", "x"))
        if step % 4 == 3:
            lake.manifest.sessions.pop(f"s{rng.randrange(6)}", None)
        piecemeal = lake.refresh()
        assert piecemeal == lake.whole()


def test_an_oversize_line_hides_what_follows_it_and_a_read_error_what_it_may_hide(lake):
    lake.put("k", Record("K", None, "B"))
    lake.put("o", *ORIGIN, first_oversize_line=2)
    assert lake.refresh()["/p/k.jsonl"] == ("K", "missing")
    rows = {row["path"]: row for row in pq.read_table(conversation_files(lake.paths).table).to_pylist()}
    assert rows["/p/k.jsonl"]["unreadable_siblings"] == ["/p/o.jsonl"]
    assert rows["/p/o.jsonl"]["stable_id"] == "A"  # reading stops at the root, before the long line
    lake.put("o", Record("A"), read_error="I/O error")
    lake.refresh()
    rows = {row["path"]: row for row in pq.read_table(conversation_files(lake.paths).table).to_pylist()}
    assert rows["/p/k.jsonl"]["unreadable_siblings"] == ["/p/o.jsonl"]


def test_a_file_without_identity_says_why(lake):
    lake.put("n", Record("u", "p"))
    lake.put("b", first_oversize_line=1)
    lake.put("e", read_error="Permission denied")
    lake.put("x", kind="unrecognised", agent="", read_error="Permission denied")
    lake.put("y", kind="unrecognised", agent="", reason="JSON lines of no known agent")
    lake.refresh()
    rows = pq.read_table(conversation_files(lake.paths).table).to_pylist()
    assert {row["path"]: row["identity_error"] for row in rows} == {
        "/p/n.jsonl": "no_origin",
        "/p/b.jsonl": "unreadable",
        "/p/e.jsonl": "unreadable",
        "/p/x.jsonl": "unreadable",
    }


def test_a_damaged_state_is_made_anew(lake):
    lake.put("o", *ORIGIN)
    before = lake.refresh()
    conversation_files(lake.paths).state.write_bytes(b"{")
    assert lake.refresh() == before


@pytest.mark.parametrize(
    ("agent", "path", "expected"),
    [
        ("claude", "/c/projects/-w/s.jsonl", "/c/projects/-w"),
        ("claude", "/c/sessions/s.jsonl", "/c/sessions"),
        ("codex", "/h/.codex/sessions/2026/07/01/rollout-x.jsonl", "/h/.codex"),
        ("codex", "/h/.codex/archived_sessions/rollout-x.jsonl", "/h/.codex"),
        ("codex", "/sessions/box/.codex/sessions/2026/07/01/rollout-x.jsonl", "/sessions/box/.codex"),
        ("codex", "/elsewhere/rollout-x.jsonl", "/elsewhere"),
        ("pi", "/h/sessions/--w--/a.jsonl", "/h/sessions/--w--"),
    ],
)
def test_where_the_other_files_of_a_conversation_lie(agent, path, expected):
    assert project_dir_of(agent, path) == expected


def test_a_codex_fork_of_another_day_joins_its_origin(lake):
    lake.put("o", Record("t1"), path="/h/sessions/2026/07/01/rollout-o.jsonl", agent="codex")
    lake.put("f", Record("t2", None, "t1"), path="/h/sessions/2026/07/09/rollout-f.jsonl", agent="codex")
    assert set(lake.refresh().values()) == {("t1", None)}


def test_a_pi_branch_may_name_the_file_it_began_from(lake):
    lake.put("o", Record("id-1"), path="/h/2026_id-1.jsonl", agent="pi")
    lake.put("b", Record("id-2", None, "/gone/sessions/2026_id-1.jsonl"), path="/h/2026_id-2.jsonl", agent="pi")
    assert set(lake.refresh().values()) == {("id-1", None)}


@pytest.mark.slow
def test_ten_thousand_sessions_take_seconds_and_no_file_is_read_twice(lake):
    """2,500 conversations of an origin, a restart, a fork of the restart and a second restart."""
    for number in range(2_500):
        first, second = f"K{number}", f"L{number}"
        lake.put(f"{number}a", Record(f"A{number}"), Record(f"B{number}", "x"))
        lake.put(f"{number}b", Record(first, None, f"B{number}"), Record(f"C{number}", first))
        lake.put(f"{number}c", Record(first, None, f"B{number}"))
        lake.put(f"{number}d", Record(second, None, f"C{number}"))
    started = time.perf_counter()
    answers = lake.refresh()
    taken = time.perf_counter() - started
    assert len(answers) == 10_000
    for number in range(2_500):
        assert {answers[f"/p/{number}{part}.jsonl"] for part in "abcd"} == {(f"A{number}", None)}
    assert max(lake.read.values()) == 1
    assert len(lake.read) == 20_000
    assert taken < 180
