"""Where a file belongs, asked of the file system (I-7 to I-14, S-6, S-8), with the specification's examples."""

import json
import os
from pathlib import Path

import pytest
from tracelake import provenance
from tracelake.provenance import (
    NoPathError,
    NotAnAgentIdError,
    belongs_to_session,
    belongs_to_tree,
    current_session_path,
    descendant_subagent_paths,
    encode_project_dir,
    project_dir,
    relocate_record,
    resolve_work_dir,
    subagent_paths,
    subagent_transcript_path,
    subagents_linkable,
)


@pytest.fixture(autouse=True)
def no_settings(monkeypatch):
    for name in ("CLAUDE_CONFIG_DIR", "CLAUDE_CODE_SESSION_ID", "SR_TRANSCRIPT"):
        monkeypatch.delenv(name, raising=False)


def write(path, *records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def ids(path, *session_ids):
    return write(path, *[{"sessionId": session_id} for session_id in session_ids])


@pytest.mark.parametrize(
    ("named", "foreign"),
    [
        (["old", "old", "new"], None),
        (["x"], "x"),
        ([], None),
        (["", "new"], None),
        (["", "y", "x"], "y"),
    ],
)
def test_i7_session(tmp_path, named, foreign):
    assert belongs_to_session(ids(tmp_path / "s.jsonl", *named), "new") == foreign


def test_i7_an_empty_id_and_a_missing_file_are_accepted(tmp_path):
    assert belongs_to_session(ids(tmp_path / "s.jsonl", "x"), "") is None
    assert belongs_to_session(tmp_path / "gone.jsonl", "new") is None


def test_i7_i8_a_file_that_cannot_be_read_to_a_decision_is_accepted(tmp_path):
    path = write(tmp_path / "s.jsonl", {"sessionId": "x", "cwd": "/z"})
    assert (belongs_to_session(path, "new"), belongs_to_tree(path, "/w")) == ("x", "/z")
    with path.open("ab") as stream:
        stream.write(b'{"a":"' + b"x" * (17 << 20) + b'"}\n')
    assert (belongs_to_session(path, "new"), belongs_to_tree(path, "/w")) == (None, None)


def test_i13_a_record_with_an_oversize_line_before_its_id_is_not_taken(tmp_path):
    moved = tmp_path / "projects" / "-wt" / "s9.jsonl"
    moved.parent.mkdir(parents=True)
    moved.write_bytes(b'{"a":"' + b"x" * (17 << 20) + b'"}\n{"sessionId":"s9"}\n')
    reported = str(tmp_path / "projects" / "-main" / "s9.jsonl")
    assert relocate_record(str(tmp_path), reported) == reported


@pytest.mark.parametrize(
    ("cwds", "asked", "foreign"),
    [
        (["/w/app/sub"], "/w/app", None),
        (["/w/app-two"], "/w/app", "/w/app-two"),
        (["/w/app"], "/", "/w/app"),
        (["/"], "/", None),
        ([], "/w", None),
        (["/z"], "", None),
        (["/z", "/w/app"], "/w/app", None),
    ],
)
def test_i8_tree(tmp_path, cwds, asked, foreign):
    path = write(tmp_path / "s.jsonl", *[{"cwd": cwd} for cwd in cwds])
    assert belongs_to_tree(path, asked) == foreign


def test_i8_symlinks_are_resolved_on_both_sides(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    path = write(tmp_path / "s.jsonl", {"cwd": f"{tmp_path}/link/gone/deeper"})
    assert belongs_to_tree(path, f"{tmp_path}/real") is None


def test_i10_encoding_is_one_dash_per_character():
    assert encode_project_dir("/srv/app_x/v1.2") == "-srv-app-x-v1-2" == encode_project_dir("/srv/app-x/v1/2")
    assert encode_project_dir("/a/.b") == "-a--b"
    assert encode_project_dir("/é😀") == "---"


def test_i11_the_longest_existing_ancestor_is_resolved(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert resolve_work_dir(f"{tmp_path}/link/a/b") == f"{os.path.realpath(tmp_path)}/real/a/b"
    assert resolve_work_dir("") == ""


def test_i12_project_dir_follows_symlinks(tmp_path):
    (tmp_path / "mnt").mkdir()
    (tmp_path / "w").symlink_to(tmp_path / "mnt")
    expected = encode_project_dir(os.path.realpath(tmp_path / "mnt"))
    assert project_dir(str(tmp_path / "w"), tmp_path / "c") == f"{tmp_path}/c/projects/{expected}"


def test_i13_a_moved_record_is_found_by_its_session_id(tmp_path):
    config = str(tmp_path)
    projects = tmp_path / "projects"
    reported = str(projects / "-main" / "s9.jsonl")
    ids(projects / "-a" / "s9.jsonl", "other")
    ids(projects / "-b" / "s9.jsonl")
    moved = ids(projects / "-wt" / "s9.jsonl", "s9")
    assert relocate_record(config, reported) == str(moved)
    agent = ids(projects / "-wt" / "s9" / "subagents" / "agent-a.jsonl", "s9")
    assert relocate_record(config, str(projects / "-main" / "s9" / "subagents" / "agent-a.jsonl")) == str(agent)


def test_i13_only_a_relocation_that_was_found_is_remembered(tmp_path):
    config, projects = str(tmp_path), tmp_path / "projects"
    (projects / "-a").mkdir(parents=True)
    reported = str(projects / "-a" / "s5.jsonl")
    assert relocate_record(config, reported) == reported  # nowhere yet
    moved = ids(projects / "-b" / "s5.jsonl", "s5")
    assert relocate_record(config, reported) == str(moved)
    again = moved.rename(ids(projects / "-c" / "other.jsonl").with_name("s5.jsonl"))
    assert relocate_record(config, reported) == str(again)
    (projects / "-a" / "s5.jsonl").symlink_to(projects / "gone.jsonl")  # a dangling link is no file
    assert relocate_record(config, reported) == str(again)
    (projects / "-a" / "s5.jsonl").unlink()
    ids(projects / "-a" / "s5.jsonl", "s5")
    assert relocate_record(config, reported) == reported


def test_i13_what_is_no_moved_record_stays_as_it_is(tmp_path):
    existing = ids(tmp_path / "projects" / "-a" / "s.jsonl", "s")
    for path in (str(existing), "", "/nowhere/x.jsonl", "/elsewhere/projects/-a/s.jsonl"):
        assert relocate_record(str(tmp_path), path) == path
    assert relocate_record("", "/x/projects/-a/s.jsonl") == "/x/projects/-a/s.jsonl"


def test_i14_the_current_session_is_found_from_below_and_by_id(tmp_path, monkeypatch):
    work = tmp_path / "w"
    (work / "a" / "b").mkdir(parents=True)
    config = tmp_path / "c"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(config))
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", " s1 ")
    path = write(Path(project_dir(str(work))) / "s1.jsonl", {"sessionId": "s1", "cwd": str(work / "a" / "b")})
    assert current_session_path(str(work / "a" / "b")) == str(path)  # at the third folder tried
    assert current_session_path("/") == str(path)  # by id
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "../x")
    assert current_session_path(str(work)) is None


def test_i14_without_an_id_the_named_transcript_counts(monkeypatch):
    assert current_session_path("/") is None
    monkeypatch.setenv("SR_TRANSCRIPT", "/t/s.jsonl")
    assert current_session_path("/") == "/t/s.jsonl"


def test_s6_children_and_descendants_in_walk_order(tmp_path):
    main = write(tmp_path / "s1.jsonl", {})
    agents = tmp_path / "s1" / "subagents"
    flat = [write(agents / name, {}) for name in ("agent-a.jsonl", "agent-b.jsonl")]
    write(agents / "agent-a.meta.json", {})
    nested = write(agents / "agent-a" / "subagents" / "agent-c.jsonl", {})
    workflow = write(agents / "workflows" / "wf_1" / "agent-d.jsonl", {})
    assert subagent_paths(str(main)) == [str(path) for path in flat]
    assert descendant_subagent_paths(str(main)) == [str(path) for path in (nested, *flat, workflow)]
    assert subagent_paths(str(tmp_path / "s2.jsonl")) == descendant_subagent_paths("x.txt") == []


HOSTILE = ["", ".", "..", "../x", "../../x", "a/b", "a\\b", "..\\x", "/etc/passwd", "x\0y", "x" * 300]


@pytest.mark.parametrize("agent_id", HOSTILE)
def test_s8_hostile_ids_are_refused(tmp_path, agent_id):
    with pytest.raises(NotAnAgentIdError) as refusal:
        subagent_transcript_path(str(tmp_path / "s.jsonl"), agent_id)
    assert "\n" not in str(refusal.value) and len(str(refusal.value)) < 150


def test_s8_paths(tmp_path):
    parent = str(tmp_path / "s.jsonl")
    workflow = write(tmp_path / "s" / "subagents" / "workflows" / "wf_2" / "agent-w.jsonl", {})
    assert subagent_transcript_path(parent, "w") == str(workflow)
    assert subagent_transcript_path(parent, "..x") == str(tmp_path / "s" / "subagents" / "agent-..x.jsonl")
    with pytest.raises(NoPathError):
        subagent_transcript_path("", "a")


def test_which_sub_agents_can_be_tied_to_their_dispatcher():
    assert [subagents_linkable(agent) for agent in ("claude", "codex", "pi", "cursor")] == [True, True, False, False]


def test_everything_public_is_named():
    assert all(hasattr(provenance, name) for name in provenance.__all__)
