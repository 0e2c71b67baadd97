"""A commit is in the lake wholly or not at all; readers keep the snapshot that they have."""

import errno
import os
import stat
import time

import duckdb
import msgspec
import pyarrow as pa
import pytest
from tracelake.errors import LakeWriteError
from tracelake.lake import manifest_files, models, store
from tracelake.lake.arrow import arrow_schema
from tracelake.lake.connect import open_lake
from tracelake.lake.derived import store_derived
from tracelake.lake.layout import LakePaths
from tracelake.lake.manifest import Manifest, Settings
from tracelake.lake.segment_file import Origin
from tracelake.lake.segments import BundleWriter
from tracelake.lake.store import Store, database_number, live_manifest, open_store

from tests.lake.states import bundle_state, file_state, part_state, source_file

STEPS = {
    manifest_files: ("write_private", "make_private_dir"),
    store: ("flush_all", "move", "replace_private"),
    models: ("_remove", "_write", "_insert"),
}
"""What a commit does to the disk, up to its rename."""


class Killed(BaseException):
    """Stands for the end of the process: what would clean up is kept from it."""


@pytest.fixture
def paths(tmp_path):
    return LakePaths(tmp_path / "lake")


def with_session(held, session_id, text):
    """The manifest with a session read anew: one line, in a bundle of its own."""
    manifest, bundle = held.manifest, held.new_bundle()
    part_id, path = manifest.next_part, f"/s/{session_id}.jsonl"
    before = manifest.files.get(path)
    row = {"session_id": session_id, "agent": "claude", "path": path, "part_id": part_id, "line_no": 1, "text": text}
    kills = [before.part_id] if before else []
    with BundleWriter(held.paths, bundle) as writer:
        writer.write_table("entries", pa.Table.from_pylist([row], schema=arrow_schema("entries")))
        files = writer.finish(Origin(manifest.number + 1, [part_id], kills=kills))
    parts = {number: part for number, part in manifest.parts.items() if number not in kills}
    parts[part_id] = part_state(path=path, session_id=session_id, bundle=bundle, rows={"entries": 1})
    bundles = {**manifest.bundles, bundle: bundle_state([part_id], files=files)}
    live = {part.bundle for part in parts.values()}
    state = file_state(source_file(path, session_id=session_id), part_id=part_id)
    return msgspec.structs.replace(
        manifest,
        files={**manifest.files, path: state},
        parts=parts,
        bundles={name: one for name, one in bundles.items() if name in live},
        next_part=part_id + 1,
    )


def put(held, session_id, text, **changes):
    held.commit(msgspec.structs.replace(with_session(held, session_id, text), **changes))


def commit_old(paths):
    held = open_store(paths)
    put(held, "a", "a old")
    put(held, "b", "b old")
    return held


def seen(paths):
    """What a plain client sees."""
    with duckdb.connect(str(paths.database), read_only=True) as connection:
        return sorted(connection.execute("SELECT session_id, text FROM entries").fetchall())


OLD = [("a", "a old"), ("b", "b old")]
NEW = [("a", "a new"), ("b", "b old")]


def fail_at(monkeypatch, number, error):
    """Let the `number`th step of a commit raise instead of doing anything; return how many there were."""
    count = 0

    def counted(step):
        def instead(*args):
            nonlocal count
            count += 1
            if count == number:
                raise error
            return step(*args)

        return instead

    for module, names in STEPS.items():
        for name in names:
            monkeypatch.setattr(module, name, counted(getattr(module, name)))
    return lambda: count


def test_a_commit_shows_the_new_rows_and_keeps_the_old_files(paths):
    held = commit_old(paths)
    old = held.manifest.live_files
    put(held, "a", "a new")
    assert seen(paths) == NEW
    assert (held.manifest.number, database_number(paths)) == (3, 3)
    assert live_manifest(paths) == held.manifest
    gone = old.keys() - held.manifest.live_files.keys()
    assert gone == held.manifest.dead.keys() and len(gone) == 1
    assert all((paths.segments / name).exists() for name in gone)


def test_all_that_is_committed_is_private(paths):
    commit_old(paths)
    for path in [paths.root, *paths.root.rglob("*")]:
        wanted = 0o700 if path.is_dir() else 0o400 if path == paths.database else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path


def test_killed_at_any_step_the_lake_is_old_or_new_and_the_next_writer_goes_on(tmp_path, monkeypatch):
    outcomes = []
    for number in range(1, 100):
        paths = LakePaths(tmp_path / str(number))
        held = commit_old(paths)
        with monkeypatch.context() as patch:
            patch.setattr(Store, "_take_back", lambda *_: None)
            fail_at(patch, number, Killed())
            try:
                put(held, "a", "a new")
            except Killed:
                outcomes.append(seen(paths))
            else:
                break
        again = open_store(paths)
        put(again, "c", "c")
        assert [row for row in seen(paths) if row[0] != "a"] == [("b", "b old"), ("c", "c")]
        assert dict(seen(paths))["a"] in ("a old", "a new"), "nothing, or all that a whole manifest says"
        assert_nothing_else(paths, again.manifest)
    # Only flushing the folder and pruning come after the rename.
    assert outcomes == [OLD] * (number - 2) + [NEW]
    assert number > 8


