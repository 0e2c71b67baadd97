"""The stored identities: what a refresh reads, and that piecemeal equals all at once (I-2 to I-6)."""

from __future__ import annotations

import random
import time
from collections import Counter
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tracelake.lake import conversations
from tracelake.lake.arrow import arrow_schema
from tracelake.lake.conversation_table import STATE, TABLE
from tracelake.lake.conversations import project_dir_of, refresh_conversations
from tracelake.lake.derived import derived_path
from tracelake.lake.layout import LakePaths
from tracelake.lake.manifest import Manifest
from tracelake.lake.segment_file import Origin
from tracelake.lake.segments import BundleWriter

from tests.lake.states import bundle_state, file_state, part_state, source_file


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
        real = conversations._query

        def counting(paths, manifest, table, sessions, sql, params=None):
            self.read.update((table, session) for session in sessions)
            return real(paths, manifest, table, sessions, sql, params)

        monkeypatch.setattr(conversations, "_query", counting)

    def put(self, session_id: str, *records: Record, path: str | None = None, agent="claude", **facts: Any) -> None:
        """Write a session of one root file anew, as the only part of another bundle."""
        part_id = self.manifest.next_part
        path = path or f"/p/{session_id}.jsonl"
        key = {"session_id": session_id, "agent": agent, "path": path, "part_id": part_id}
        root = next(((n, r) for n, r in enumerate(records, 1) if r.parent is None), None)
        file = {**key, "kind": "main", **facts}
        if root:
            file |= {"root_line_no": root[0], "root_uuid": root[1].uuid, "root_logical_parent_uuid": root[1].continues}
        lines = [{**key, "line_no": n, "status": "ok", "uuid": r.uuid} for n, r in enumerate(records, 1)]
        with BundleWriter(self.paths, f"b{part_id}") as writer:
            for table, rows in (("files", [file]), ("entries", lines)):
                writer.write_table(table, pa.Table.from_pylist(rows, schema=arrow_schema(table)))
            files = writer.finish(Origin(1, [part_id]))
        self.remove(session_id)
        counts = {"files": 1, "entries": len(lines)}
        part = part_state(path=path, session_id=session_id, bundle=f"b{part_id}", rows=counts)
        state = file_state(source_file(path, session_id=session_id), part_id=part_id)
        self._change(
            files={**self.manifest.files, path: state},
            parts={**self.manifest.parts, part_id: part},
            bundles={**self.manifest.bundles, f"b{part_id}": bundle_state([part_id], files=files)},
            next_part=part_id + 1,
        )

    def remove(self, session_id: str) -> None:
        """Leave nothing of a session."""
        gone = {number for number, part in self.manifest.parts.items() if part.session_id == session_id}
        files = {path: state for path, state in self.manifest.files.items() if state.part_id not in gone}
        self._change(files=files, parts={n: part for n, part in self.manifest.parts.items() if n not in gone})

    def _change(self, **changes: Any) -> None:
        self.manifest = msgspec.structs.replace(self.manifest, **changes)

    def refresh(self) -> dict[str, tuple[str | None, str | None]]:
        """Refresh, and return stable id and degradation by path."""
        self.read.clear()
        self._change(derived=refresh_conversations(self.paths, self.manifest))
        return {row["path"]: (row["stable_id"], row["degraded"]) for row in self.rows()}

    def rows(self) -> list[dict[str, Any]]:
        """The answers as they are stored."""
        return pq.read_table(derived_path(self.paths, self.manifest, TABLE)).to_pylist()

    def whole(self) -> dict[str, tuple[str | None, str | None]]:
        """Forget everything, then refresh."""
        self._change(derived={})
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
    lake.remove("o")
    assert lake.refresh() == {"/p/p.jsonl": ("K", "missing")}
    assert not lake.read


def test_piecemeal_equals_all_at_once(lake):
    rng = random.Random(7)
    for step in range(12):
        number = rng.randrange(6)
        continues = rng.choice([None, f"u{rng.randrange(6)}", "never"])
        lake.put(f"s{number}", Record(f"r{rng.randrange(4)}", None, continues), Record(f"u{rng.randrange(6)}", "x"))
        if step % 4 == 3:
            lake.remove(f"s{rng.randrange(6)}")
        piecemeal = lake.refresh()
        assert piecemeal == lake.whole()


def test_an_oversize_line_hides_what_follows_it_and_a_read_error_what_it_may_hide(lake):
    lake.put("k", Record("K", None, "B"))
    lake.put("o", *ORIGIN, first_oversize_line=2)
    assert lake.refresh()["/p/k.jsonl"] == ("K", "missing")
    rows = {row["path"]: row for row in lake.rows()}
    assert rows["/p/k.jsonl"]["unreadable_siblings"] == ["/p/o.jsonl"]
    assert rows["/p/o.jsonl"]["stable_id"] == "A"  # reading stops at the root, before the long line
    lake.put("o", Record("A"), read_error="I/O error")
    lake.refresh()
    rows = {row["path"]: row for row in lake.rows()}
    assert rows["/p/k.jsonl"]["unreadable_siblings"] == ["/p/o.jsonl"]


def test_a_file_without_identity_says_why(lake):
    lake.put("n", Record("u", "p"))
    lake.put("b", first_oversize_line=1)
    lake.put("e", read_error="Permission denied")
    lake.put("x", kind="unrecognised", agent="", read_error="Permission denied")
    lake.put("y", kind="unrecognised", agent="", reason="JSON lines of no known agent")
    lake.refresh()
    rows = lake.rows()
    assert {row["path"]: row["identity_error"] for row in rows} == {
        "/p/n.jsonl": "no_origin",
        "/p/b.jsonl": "unreadable",
        "/p/e.jsonl": "unreadable",
        "/p/x.jsonl": "unreadable",
    }


def test_a_damaged_state_is_made_anew(lake):
    lake.put("o", *ORIGIN)
    before = lake.refresh()
    derived_path(lake.paths, lake.manifest, STATE).write_bytes(b"{")
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
