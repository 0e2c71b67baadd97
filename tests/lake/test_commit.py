"""A commit is in the lake wholly or not at all, wherever it is broken off."""

import errno
import os
import stat
from contextlib import suppress

import pyarrow.parquet as pq
import pytest
from tracelake.errors import LakeBusyError, LakeError, LakeWriteError
from tracelake.lake import commit, locks
from tracelake.lake.commit import Change, StagedRun, needs_recovery, recover
from tracelake.lake.durable import make_private_dir
from tracelake.lake.layout import LakePaths
from tracelake.lake.manifest import FileState, Manifest, load_manifest, save_manifest

from tests.lake.states import session_state, source_file

STEPS = ("move", "write_private", "flush_all", "make_private", "make_private_dir", "write_empty_table")
"""Everything that `commit` does to the disk, but removing its list at the end."""


class Killed(BaseException):
    """Stands for the end of the process: no handler of ours catches it."""


@pytest.fixture
def paths(tmp_path):
    return LakePaths(tmp_path / "lake")


def stage(run, session_id, **tables):
    folder = run.session_folder(session_id)
    make_private_dir(folder)
    for table, text in tables.items():
        (folder / f"{table}.parquet").write_text(text)
    state = session_state(rows=dict.fromkeys(tables, 1))
    path = f"/s/{session_id}"
    return Change(session_id, state, {path: FileState(source_file(path, session_id=session_id))})


def commit_old(paths):
    """Two sessions of two tables each."""
    run = StagedRun(paths, Manifest())
    run.commit([stage(run, name, entries=f"{name} old", blocks=f"{name} old") for name in ("a", "b")])
    run.close()
    assert contents(paths) == OLD


def commit_new(paths):
    """Session a changes and loses its blocks, c is new, nothing is left of b."""
    run = StagedRun(paths, load_manifest(paths))
    changes = [stage(run, "a", entries="a new"), stage(run, "c", entries="c new"), Change("b", None, {})]
    run.commit(changes)
    return run


def contents(paths):
    """What a reader sees: each live session's tables, and whether stray partitions are empty."""
    manifest = load_manifest(paths)
    seen = {}
    for name in ("a", "b", "c"):
        for table in ("entries", "blocks"):
            file = paths.partition_file(table, name)
            if file.exists():
                content = file.read_bytes()
                seen[name, table] = "empty" if content.startswith(b"PAR1") else content.decode()
    return sorted(manifest.sessions), manifest.generation, seen


OLD = (["a", "b"], 1, {(name, table): f"{name} old" for name in ("a", "b") for table in ("entries", "blocks")})
NEW = (
    ["a", "c"],
    2,
    {
        ("a", "entries"): "a new",
        ("a", "blocks"): "empty",
        ("b", "entries"): "empty",
        ("b", "blocks"): "empty",
        ("c", "entries"): "c new",
    },
)


def fail_at(monkeypatch, number, error):
    """Let the `number`th step of the commit raise instead of doing anything."""
    count = 0

    def counted(step):
        def instead(*args):
            nonlocal count
            count += 1
            if count == number:
                raise error
            return step(*args)

        return instead

    for name in STEPS:
        monkeypatch.setattr(commit, name, counted(getattr(commit, name)))
    return lambda: count


def test_a_commit_replaces_adds_and_empties(paths):
    commit_old(paths)
    commit_new(paths).close()
    assert contents(paths) == NEW
    assert list(paths.staging.iterdir()) == []
    emptied = pq.read_table(paths.partition_file("blocks", "a"))
    assert emptied.num_rows == 0
    assert emptied.column_names[:3] == ["session_id", "agent", "path"]


