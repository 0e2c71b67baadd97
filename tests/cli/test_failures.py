"""What a run could not read is told by `status`, and makes `check` fail, until a later run has read it."""

import json

import pytest
from tracelake.extract.session import SessionReader

from tests.settings import A, B, two_sessions


@pytest.fixture
def setting(tmp_path):
    made = two_sessions(tmp_path)
    made.run()
    return made


def told(program, lake):
    """The failures that `status` and `check` name, and how `check` ends."""
    status = json.loads(program("status", "--lake", lake, "--json").stdout)["failures"]
    done = program("check", "--lake", lake, "--json")
    check = json.loads(done.stdout)
    assert sorted(one["path"] for one in check["failures"]) == sorted(one["path"] for one in status)
    assert check["ok"] == (done.returncode == 0)
    return {one["name"]: (one["reason"], one["path"]) for one in status}, done.returncode


def failing(monkeypatch, session_id):
    original = SessionReader.read

    def instead(reader):
        if reader._task.session_id == session_id:
            raise ValueError("no way")
        return original(reader)

    monkeypatch.setattr(SessionReader, "read", instead)


def test_a_session_that_fails_is_told_of_until_it_is_read(program, setting, monkeypatch):
    assert told(program, setting.paths.root) == ({}, 0)
    path = setting.write(f"{A}.jsonl", "t1", "t2", "t5")
    with monkeypatch.context() as patch:
        failing(patch, A)
        assert setting.run().exit_code == 4
    failures = {A: ("ValueError: no way", str(path))}
    assert told(program, setting.paths.root) == (failures, 1)
    setting.write(f"{B}.jsonl", "t4", "t6", session=B)
    with monkeypatch.context() as patch:
        failing(patch, A)
        setting.run()
    assert told(program, setting.paths.root) == (failures, 1), "another session is read and changes nothing of that"
    assert setting.run().exit_code == 0
    assert told(program, setting.paths.root) == ({}, 0)


def test_a_failure_is_forgotten_with_its_file(program, setting, monkeypatch):
    path = setting.write("new.jsonl", "t9", session="c")
    with monkeypatch.context() as patch:
        failing(patch, "c")
        setting.run()
    assert told(program, setting.paths.root) == ({"c": ("ValueError: no way", str(path))}, 1)
    path.unlink()
    setting.run()
    assert told(program, setting.paths.root) == ({}, 0)


def test_people_read_it_too(program, setting, monkeypatch):
    path = setting.write(f"{A}.jsonl", "t1")
    with monkeypatch.context() as patch:
        failing(patch, A)
        setting.run()
    for command in ("status", "check"):
        shown = program(command, "--lake", setting.paths.root, env={"COLUMNS": "300"}).stdout
        assert str(path) in shown
        assert "ValueError: no way" in shown
