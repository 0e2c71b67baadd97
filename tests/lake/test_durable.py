"""Files are private, replaced whole, and a failed write says which path."""

import errno
import os
import stat

import pytest
from tracelake.errors import LakeWriteError
from tracelake.lake import durable


@pytest.fixture(params=[0o000, 0o022, 0o277])
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_modes_do_not_depend_on_the_umask(tmp_path, umask):
    folder = tmp_path / "a" / "b"
    durable.make_private_dir(folder)
    durable.write_private(folder / "f", b"1")
    durable.replace_private(folder / "g", b"2")
    assert [mode(tmp_path / "a"), mode(folder), mode(folder / "f"), mode(folder / "g")] == [0o700, 0o700, 0o600, 0o600]


def test_an_existing_folder_keeps_its_mode(tmp_path):
    tmp_path.chmod(0o755)
    durable.make_private_dir(tmp_path)
    assert mode(tmp_path) == 0o755


def test_a_failed_replacement_leaves_the_old_file_and_nothing_beside_it(tmp_path, monkeypatch):
    target = tmp_path / "f"
    durable.replace_private(target, b"old")

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(LakeWriteError, match=r"^cannot write .*/f: No space left on device$"), durable.writing(target):
        durable.replace_private(target, b"new")
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_an_error_that_names_a_path_is_reported_with_it(tmp_path):
    wanted = r"^cannot write .*/no/f: No such file or directory$"
    with pytest.raises(LakeWriteError, match=wanted), durable.writing(tmp_path):
        durable.write_private(tmp_path / "no" / "f", b"")


@pytest.mark.parametrize("without_syncfs", [False, True])
def test_flushing_works_with_and_without_syncfs(tmp_path, monkeypatch, without_syncfs):
    if without_syncfs:
        monkeypatch.setattr(durable, "_syncfs", lambda: None)
    (tmp_path / "f").write_bytes(b"1")
    durable.flush_all(tmp_path, [tmp_path / "f", tmp_path])


def test_a_failed_syncfs_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(durable, "_syncfs", lambda: lambda descriptor: -1)
    with pytest.raises(OSError):
        durable.flush_all(tmp_path, [])
