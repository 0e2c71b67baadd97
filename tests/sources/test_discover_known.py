"""What is known from earlier runs is not opened again."""

import errno
import os
from pathlib import Path

import msgspec
import pytest
from tracelake.sources import classify, sniff

from .trees import SESSION, by_name, search, user, write


@pytest.fixture
def opened(monkeypatch):
    """The names of all files opened from now on."""
    names = []
    monkeypatch.setattr(
        os, "open", lambda p, *a, _open=os.open, **k: names.append(p.rpartition("/")[2]) or _open(p, *a, **k)
    )
    return names


@pytest.fixture
def tree(tmp_path):
    project = tmp_path / "projects/-w"
    write(project / f"{SESSION}.jsonl", user())
    write(project / SESSION / "subagents/agent-a.jsonl", user())
    write(project / SESSION / "subagents/agent-a.meta.json", "{}")
    write(project / "s1.jsonl", user("root"))
    write(project / "s1/subagents/agent-b.jsonl", user("own"))
    write(project / "LICENSE", "MIT\n")
    (project / "link").symlink_to("LICENSE")
    return tmp_path


def test_unchanged_files_keep_their_records_and_are_not_opened(tree, opened):
    first = search(tree)
    assert set(opened) == {f.path.rpartition("/")[2] for f in first.files} - {"link"}
    opened.clear()
    again = search(tree, known=first)
    assert again.files == first.files
    assert opened == []


def test_the_record_is_reused_unchanged_whatever_it_says(tree):
    first = search(tree)
    marked = [msgspec.structs.replace(f, project="marked") for f in first.files]
    first.files[:] = marked
    again = search(tree, known=first)
    assert {f.project for f in again.files if f.fingerprint} == {"marked"}


def test_a_touched_file_keeps_its_classification_with_the_new_time(tree, monkeypatch):
    first = search(tree)
    path = tree / f"projects/-w/{SESSION}.jsonl"
    os.utime(path, ns=(1, 2_000_000_000))
    monkeypatch.setattr(classify, "sniff", None)
    again = by_name(search(tree, known=first), path.parent)[path.name]
    before = by_name(first, path.parent)[path.name]
    assert again == msgspec.structs.replace(before, mtime_ns=2_000_000_000)


def test_a_copy_in_its_place_keeps_its_classification_with_the_new_inode(tree, monkeypatch):
    first = search(tree)
    path = tree / "projects/-w/s1.jsonl"
    write(tree / "copy", path.read_bytes()).replace(path)
    monkeypatch.setattr(classify, "sniff", None)
    again = by_name(search(tree, known=first), path.parent)["s1.jsonl"]
    assert again.inode == path.stat().st_ino != by_name(first, path.parent)["s1.jsonl"].inode
    assert again.session_id == "root"


def test_changed_content_is_looked_at_again(tree):
    first = search(tree)
    path = tree / "projects/-w/LICENSE"
    write(path, user("grown"))
    assert by_name(search(tree, known=first), path.parent)["LICENSE"].kind == "main"
    same_size = user("s-one")
    write(path, same_size)
    second = search(tree)
    write(path, same_size.replace("s-one", "s-two"))
    os.utime(path, ns=(5, 5))
    assert by_name(search(tree, known=second), path.parent)["LICENSE"].session_id == "s-two"


def test_sub_agents_follow_a_root_whose_id_changed(tree, opened):
    first = search(tree)
    write(tree / "projects/-w/s1.jsonl", user("renamed") * 2)
    opened.clear()
    again = search(tree, known=first)
    assert {f.session_id for f in again.files if "/s1" in f.path} == {"renamed"}
    assert set(opened) == {"s1.jsonl"}
    assert again.files == search(tree).files


def test_a_root_that_vanished_leaves_its_sub_agents_where_they_were(tree):
    first = search(tree)
    (tree / "projects/-w/s1.jsonl").unlink()
    again = by_name(search(tree, known=first), tree / "projects/-w")
    assert again["s1/subagents/agent-b.jsonl"].session_id == "root"


def refuse(*_args, **_kwargs):
    raise PermissionError(errno.EACCES, "Permission denied")


def test_a_file_that_could_not_be_read_is_tried_again(tree):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", refuse)
        first = search(tree)
        assert {f.kind for f in first.files} == {"unrecognised"}
    assert search(tree, known=first).files == search(tree).files


def test_a_known_file_that_cannot_be_read_now_keeps_its_record(tree, monkeypatch):
    first = search(tree)
    path = write(tree / "projects/-w/s1.jsonl", user("root") * 2)
    monkeypatch.setattr(os, "open", refuse)
    again = search(tree, known=first)
    assert again.files == first.files
    assert again.problems == [f"{path}: cannot be read: Permission denied"]


def test_what_took_the_place_of_a_known_file_is_seen(tree):
    first = search(tree)
    path = tree / "projects/-w/LICENSE"
    path.unlink()
    path.symlink_to("nowhere")
    row = by_name(search(tree, known=first), path.parent)["LICENSE"]
    assert row.reason == "symbolic link to nowhere, not followed"
    (tree / "projects/-w/link").unlink()
    write(tree / "projects/-w/link", user("now-a-file"))
    row = by_name(search(tree, known=first), path.parent)["link"]
    assert row.session_id == "now-a-file"


def test_a_name_that_is_only_written_like_a_known_one(tmp_path):
    raw = Path(os.fsdecode(os.fsencode(tmp_path) + b"/x\xff.jsonl"))
    write(raw, user())
    first = search(tmp_path)
    raw.rename(tmp_path / r"x\xff.jsonl")
    (again,) = search(tmp_path, known=first).files
    assert again.path == first.files[0].path
    assert Path(again.os_path).read_text() == user()


def test_files_of_an_agent_that_became_readable_are_looked_at_again(tmp_path, monkeypatch):
    write(tmp_path / "c.jsonl", '{"timestamp":"t","type":"session_meta","payload":{"id":"c9"}}\n')
    with monkeypatch.context() as earlier:
        earlier.setattr(classify, "READABLE_AGENTS", sniff.READABLE_AGENTS - {"codex"})
        first = search(tmp_path)
    assert first.files[0].kind == "unrecognised"
    assert first.files[0].reason == "codex transcript, not read by this version"
    (again,) = search(tmp_path, known=first).files
    assert (again.kind, again.agent, again.session_id, again.reason) == ("main", "codex", "c9", None)
