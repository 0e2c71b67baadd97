"""The manifest survives a round trip, and says what is wrong when it does not."""

import time

import msgspec
import pytest
from tracelake.errors import LakeError, LakeVersionError
from tracelake.lake.layout import LakePaths
from tracelake.lake.manifest import FileState, Manifest, RunState, load_manifest, save_manifest

from tests.lake.states import session_state, source_file


@pytest.fixture
def paths(tmp_path):
    return LakePaths(tmp_path)


def test_a_missing_manifest_is_an_empty_one(paths):
    assert load_manifest(paths) == Manifest()
    assert load_manifest(LakePaths(paths.root / "not" / "there")).files == {}


def test_everything_comes_back(paths):
    manifest = Manifest(
        tool_version="1", generation=7, database_generation=6,
        files={
            "/s/a.jsonl": FileState(source_file(), vanished_at_us=9, read_at_us=8, extractor_version=1, has_raw=True),
            "/s/b": FileState(source_file("/s/b", kind="unrecognised", reason="no"), read_error="Permission denied"),
        },
        sessions={"a": session_state()},
        runs=[RunState(1, 2.5, ["/s"], 1, 0, 0, 3, 10, complete=False)],
    )  # fmt: skip
    save_manifest(paths, manifest)
    assert load_manifest(paths) == manifest
    assert [path.name for path in paths.root.iterdir()] == ["manifest.json"]


def test_a_file_name_that_is_no_utf8_comes_back(paths):
    file = source_file("/s/\\xff.jsonl", os_path="/s/\udcff.jsonl")
    save_manifest(paths, Manifest(files={file.path: FileState(file)}))
    assert load_manifest(paths).known == {file.path: file}


def test_a_newer_lake_is_refused_whatever_else_it_holds(paths):
    paths.manifest.write_text('{"lake_version": 99, "files": "something new"}')
    with pytest.raises(LakeVersionError, match=r"format 99.*upgrade"):
        load_manifest(paths)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"lake_version": "x"}', '{"lake_version": 1, "files": 3}', "\xff"])
def test_a_damaged_manifest_says_what_to_do(paths, content):
    paths.manifest.write_bytes(content.encode("latin-1"))
    with pytest.raises(LakeError, match=r"manifest\.json is damaged .*restore it from a backup") as caught:
        load_manifest(paths)
    assert "\n" not in str(caught.value)


def test_a_folder_in_its_place_is_an_error_not_an_empty_lake(paths):
    paths.manifest.mkdir()
    with pytest.raises(LakeError, match="Is a directory"):
        load_manifest(paths)


def test_ten_thousand_sessions_are_loaded_and_saved_fast(paths):
    sessions = {f"session-{number}": session_state() for number in range(10_000)}
    files = {
        f"/home/someone/.claude/projects/p/{number}.jsonl": FileState(source_file(f"/home/someone/{number}.jsonl"))
        for number in range(30_000)
    }
    manifest = Manifest(files=files, sessions=sessions)
    started = time.perf_counter()
    save_manifest(paths, manifest)
    assert load_manifest(paths) == manifest
    assert time.perf_counter() - started < 60
    assert msgspec.json.decode(paths.manifest.read_bytes())["lake_version"] == 1
