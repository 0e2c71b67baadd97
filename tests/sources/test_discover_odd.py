"""Links, special files, odd names and things that fail."""

import errno
import os
from pathlib import Path

import pytest
from tracelake.errors import NoSourceError
from tracelake.sources import walk
from tracelake.sources.classify import Classifier

from .trees import SESSION, by_name, kinds, search, user, write


def refusing(original, *paths, error=PermissionError, code=errno.EACCES):
    """The original function, failing for the given paths."""

    def wrapped(path, *args, **kwargs):
        if os.fspath(path) in {str(p) for p in paths}:
            raise error(code, os.strerror(code))
        return original(path, *args, **kwargs)

    return wrapped


def test_links_are_listed_and_not_followed(tmp_path):
    source = tmp_path / "source"
    write(source / "real/s.jsonl", user("inside"))
    write(tmp_path / "outside/t.jsonl", user("outside"))
    (source / "out").symlink_to(tmp_path / "outside")
    (source / "out.jsonl").symlink_to(tmp_path / "outside/t.jsonl")
    (source / "again").symlink_to(source / "real")
    (source / "loop").symlink_to(source)
    (source / "self").symlink_to("self")
    (source / "broken").symlink_to("nowhere")
    found = search(source)
    files = by_name(found, source)
    assert files.pop("real/s.jsonl").kind == "main"
    assert {n: f.reason for n, f in files.items()} == {
        "out": f"symbolic link to {tmp_path}/outside, not followed",
        "out.jsonl": f"symbolic link to {tmp_path}/outside/t.jsonl, not followed",
        "again": f"symbolic link to {source}/real, not followed",
        "loop": f"symbolic link to {source}, not followed",
        "self": "symbolic link to self, not followed",
        "broken": "symbolic link to nowhere, not followed",
    }
    assert {(f.kind, f.agent, f.session_id, f.size) for f in files.values()} == {("unrecognised", "", "unassigned", 0)}
    assert found.problems == []


def test_a_source_named_through_a_link_is_resolved(tmp_path):
    real = write(tmp_path / "real/s.jsonl", user())
    (tmp_path / "link").symlink_to(tmp_path / "real")
    found = search(tmp_path / "link", tmp_path / "real", tmp_path / "real/../link/s.jsonl")
    assert [f.path for f in found.files] == [str(real)]
    assert found.files[0].source == str(tmp_path / "real")


def test_a_relative_source_becomes_absolute(tmp_path, monkeypatch):
    write(tmp_path / "d/s.jsonl", user())
    monkeypatch.chdir(tmp_path)
    assert [f.path for f in search(Path("d")).files] == [f"{tmp_path}/d/s.jsonl"]


def test_a_root_that_is_a_link_gives_no_id(tmp_path):
    project = tmp_path / "projects/-w"
    write(tmp_path / "elsewhere.jsonl", user("foreign"))
    write(project / "s1/subagents/agent-a.jsonl", user("own"))
    (project / "s1.jsonl").symlink_to(tmp_path / "elsewhere.jsonl")
    files = by_name(search(tmp_path / "projects"), project)
    assert files["s1/subagents/agent-a.jsonl"].session_id == "own"


