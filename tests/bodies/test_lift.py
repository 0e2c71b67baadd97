"""lift_file and restore_file: what was lifted comes back byte for byte, whatever happens in between."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from tracelake.bodies import bodies_in, extract_bodies, lift_file, restore_file
from tracelake.bodies import lift as lift_module
from tracelake.bodies import restore as restore_module
from tracelake.errors import BodyError, LakeWriteError, UsageError

from tests.bodies.texts import dumps


def line(text: str, kind: str = "tool_result") -> bytes:
    block = {"type": kind, "tool_use_id": "t1", "content": text}
    return dumps({"type": "user", "sessionId": "s", "uuid": "u", "message": {"content": [block]}}) + b"\n"


def files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A transcript with two bodies, one of them long enough to be compressed."""
    path = tmp_path / "home" / "t.jsonl"
    path.parent.mkdir()
    path.write_bytes(line("owl") + line("o" * 5000))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "folder"


# -- byte for byte ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        '"a\\/b"',
        '"\\u0041"',
        '"\\u00E9é"',
        '"\\u001F\\u001f"',
        '"caf\\u00e9 \\ud83e\\udd89"',
        '[ {"type":"text","text":"x"} ]',
        '[{"type":"text","text":"x"}]',
        '[{"text":"x","type":"text"}]',
        '{ "a" : [ 1 , 2 ] }',
        '""',
        "1.50",
    ],
)
def test_unusual_spellings_come_back(text: str, path: Path, folder: Path):
    source = b'{"type":"user","message":{"content":[{"type":"tool_result","content":%s}]}}\r\n' % text.encode()
    path.write_bytes(source)
    lift_file(path, folder, "claude")
    assert path.read_bytes() == extract_bodies("claude", source)[0] != source
    restore_file(path, folder)
    assert path.read_bytes() == source


def test_ordinary_spellings_are_not_stored_twice(path: Path, folder: Path):
    image = {"type": "image", "source": {"data": "data:image/png;base64,iVBORw0KGgpvd2w="}}
    flat = {"type": "tool_result", "content": [{"type": "text", "text": 'é "x"\n\t\r\b\f\\\x01\x1f'}]}
    path.write_bytes(dumps({"type": "user", "message": {"content": [image, flat]}, "toolUseResult": 'é\t"'}) + b"\n")
    lift_file(path, folder, "claude")
    contents = {file.read_bytes() for file in files_in(folder / "bodies")}
    text = 'é "x"\n\t\r\b\f\\\x01\x1f'
    assert contents == {b"\x89PNG\r\n\x1a\nowl", text.encode(), 'é\t"'.encode()}


def test_a_transcript_that_already_held_sentinels_keeps_them(path: Path, folder: Path):
    foreign = line("x").replace(b'"x"', b'{"__akari_cas__":1,"sha256":"ab","bytes":1,"media_type":"text/plain"}')
    source = foreign + line("owl")
    path.write_bytes(source)
    assert lift_file(path, folder).bodies == 1
    restore_file(path, folder)
    assert path.read_bytes() == source


def test_a_transcript_that_grows_is_lifted_step_by_step(path: Path, folder: Path):
    source = path.read_bytes()
    lift_file(path, folder)
    for text in ("later", "latest"):
        with path.open("ab") as stream:
            stream.write(line(text))
        source += line(text)
        assert lift_file(path, folder)[2:4] == (1, 1)
    assert path.read_bytes() == extract_bodies("claude", source)[0]
    restore_file(path, folder)
    assert path.read_bytes() == source


def test_what_was_appended_stays_behind_what_is_restored(path: Path, folder: Path):
    source = path.read_bytes()
    lift_file(path, folder)
    with path.open("ab") as stream:
        stream.write(line("later") + b'{"torn')
    restore_file(path, folder)
    assert path.read_bytes() == source + line("later") + b'{"torn'


def test_a_copy_that_was_moved_is_restored_too(path: Path, folder: Path):
    source = path.read_bytes()
    lift_file(path, folder)
    copy = path.rename(path.with_name("moved.jsonl"))
    other = path.with_name("copy.jsonl")
    other.write_bytes(copy.read_bytes())
    for each in (copy, other):
        restore_file(each, folder)
        assert each.read_bytes() == source


