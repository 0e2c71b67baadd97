"""Codex and pi sessions through a whole task: rows of `files`, compressed rollouts, several files of one thread."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

from tests.extract.bundles import Extracted
from tests.fold.rollouts import count, entry, lines, message, meta, said

SPAWN = {"subagent": {"thread_spawn": {"parent_thread_id": "p1", "depth": 1, "agent_role": "explorer"}}}


def compressed(data: bytes) -> bytes:
    return bytes(pa.compress(data, codec="zstd", asbytes=True))


def test_a_compressed_rollout_is_read_like_a_plain_one(tmp_path: Path) -> None:
    data = lines(meta("z1"), said("user", "hi"), count((3, 0, 1), (3, 0, 1)))
    (tmp_path / "in").mkdir()
    (tmp_path / "in/rollout.jsonl.zst").write_bytes(compressed(data))
    made = Extracted(tmp_path / "in", tmp_path / "out")
    (file,) = made.rows("files")
    assert (file["lines"], file["lf_count"], file["bytes"]) == (3, 3, len(data))
    assert str(file["path"]).endswith("/rollout.jsonl.zst")
    entries = made.rows("entries")
    assert sum(int(str(row["byte_len"])) for row in entries) == len(data)
    raw = [row["raw"] for row in made.rows("raw_lines")]
    assert b"\n".join(map(bytes, raw)) + b"\n" == data  # type: ignore[arg-type]
    assert made.errors == []


def test_a_compressed_rollout_that_breaks_off_says_so(tmp_path: Path) -> None:
    data = lines(meta("z1"), *[said("user", str(number) * 100) for number in range(3000)])
    (tmp_path / "in").mkdir()
    (tmp_path / "in/rollout.jsonl.zst").write_bytes(compressed(data) + compressed(data)[:-20])
    made = Extracted(tmp_path / "in", tmp_path / "out")
    (file,) = made.rows("files")
    assert "runcated" in str(file["read_error"])
    assert len(made.rows("entries")) >= 3001


def test_a_sub_agent_names_the_session_that_started_it(tmp_path: Path) -> None:
    (tmp_path / "child.jsonl").write_bytes(lines(meta("c1", source=SPAWN, agent_nickname="Ada"), said("user", "look")))
    (file,) = Extracted(tmp_path, tmp_path / "out").rows("files")
    assert (file["kind"], file["parent_session_id"], file["is_subagent_record"]) == ("subagent", "p1", True)
    assert (file["meta_agent_type"], file["meta_description"], file["meta_spawn_depth"]) == ("explorer", "Ada", 1)
    assert (file["root_uuid"], file["parent_path"], file["meta_tool_use_id"]) == ("c1", None, None)


def test_a_fork_names_its_origin(tmp_path: Path) -> None:
    (tmp_path / "fork.jsonl").write_bytes(lines(meta("f1", forked_from_id="o1"), meta("o1"), said("user", "x")))
    (file,) = Extracted(tmp_path, tmp_path / "out").rows("files")
    assert (file["root_uuid"], file["root_logical_parent_uuid"]) == ("f1", "o1")
    assert (file["kind"], file["parent_session_id"]) == ("main", None)
    assert file["record_session_ids"] == ["f1", "o1"]


@pytest.mark.parametrize("agent", ["codex", "pi"])
def test_rows_name_their_agent(tmp_path: Path, agent: str) -> None:
    made = {
        "codex": lines(meta("s1", cwd="/w/owl"), said("user", "hi")),
        "pi": lines(entry("session", "s1", cwd="/w/owl"), message("user", "hi")),
    }
    (tmp_path / "s.jsonl").write_bytes(made[agent])
    partition = Extracted(tmp_path, tmp_path / "out")
    for table in ("files", "entries", "messages", "blocks", "raw_lines"):
        assert {row["agent"] for row in partition.rows(table)} == {agent}
    (file,) = partition.rows("files")
    assert (file["project"], file["start_cwd"], file["kind"]) == ("-w-owl", "/w/owl", "main")
    assert json.dumps(partition.rows("messages")[0]["content"]) == '"hi"'
