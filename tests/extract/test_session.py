"""One task: files in, a staged partition out; what is kept is carried over."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from tracelake.fold.agents import FOLDS
from tracelake.lake.tasks import EarlierPart

from tests.extract.bundles import Extracted, sessions_below

SESSION = "5b0f2f6e-9a0c-4c5e-8a52-0c9f4f4be111"


def user(uuid, text, **more):
    return {"type": "user", "uuid": uuid, "sessionId": SESSION, "message": {"role": "user", "content": text}, **more}


def called(uuid, call_id, name="Bash", **more):
    block = {"type": "tool_use", "id": call_id, "name": name, "input": {"command": "ls"}}
    message = {"role": "assistant", "id": "m" + uuid, "model": "m-a", "content": [block], "usage": {"input_tokens": 1}}
    return {"type": "assistant", "uuid": uuid, "sessionId": SESSION, "message": message, **more}


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "projects" / "-w"
    folder.mkdir(parents=True)
    return folder


def write(path, *records, tail=b""):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(json.dumps(record).encode() + b"\n" for record in records) + tail)
    return path


def test_every_line_and_byte_is_accounted_for(project, tmp_path):
    path = write(project / f"{SESSION}.jsonl", user("u1", "hi"), called("u2", "t1"), tail=b'\n# note\r\n{"type":')
    made = Extracted(project.parent, tmp_path / "lake")
    (file,) = made.rows("files")
    entries = made.rows("entries")
    assert [entry["status"] for entry in entries] == ["ok", "ok", "blank", "bad_json", "torn"]
    assert (file["lines"], file["lf_count"], file["ends_with_lf"], file["torn_tail"]) == (5, 4, False, True)
    assert sum(entry["byte_len"] for entry in entries) == file["bytes"] == path.stat().st_size
    raw = b"\n".join(row["raw"] for row in made.rows("raw_lines"))
    assert raw == path.read_bytes()
    (part,) = made.parts
    assert part.statuses == {"ok": 2, "blank": 1, "bad_json": 1, "torn": 1}


def test_no_raw_lines_when_not_wanted(project, tmp_path):
    write(project / f"{SESSION}.jsonl", user("u1", "hi"))
    made = Extracted(project.parent, tmp_path / "lake", with_raw=False)
    assert made.tables() == ["citations", "entries", "files", "messages"]
    assert made.parts[0].rows["entries"] == 1


def test_a_table_without_rows_has_no_file(project, tmp_path):
    write(project / f"{SESSION}.jsonl", {"type": "mode", "mode": "plan"})
    made = Extracted(project.parent, tmp_path / "lake")
    assert made.tables() == ["entries", "files", "raw_lines"]


def test_an_empty_transcript_is_listed(project, tmp_path):
    write(project / f"{SESSION}.jsonl")
    (file,) = Extracted(project.parent, tmp_path / "lake").rows("files")
    assert (file["kind"], file["lines"], file["bytes"], file["ends_with_lf"]) == ("main", 0, 0, None)


def test_parent_is_the_file_that_made_the_dispatching_call(project, tmp_path):
    side = {"isSidechain": True, "agentId": "b"}
    main = write(project / f"{SESSION}.jsonl", user("u1", "go"), called("u2", "t1", "Agent"))
    agents = project / SESSION / "subagents"
    first = write(agents / "agent-a.jsonl", user("a1", "sub", **side), called("a2", "t2", "Agent", **side))
    second = write(agents / "agent-b.jsonl", user("b1", "subsub", **side))
    third = write(agents / "agent-c.jsonl", user("c1", "no meta", **side))
    (agents / "agent-a.meta.json").write_text('{"agentType":"Explore","toolUseId":"t1","spawnDepth":1}')
    (agents / "agent-b.meta.json").write_text('{"agentType":"Plan","toolUseId":"t2","parentAgentId":"a"}')
    files = {row["path"]: row for row in Extracted(project.parent, tmp_path / "lake").rows("files")}
    assert files[str(first)]["parent_path"] == str(main)
    assert files[str(second)]["parent_path"] == str(first)
    assert files[str(third)]["parent_path"] == str(main)  # by location
    assert files[str(main)]["parent_path"] is None
    assert {row["root_path"] for row in files.values() if row["kind"] == "subagent"} == {str(main)}
    assert (files[str(first)]["meta_agent_type"], files[str(first)]["meta_spawn_depth"]) == ("Explore", 1)
    assert files[str(agents / "agent-a.meta.json")]["kind"] == "sidecar"


def test_s2_a_malformed_meta_does_not_make_a_sub_agent(project, tmp_path):
    path = write(project / SESSION / "subagents" / "agent-a.jsonl", user("a1", "x"))
    path.with_name("agent-a.meta.json").write_text('{"spawnDepth":"1"}')
    files = {row["path"]: row for row in Extracted(project.parent, tmp_path / "lake").rows("files")}
    row = files[str(path)]
    assert (row["is_subagent_transcript"], row["is_subagent_record"]) == (False, True)
    assert row["meta_error"] is not None


def test_i1_root_is_the_first_parentless_record_with_a_uuid(project, tmp_path):
    write(
        project / f"{SESSION}.jsonl",
        {"type": "mode"},
        {"uuid": "c", "parentUuid": "z"},
        {"uuid": "e", "parentUuid": ""},
        {"uuid": "r", "parentUuid": None, "logicalParentUuid": "q", "timestamp": "2031-05-01T08:00:00Z"},
        {"uuid": "later", "parentUuid": None},
    )
    (file,) = Extracted(project.parent, tmp_path / "lake").rows("files")
    found = (file["root_uuid"], file["root_logical_parent_uuid"], file["root_timestamp"])
    assert found == ("r", "q", "2031-05-01T08:00:00Z")


def test_i9_start_time_and_cwd_come_from_the_first_line_that_has_one(project, tmp_path):
    write(
        project / f"{SESSION}.jsonl",
        {"type": "queue-operation", "timestamp": "2026-03-01T08:00:00Z"},
        user("u1", "x", cwd="/w", timestamp="2026-03-01T08:00:05Z"),
        user("u2", "x", cwd="/w/sub", timestamp="2026-03-01T08:00:09Z"),
    )
    (file,) = Extracted(project.parent, tmp_path / "lake").rows("files")
    assert (file["start_time"].isoformat(), file["start_cwd"]) == ("2026-03-01T08:00:00+00:00", "/w")
    assert file["end_time"].isoformat() == "2026-03-01T08:00:09+00:00"
    assert file["cwds"] == ["/w", "/w/sub"]


def refuse(os_path):
    raise PermissionError(13, "Permission denied", os_path)


def test_an_unreadable_file_says_why_and_leaves_its_earlier_part_live(project, tmp_path, monkeypatch):
    write(project / f"{SESSION}.jsonl", user("u1", "go"))
    write(project / SESSION / "subagents" / "agent-a.jsonl", user("a1", "sub"))
    monkeypatch.setattr(sys.modules["tracelake.extract.session"], "open_transcript", refuse)
    before = {f"{SESSION}.jsonl": EarlierPart(9, "b0")}
    made = Extracted(project.parent, tmp_path / "lake", sessions=sessions_below(project.parent, before))
    main, sub = made.parts
    assert [(part.keeps_before, part.error) for part in (sub, main)] == [
        (False, "Permission denied"),
        (True, "Permission denied"),
    ]
    assert (made.result.parts, made.result.born_dead) == ([sub.part_id], [main.part_id])
    assert made.rows("entries") == []
    assert {row["part_id"]: row["read_error"] for row in made.rows("files")} == dict.fromkeys(
        (1, 2), "Permission denied"
    )


def test_a_session_that_fails_takes_nothing_else_along(project, tmp_path, monkeypatch):
    other = "5b0f2f6e-9a0c-4c5e-8a52-0c9f4f4be222"
    write(project / f"{SESSION}.jsonl", user("u1", "go"))
    write(project / f"{other}.jsonl", user("o1", "go", sessionId=other))
    whole = Extracted(project.parent, tmp_path / "whole")

    class Broken(FOLDS["claude"]):
        def feed(self, line, decoded):
            if b"o1" in line.data:
                raise ValueError("no\nway")
            return super().feed(line, decoded)

    monkeypatch.setitem(FOLDS, "claude", Broken)
    made = Extracted(project.parent, tmp_path / "lake")
    good, failed = made.result.sessions
    assert (good.failure, failed.failure, failed.parts) == (None, "ValueError: no way", [])
    assert (made.result.parts, made.result.born_dead) == ([1], [2])
    live = [row for row in made.rows("entries") if row["part_id"] == 1]
    assert live == [row for row in whole.rows("entries") if row["part_id"] == 1] != []


def test_rows_name_the_part_of_their_file(project, tmp_path):
    write(project / f"{SESSION}.jsonl", user("u1", "go"))
    write(project / SESSION / "subagents" / "agent-a.jsonl", user("a1", "sub"), called("a2", "t1"))
    made = Extracted(project.parent, tmp_path / "lake")
    paths = {part.part_id: part.path for part in made.parts}
    assert sorted(paths) == [1, 2]
    for table in made.tables():
        assert {(row["part_id"], row["path"]) for row in made.rows(table)} <= paths.items(), table
    counted = [
        {table: sum(row["part_id"] == number for row in made.rows(table)) for table in made.tables()}
        for number in paths
    ]
    assert [{name: count for name, count in one.items() if count} for one in counted] == [
        part.rows for part in made.parts
    ]


def test_an_oversize_line_is_kept_whole_in_raw_lines(project, tmp_path):
    text = "y" * (17 << 20)
    path = write(project / f"{SESSION}.jsonl", user("u1", "a"), user("u2", text), user("u3", "b"))
    made = Extracted(project.parent, tmp_path / "lake")
    assert [entry["status"] for entry in made.rows("entries")] == ["ok", "oversize", "ok"]
    (file,) = made.rows("files")
    assert file["first_oversize_line"] == 2
    assert file["strict_error"] == "line 2: line over 16 MiB; 1 long values shortened"
    lines: dict[int, bytes] = {}
    for row in sorted(made.rows("raw_lines"), key=lambda row: (row["line_no"], row["chunk_no"])):
        lines[row["line_no"]] = lines.get(row["line_no"], b"") + row["raw"]
    assert b"".join(line + b"\n" for line in lines.values()) == path.read_bytes()
    assert sum(entry["byte_len"] for entry in made.rows("entries")) == path.stat().st_size


def test_a_progress_line_is_a_usage_row_of_its_own_kind(project, tmp_path):
    copied = {
        "type": "assistant",
        "requestId": "r9",
        "timestamp": "2031-05-01T08:00:01Z",
        "message": {"id": "m9", "model": "m-b", "usage": {"input_tokens": 3, "output_tokens": 1}},
    }
    progress = {
        "type": "progress",
        "timestamp": "2031-05-01T08:00:02Z",
        "data": {"type": "agent_progress", "message": copied},
    }
    write(project / f"{SESSION}.jsonl", user("u1", "x"), progress, {"type": "progress", "data": {"usage": 1}})
    (row,) = Extracted(project.parent, tmp_path / "lake").rows("token_usage")
    assert (row["carrier"], row["message_id"], row["request_id"], row["is_sidechain"]) == ("progress", "m9", "r9", True)
    assert (row["input_tokens"], row["usage_final"], row["message_ordinal"]) == (3, False, None)
    assert row["occurred_at"].isoformat() == "2031-05-01T08:00:01+00:00"


def test_file_names_that_are_not_utf8_and_ids_that_are_no_paths(project, tmp_path):
    strange = Path(os.fsdecode(os.fsencode(project) + b"/caf\xe9.jsonl"))
    strange.write_bytes(json.dumps({**user("u1", "x"), "sessionId": SESSION}).encode() + b"\n")
    (file,) = Extracted(project.parent, tmp_path / "lake").rows("files")
    assert file["path"].endswith("/caf\\xe9.jsonl")