def test_sources_that_look_the_same_once_lifted_are_told_apart_by_their_path(path: Path, folder: Path, tmp_path: Path):
    twin = path.with_name("twin.jsonl")
    twin.write_bytes(path.read_bytes().replace(b"owl", b"\\u006fwl"))
    sources = {file: file.read_bytes() for file in (path, twin)}
    for file in sources:
        lift_file(file, folder)
    assert path.read_bytes() == twin.read_bytes()
    stranger = tmp_path / "stranger.jsonl"
    stranger.write_bytes(path.read_bytes())
    with pytest.raises(BodyError, match="may be any of"):
        restore_file(stranger, folder)
    for file, source in sources.items():
        restore_file(file, folder)
        assert file.read_bytes() == source


# -- nothing half -------------------------------------------------------------------------------------


class Died(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("step", ["_verify", "replace_transcript"])
def test_a_lift_that_died_leaves_the_transcript_and_is_done_again(step: str, path: Path, folder: Path, monkeypatch):
    source = path.read_bytes()

    def die(*_: object) -> None:
        raise Died

    with monkeypatch.context() as patch, pytest.raises(Died):
        patch.setattr(lift_module, step, die)
        lift_file(path, folder)
    assert path.read_bytes() == source
    assert lift_file(path, folder)[2:4] == (2, 0)
    restore_file(path, folder)
    assert path.read_bytes() == source
    assert files_in(path.parent) == [path]
    assert files_in(folder / "incoming") == []


def test_a_lift_of_a_grown_file_that_died_can_be_restored(path: Path, folder: Path, monkeypatch):
    source = path.read_bytes()
    lift_file(path, folder)
    with path.open("ab") as stream:
        stream.write(line("later"))

    def die(*_: object) -> None:
        raise Died

    with monkeypatch.context() as patch, pytest.raises(Died):
        patch.setattr(lift_module, "replace_transcript", die)
        lift_file(path, folder)
    restore_file(path, folder)
    assert path.read_bytes() == source + line("later")


def test_a_restore_that_died_leaves_the_lifted_transcript(path: Path, folder: Path, monkeypatch):
    source = path.read_bytes()
    lift_file(path, folder)
    lifted = path.read_bytes()

    def die(*_: object) -> None:
        raise Died

    with monkeypatch.context() as patch, pytest.raises(Died):
        patch.setattr(restore_module, "replace_transcript", die)
        restore_file(path, folder)
    assert path.read_bytes() == lifted
    assert files_in(path.parent) == [path]
    restore_file(path, folder)
    assert path.read_bytes() == source


def test_a_transcript_that_is_written_to_meanwhile_is_left_alone(path: Path, folder: Path, monkeypatch):
    verify = lift_module._verify

    def append_meanwhile(*arguments: object) -> None:
        verify(*arguments)
        with path.open("ab") as stream:
            stream.write(line("meanwhile"))

    source = path.read_bytes()
    monkeypatch.setattr(lift_module, "_verify", append_meanwhile)
    with pytest.raises(BodyError, match="was changed meanwhile"):
        lift_file(path, folder)
    assert path.read_bytes() == source + line("meanwhile")


def test_a_transcript_that_is_written_to_while_it_is_restored_is_left_alone(path: Path, folder: Path, monkeypatch):
    lift_file(path, folder)
    lifted = path.read_bytes()

    def append(*_: object) -> None:
        with path.open("ab") as stream:
            stream.write(b"more\n")

    monkeypatch.setattr(restore_module, "check_restored", append)
    with pytest.raises(BodyError, match="was changed meanwhile"):
        restore_file(path, folder)
    assert path.read_bytes() == lifted + b"more\n"


@pytest.mark.parametrize("damage", ["missing", "damaged", "other"])
def test_a_body_that_is_not_there_whole_stops_the_restore(damage: str, path: Path, folder: Path):
    lift_file(path, folder)
    lifted = path.read_bytes()
    short, long = sorted(files_in(folder / "bodies"), key=lambda file: file.suffix)
    assert (short.read_bytes(), long.suffix) == (b"owl", ".zst")
    if damage == "missing":
        long.unlink()
    elif damage == "damaged":
        long.write_bytes(long.read_bytes()[:-4])
    else:
        short.write_bytes(b"owI")
    with pytest.raises(BodyError, match=r"not in|amaged"):
        restore_file(path, folder)
    assert path.read_bytes() == lifted


def test_a_damaged_body_that_was_stored_before_stops_the_lift(path: Path, folder: Path, tmp_path: Path):
    other = tmp_path / "other.jsonl"
    other.write_bytes(path.read_bytes())
    lift_file(other, folder)
    next(file for file in files_in(folder / "bodies") if not file.suffix).write_bytes(b"owI")
    source = path.read_bytes()
    with pytest.raises(BodyError, match="damaged"):
        lift_file(path, folder)
    assert path.read_bytes() == source


def test_a_changed_line_stops_the_restore(path: Path, folder: Path):
    lift_file(path, folder)
    changed = path.read_bytes().replace(b'"uuid":"u"', b'"uuid":"w"')
    path.write_bytes(changed)
    with pytest.raises(BodyError, match="no record in"):
        restore_file(path, folder)
    assert path.read_bytes() == changed


def test_a_damaged_record_is_an_error(path: Path, folder: Path):
    lift_file(path, folder)
    (record,) = files_in(folder / "transcripts")
    for text in (b"", b"{}\n", b"\n" + record.read_bytes().splitlines()[-1]):
        record.write_bytes(text)
        with pytest.raises(BodyError, match="is damaged"):
            restore_file(path, folder)


def test_a_record_of_a_newer_version_is_refused(path: Path, folder: Path):
    lift_file(path, folder)
    (record,) = files_in(folder / "transcripts")
    *splices, summary = record.read_bytes().splitlines()
    newer = json.dumps({**json.loads(summary), "version": 2}).encode()
    record.write_bytes(b"\n".join([*splices, newer]))
    with pytest.raises(BodyError, match="newer tracelake"):
        restore_file(path, folder)


# -- files --------------------------------------------------------------------------------------------


def test_everything_in_the_folder_is_private_and_the_transcript_keeps_its_mode_and_time(path: Path, folder: Path):
    path.chmod(0o640)
    os.utime(path, ns=(10**18, 10**18 + 5))
    umask = os.umask(0)
    try:
        lift_file(path, folder)
        for each in [folder, *folder.rglob("*")]:
            assert stat.S_IMODE(each.stat().st_mode) == (0o700 if each.is_dir() else 0o600)
        for _ in range(2):
            status = path.stat()
            assert (stat.S_IMODE(status.st_mode), status.st_mtime_ns) == (0o640, 10**18 + 5)
            restore_file(path, folder)
    finally:
        os.umask(umask)


def test_equal_bodies_are_stored_once(path: Path, folder: Path, tmp_path: Path):
    other = tmp_path / "other.jsonl"
    other.write_bytes(line("owl") * 3)
    assert lift_file(path, folder)[2:4] == (2, 2)
    assert lift_file(other, folder)[2:4] == (3, 0)
    assert len(files_in(folder / "bodies")) == 2


def test_what_a_link_names_is_replaced_and_the_link_stays(path: Path, folder: Path, tmp_path: Path):
    link = tmp_path / "link.jsonl"
    link.symlink_to(path)
    lift_file(link, folder)
    assert link.is_symlink()
    assert b"__akari_cas__" in path.read_bytes()


def test_nothing_to_lift_and_nothing_to_restore_change_nothing(path: Path, folder: Path):
    path.write_bytes(line("owl", "other"))
    before = path.stat()
    assert lift_file(path, folder).bodies == 0
    assert restore_file(path, folder).bodies == 0
    after = path.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_wrong_requests_are_one_line(path: Path, folder: Path, tmp_path: Path):
    with pytest.raises(BodyError, match=r"cannot read .*No such file"):
        lift_file(tmp_path / "none.jsonl", folder)
    with pytest.raises(BodyError, match=r"cannot read .*directory"):
        lift_file(tmp_path, folder)
    with pytest.raises(UsageError, match="unknown agent 'owl'"):
        lift_file(path, folder, "owl")
    prose = tmp_path / "prose.txt"
    prose.write_text("an owl\n")
    with pytest.raises(BodyError, match="is no transcript: not JSON lines"):
        lift_file(prose, folder)
    blocked = tmp_path / "blocked"
    blocked.write_text("a file")
    with pytest.raises(LakeWriteError, match="cannot write"):
        lift_file(path, blocked / "folder")


def test_all_bodies_of_a_transcript_are_listed_lifted_or_not(path: Path, folder: Path):
    lift_file(path, folder)
    with path.open("ab") as stream:
        stream.write(line("later"))
    shown = [(body.line_no, body.bytes, body.media_type, body.is_lifted) for body in bodies_in(path)]
    assert shown == [(1, 3, "text/plain", True), (2, 5000, "text/plain", True), (3, 5, "text/plain", False)]
    restore_file(path, folder)
    inline = list(bodies_in(path))
    assert [body.is_lifted for body in inline] == [False] * 3
    lift_file(path, folder)
    assert [body.sha256 for body in bodies_in(path)] == [body.sha256 for body in inline]