def test_all_that_is_committed_is_private(paths):
    commit_old(paths)
    commit_new(paths)
    for path in [paths.root, *paths.root.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_killed_at_any_step_the_lake_is_old_or_new(tmp_path, monkeypatch):
    outcomes = []
    for number in range(1, 100):
        paths = LakePaths(tmp_path / str(number))
        commit_old(paths)
        with monkeypatch.context() as patch:
            steps = fail_at(patch, number, Killed())
            with suppress(Killed):
                commit_new(paths)
            finished = steps() < number
        recover(paths)
        seen = contents(paths)
        assert seen in (OLD, NEW), f"mixed when killed at step {number}"
        outcomes.append(seen == NEW)
        assert list(paths.staging.iterdir()) == []
        if finished:
            break
    assert finished and outcomes.count(False) > 5 and outcomes.count(True) > 5
    assert outcomes == sorted(outcomes), "once a commit counts it never goes back"


def test_killed_again_while_recovering(paths, monkeypatch):
    commit_old(paths)
    with monkeypatch.context() as patch, pytest.raises(Killed):
        # The first rename makes commit.json, the third is in the middle of the tables.
        original, made = commit.move, []
        patch.setattr(commit, "move", lambda *pair: made.append(pair) or original(*pair) if len(made) < 2 else kill())
        commit_new(paths)
    assert needs_recovery(paths)
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(commit, "move", lambda *pair: kill())
        recover(paths)
    assert needs_recovery(paths)
    recover(paths)
    recover(paths)
    assert contents(paths) == NEW
    assert not needs_recovery(paths)


def kill():
    raise Killed


def test_an_interrupt_while_renaming_is_settled_by_the_same_run(paths, monkeypatch):
    commit_old(paths)
    run = StagedRun(paths, load_manifest(paths))
    changes = [stage(run, "a", entries="a new"), stage(run, "c", entries="c new"), Change("b", None, {})]
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        original, made = commit.move, []

        def interrupted(*pair):
            made.append(pair)
            if len(made) == 3:
                raise KeyboardInterrupt
            original(*pair)

        patch.setattr(commit, "move", interrupted)
        run.commit(changes)
    run.settle()
    assert contents(paths) == NEW
    assert sorted(run.manifest.sessions) == ["a", "c"]
    assert run.manifest.generation == 2


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_failed_write_leaves_the_old_lake_and_no_staging(tmp_path, monkeypatch, code):
    for number in range(1, 100):
        paths = LakePaths(tmp_path / str(number))
        commit_old(paths)
        run = StagedRun(paths, load_manifest(paths))
        changes = [stage(run, "a", entries="a new"), stage(run, "c", entries="c new"), Change("b", None, {})]
        with monkeypatch.context() as patch:
            steps = fail_at(patch, number, OSError(code, os.strerror(code), str(paths.tables_dir / "x")))
            try:
                run.commit(changes)
            except LakeWriteError as error:
                assert str(error) == f"cannot write {paths.tables_dir}/x: {os.strerror(code)}"
            run.close()
            if steps() < number:
                break
        if needs_recovery(paths):
            break  # from here on every step is a rename within one file system
        assert contents(paths) == OLD
        assert list(paths.staging.iterdir()) == []
    assert number > 5


def test_renaming_that_fails_half_way_is_finished_by_the_next_run(paths, monkeypatch):
    commit_old(paths)
    original, made = commit.move, []

    def failing(*pair):
        made.append(pair)
        if len(made) == 3:
            raise OSError(errno.EIO, "Input/output error", str(pair[0]))
        original(*pair)

    with monkeypatch.context() as patch, pytest.raises(LakeWriteError):
        patch.setattr(commit, "move", failing)
        run = StagedRun(paths, load_manifest(paths))
        try:
            run.commit([stage(run, "a", entries="a new"), stage(run, "c", entries="c new"), Change("b", None, {})])
        finally:
            run.close()
    assert needs_recovery(paths)
    recover(paths)
    assert contents(paths) == NEW


def test_a_query_that_does_not_end_leaves_the_old_lake(paths, monkeypatch):
    commit_old(paths)
    monkeypatch.setattr(locks, "RENAME_WAIT_SECONDS", 0.05)
    with locks.reading(paths), pytest.raises(LakeBusyError):
        commit_new(paths)
    assert contents(paths) == OLD
    assert not needs_recovery(paths)


def test_staged_files_that_disappear_never_empty_a_table(paths):
    commit_old(paths)
    run = StagedRun(paths, load_manifest(paths))
    change = stage(run, "a", entries="a new")
    (run.session_folder("a") / "entries.parquet").unlink()
    with pytest.raises(LakeWriteError, match=r"entries\.parquet is gone"):
        run.commit([change])
    run.close()
    assert contents(paths) == OLD


def test_left_over_staging_is_thrown_away(paths):
    commit_old(paths)
    (paths.staging / "dead" / "a").mkdir(parents=True)
    (paths.staging / "dead" / "a" / "entries.parquet").write_text("half")
    (paths.staging / "file").write_text("")
    recover(paths)
    assert list(paths.staging.iterdir()) == []
    assert contents(paths) == OLD


def test_a_lake_without_staging_needs_no_recovery(paths):
    recover(paths)
    assert not paths.root.exists()


def test_a_damaged_list_is_one_clear_line(paths):
    (paths.staging / "run").mkdir(parents=True)
    (paths.staging / "run" / "commit.json").write_text("{")
    with pytest.raises(LakeError, match=r"commit\.json is damaged .* remove .*/run to go on"):
        recover(paths)


def test_a_lake_that_was_moved_is_recovered_where_it_is_now(tmp_path, monkeypatch):
    before, after = LakePaths(tmp_path / "before"), LakePaths(tmp_path / "after")
    commit_old(before)
    original, made = commit.move, []
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(commit, "move", lambda *pair: made.append(pair) or original(*pair) if len(made) < 2 else kill())
        commit_new(before)
    before.root.rename(after.root)
    recover(after)
    assert contents(after) == NEW


def test_ids_never_leave_the_lake(paths):
    run = StagedRun(paths, Manifest())
    run.commit([stage(run, "../../../x", entries="text")])
    run.close()
    assert paths.partition_file("entries", "../../../x").read_text() == "text"
    assert [path.name for path in paths.root.parent.iterdir()] == ["lake"]


def test_the_manifest_given_is_not_changed_by_a_commit_that_fails(paths, monkeypatch):
    manifest = Manifest()
    save_manifest_folder(paths)
    run = StagedRun(paths, manifest)
    monkeypatch.setattr(commit, "flush_all", lambda *args: (_ for _ in ()).throw(OSError(errno.ENOSPC, "full")))
    with pytest.raises(LakeWriteError):
        run.commit([stage(run, "a", entries="x")])
    assert run.manifest.sessions == {} and run.manifest.generation == 0


def save_manifest_folder(paths):
    paths.root.mkdir()
    save_manifest(paths, Manifest())
