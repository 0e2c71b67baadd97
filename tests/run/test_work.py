"""A worker falls back on earlier rows when a file fails half-way, and tells a full disk from a bad input."""

import errno
import os

import pytest
from tracelake.errors import LakeWriteError
from tracelake.lake.tasks import KeptFile, SessionResult, SessionTask
from tracelake.run import work

from tests.lake.states import source_file


def task(tmp_path, read_before=()):
    files = [source_file("/s/a"), source_file("/s/b")]
    return SessionTask("s", files, [KeptFile("/s/gone", 7)], str(tmp_path / "st"), "/t", True, list(read_before))


def fake_extract(monkeypatch, seen, kept_errors=()):
    """Fail on /s/a half-way; leave a file behind, as a real extraction would."""

    def extract_session(task):
        seen.append(([file.path for file in task.files], task.kept))
        folder = work.Path(task.staging)
        assert list(folder.iterdir()) == []
        (folder / "entries.parquet").write_text("")
        errors = [(file.path, "I/O error") for file in task.files if file.path == "/s/a"]
        return SessionResult("s", {}, {}, 0, 0, 0, [], errors, 0.0, list(kept_errors))

    monkeypatch.setattr(work, "extract_session", extract_session)


def test_a_file_read_half_keeps_all_of_its_earlier_rows(tmp_path, monkeypatch):
    seen = []
    fake_extract(monkeypatch, seen)
    result = work.run_task(task(tmp_path, ["/s/a", "/s/b"]))
    assert seen == [
        (["/s/a", "/s/b"], [KeptFile("/s/gone", 7)]),
        (["/s/b"], [KeptFile("/s/gone", 7), KeptFile("/s/a", None)]),
    ]
    assert result.read_errors == [("/s/a", "I/O error")]


@pytest.mark.parametrize(("read_before", "kept_errors"), [([], []), (["/s/a"], ["/s/a"])])
def test_nothing_is_done_twice_without_need(tmp_path, monkeypatch, read_before, kept_errors):
    seen = []
    fake_extract(monkeypatch, seen, kept_errors)
    assert work.run_task(task(tmp_path, read_before)).read_errors == [("/s/a", "I/O error")]
    assert len(seen) == 1


def test_what_an_earlier_try_left_is_cleared(tmp_path, monkeypatch):
    (tmp_path / "st").mkdir()
    (tmp_path / "st" / "blocks.parquet").write_text("old")
    fake_extract(monkeypatch, [])
    work.run_task(task(tmp_path))
    assert [path.name for path in (tmp_path / "st").iterdir()] == ["entries.parquet"]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS])
def test_a_lake_that_is_full_is_told_apart(tmp_path, monkeypatch, code):
    def full(task):
        raise OSError(code, "Error writing. Detail: why", "/lake/x")

    monkeypatch.setattr(work, "extract_session", full)
    with pytest.raises(LakeWriteError, match=rf"^cannot write /lake/x: {os.strerror(code)}$"):
        work.run_task(task(tmp_path))


def test_any_other_error_is_the_tasks_own(tmp_path, monkeypatch):
    def broken(task):
        raise OSError(errno.EIO, "why")

    monkeypatch.setattr(work, "extract_session", broken)
    with pytest.raises(OSError, match="why"):
        work.run_task(task(tmp_path))