def assert_nothing_else(paths, manifest):
    there = {str(file.relative_to(paths.segments)) for file in paths.segments.rglob("*") if file.is_file()}
    assert {name for name in there if not name.startswith("_manifests")} == (
        manifest.live_files.keys() | manifest.dead.keys()
    )
    assert not list(paths.root.glob("*.new*"))


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_failed_write_leaves_the_old_lake_as_it_was(tmp_path, monkeypatch, code):
    outcomes = []
    for number in range(1, 100):
        paths = LakePaths(tmp_path / str(number))
        held = commit_old(paths)
        with monkeypatch.context() as patch:
            fail_at(patch, number, OSError(code, os.strerror(code), "/lake/x"))
            try:
                put(held, "a", "a new")
            except LakeWriteError as error:
                assert str(error) == f"cannot write /lake/x: {os.strerror(code)}"
                outcomes.append(seen(paths))
            else:
                break
        is_new = outcomes[-1] == NEW
        assert (held.manifest.number, manifest_files.numbers(paths)[0]) == ((3, 3) if is_new else (2, 2))
        assert live_manifest(paths) == held.manifest
        put(held, "c", "c")
        assert seen(paths) == [*outcomes[-1], ("c", "c")]
    assert outcomes == [OLD] * (number - 2) + [NEW]
    assert number > 8


def test_what_fails_after_the_rename_is_a_commit_all_the_same(paths, monkeypatch):
    held = commit_old(paths)

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/lake/x")

    with monkeypatch.context() as patch, pytest.raises(LakeWriteError):
        patch.setattr(manifest_files, "prune", full)
        put(held, "a", "a new")
    assert seen(paths) == NEW
    assert held.manifest.number == 3
    put(held, "c", "c")
    assert seen(paths) == [*NEW, ("c", "c")]


def test_a_reader_keeps_its_snapshot_while_commits_go_on(paths):
    held = commit_old(paths)
    with open_lake(paths.root) as connection:
        for number in range(4):
            put(held, "a", f"a {number}")
            rows = connection.execute("SELECT session_id, text FROM entries ORDER BY ALL").fetchall()
            assert rows == OLD
    assert dict(seen(paths))["a"] == "a 3"


def test_dead_files_are_swept_once_the_grace_period_is_over(paths):
    held = commit_old(paths)
    put(held, "a", "a new", settings=Settings(grace_seconds=60.0))
    (dead,) = held.manifest.dead
    put(held, "c", "c")
    assert (paths.segments / dead).exists()
    old = time.time_ns() // 1000 - 61_000_000
    held.manifest = msgspec.structs.replace(held.manifest, dead={dead: old})
    with open_lake(paths.root) as connection, duckdb.connect(str(paths.database), read_only=True) as plain:
        put(held, "d", "d")
        assert not (paths.segments / dead).exists()
        for reader in (connection, plain):
            assert reader.execute("SELECT count(*) FROM entries").fetchall() == [(3,)]
    assert dead not in held.manifest.dead


def test_a_reader_that_is_older_than_the_grace_period_is_told_of_a_missing_file(paths):
    held = commit_old(paths)
    with open_lake(paths.root) as connection:
        connection.execute("FROM lake_snapshot").fetchall()
        put(held, "a", "a new", settings=Settings(grace_seconds=0.0))
        with pytest.raises(duckdb.Error, match=r"No such file|No files found"):
            connection.execute("SELECT text FROM entries").fetchall()
    assert seen(paths) == NEW


def test_what_dead_runs_left_is_thrown_away_and_nothing_else(paths):
    held = commit_old(paths)
    stray = [
        paths.segments / "entries" / "00000009-x-00001.parquet",
        paths.segments / "_prices" / "price_rates-half",
        paths.spill / "x",
        paths.root / "tracelake.duckdb.new",
        paths.root / "tracelake.duckdb.new.wal",
    ]
    kept = [
        paths.published / "entries" / "session_id=a" / "data.parquet",
        paths.prices / "mine.csv",
        paths.root / "notes.txt",
    ]
    for file in (*stray, *kept):
        file.parent.mkdir(exist_ok=True, parents=True)
        file.write_text("x")
    assert open_store(paths).manifest == held.manifest
    assert [file.exists() for file in stray] == [False] * len(stray)
    assert [file.exists() for file in kept] == [True] * len(kept)


def test_the_dead_are_kept_by_the_next_writer_too(paths):
    held = commit_old(paths)
    put(held, "a", "a new")
    (dead,) = held.manifest.dead
    open_store(paths)
    assert (paths.segments / dead).exists()


def test_a_manifest_whose_files_are_not_all_there_is_not_live(paths):
    held = commit_old(paths)
    before = held.manifest
    put(held, "a", "a new")
    (new,) = held.manifest.live_files.keys() - before.live_files.keys()
    (paths.segments / new).unlink()
    assert live_manifest(paths) == before


def test_a_lake_that_never_was_is_an_empty_one(paths):
    held = open_store(paths)
    assert held.manifest == Manifest()
    assert database_number(paths) is None
    assert live_manifest(paths) is None


def test_bundles_are_named_in_the_order_of_their_making(paths):
    held = open_store(paths)
    names = [held.new_bundle() for _ in range(20)]
    assert names == sorted(set(names))


def test_the_computed_tables_count_only_as_they_were_written(paths):
    held = commit_old(paths)
    one = store_derived(paths, "_prices", "price_rates", b"content", 1, "stamp")
    manifest = msgspec.structs.replace(held.manifest, derived={"price_rates": one}, number=held.manifest.number + 1)
    manifest_files.save(paths, manifest, held.manifest)
    assert open_store(paths).manifest.derived == {"price_rates": one}
    (paths.segments / one.name).write_bytes(b"CONTENT")
    assert open_store(paths).manifest.derived == {}