def test_special_files_are_listed_and_never_opened(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe.jsonl")
    write(tmp_path / "projects-like" / SESSION / "subagents/agent-b.jsonl", user())
    os.mkfifo(tmp_path / "projects-like" / SESSION / "subagents/agent-a.jsonl")
    opened = []
    monkeypatch.setattr(os, "open", lambda p, *a, _open=os.open, **k: opened.append(p) or _open(p, *a, **k))
    files = by_name(search(tmp_path), tmp_path)
    assert files["pipe.jsonl"].reason == "named pipe, never opened"
    assert files[f"projects-like/{SESSION}/subagents/agent-a.jsonl"].kind == "unrecognised"
    assert opened and not [path for path in opened if path.endswith(("pipe.jsonl", "agent-a.jsonl"))]


def test_a_version_control_folder_is_one_row(tmp_path):
    write(tmp_path / "repo/.git/objects/ab/cd", user())
    write(tmp_path / "repo/s.jsonl", user())
    write(tmp_path / "sub/.git", "gitdir: ../repo/.git\n")
    files = by_name(search(tmp_path), tmp_path)
    assert set(files) == {"repo/.git", "repo/s.jsonl", "sub/.git"}
    assert files["repo/.git"].reason == "version control folder, not searched"
    assert files["sub/.git"].reason == "not JSON lines: first line is 'gitdir: ../repo/.git'"


def test_names_with_newlines_quotes_and_bytes_that_are_no_utf8(tmp_path):
    write(tmp_path / "a\nb/it's.jsonl", user("one"))
    raw = os.fsencode(tmp_path) + b"/bad\xff\xe9.jsonl"
    Path(os.fsdecode(raw)).write_text(user("two"))
    (tmp_path / "umlaut-ü-😀.jsonl").write_text(user("three"))
    files = by_name(search(tmp_path), tmp_path)
    assert {n: f.session_id for n, f in files.items()} == {
        "a\nb/it's.jsonl": "one",
        r"bad\xff\xe9.jsonl": "two",
        "umlaut-ü-😀.jsonl": "three",
    }
    bad = files[r"bad\xff\xe9.jsonl"]
    assert os.fsencode(bad.os_path) == raw
    bad.path.encode("utf-8")
    assert Path(bad.os_path).read_text() == user("two")


def test_sessions_in_a_folder_whose_name_is_no_utf8(tmp_path):
    project = Path(os.fsdecode(os.fsencode(tmp_path) + b"/projects/-w\xff"))
    write(project / "s1.jsonl", user("root"))
    write(project / "s1/subagents/agent-a.jsonl", user("own"))
    found = search(tmp_path)
    assert {(f.session_id, f.project) for f in found.files} == {("root", r"-w\xff")}


def test_two_names_that_are_written_alike(tmp_path):
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/x\xff.jsonl")).write_text(user("bytes"))
    (tmp_path / r"x\xff.jsonl").write_text(user("text"))
    found = search(tmp_path)
    assert len(found.files) == 1
    (problem,) = found.problems
    assert "name is written the same" in problem


def test_an_unreadable_file_is_a_row_and_a_problem(tmp_path, monkeypatch):
    bad = write(tmp_path / "projects/-w/bad\n.jsonl", user())
    write(tmp_path / "projects/-w/good.jsonl", user("good"))
    monkeypatch.setattr(os, "open", refusing(os.open, bad))
    found = search(tmp_path)
    row = by_name(found, bad.parent)["bad\n.jsonl"]
    assert (row.kind, row.unreadable) == ("unrecognised", "Permission denied")
    assert (row.session_id, row.fingerprint, row.size) == ("unassigned", "", bad.stat().st_size)
    assert found.problems == [f"{tmp_path}/projects/-w/bad\\n.jsonl: cannot be read: Permission denied"]
    assert kinds(found, bad.parent)["good.jsonl"] == "main"


def test_an_unreadable_folder_is_a_problem_and_named_as_unlisted(tmp_path, monkeypatch):
    write(tmp_path / "shut/s.jsonl", user())
    write(tmp_path / "open/s.jsonl", user("ok"))
    monkeypatch.setattr(os, "scandir", refusing(os.scandir, tmp_path / "shut"))
    found = search(tmp_path, tmp_path / "open", tmp_path)
    assert [f.session_id for f in found.files] == ["ok"]
    assert found.problems == [f"{tmp_path}/shut: cannot be searched: Permission denied"]
    assert found.unlisted == [f"{tmp_path}/shut"]


def test_a_source_that_may_not_be_listed_is_not_usable(tmp_path, monkeypatch):
    write(tmp_path / "s.jsonl", user())
    monkeypatch.setattr(os, "scandir", refusing(os.scandir, tmp_path))
    with pytest.raises(NoSourceError, match="Permission denied"):
        search(tmp_path)


def test_files_and_folders_that_disappear_during_the_search(tmp_path, monkeypatch):
    gone = write(tmp_path / "gone.jsonl", user("gone"))
    write(tmp_path / "folder/s.jsonl", user("folder"))
    write(tmp_path / "stays.jsonl", user("stays"))
    missing = {"error": FileNotFoundError, "code": errno.ENOENT}
    monkeypatch.setattr(os, "open", refusing(os.open, gone, **missing))
    monkeypatch.setattr(walk.os, "scandir", refusing(os.scandir, tmp_path / "folder", **missing))
    found = search(tmp_path)
    assert [f.session_id for f in found.files] == ["stays"]
    assert found.problems == [
        f"{tmp_path}/folder: cannot be searched: No such file or directory",
        f"{tmp_path}/gone.jsonl: cannot be read: No such file or directory",
    ]


def test_a_file_that_disappears_before_it_is_examined(tmp_path, monkeypatch):
    write(tmp_path / "s.jsonl", user())

    class Gone:
        name = "gone.jsonl"
        path = f"{tmp_path}/gone.jsonl"

        def is_dir(self, follow_symlinks):
            return False

        def stat(self, follow_symlinks):
            raise FileNotFoundError(errno.ENOENT, "No such file or directory")

    monkeypatch.setattr(walk.Walk, "_entries", lambda self, folder: [Gone()])
    found = search(tmp_path)
    assert found.files == []
    assert found.problems == [f"{tmp_path}/gone.jsonl: cannot be examined: No such file or directory"]


def test_a_file_swapped_for_a_link_after_it_was_listed_is_not_followed(tmp_path, monkeypatch):
    source = tmp_path / "source"
    target = write(tmp_path / "secret.jsonl", user("secret"))
    path = write(source / "s.jsonl", user("first"))

    class Swapping(Classifier):
        def record(self, name):
            if not path.is_symlink():
                path.unlink()
                path.symlink_to(target)
            return super().record(name)

    monkeypatch.setattr("tracelake.sources.discover.Classifier", Swapping)
    (row,) = search(source).files
    assert row.kind == "unrecognised"
    assert row.unreadable


def test_very_deep_folders(tmp_path):
    deep = tmp_path.joinpath(*["d"] * 900)
    write(deep / "s.jsonl", user("deep"))
    assert [f.session_id for f in search(tmp_path).files] == ["deep"]
