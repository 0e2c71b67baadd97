"""The whole run: what is read, what stays, what a second run does, and what is left when it is broken off."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tracelake.build import extract
from tracelake.errors import LakeBusyError, LakeError, LakeWriteError, NoSourceError, UsageError
from tracelake.extract.files import EXTRACTOR_VERSION
from tracelake.extract.session import SessionReader
from tracelake.lake import manifest_files, models, segment_file, store
from tracelake.lake.layout import LakePaths
from tracelake.lake.locks import writer_lock
from tracelake.lake.manifest import Manifest
from tracelake.run import plan as planning
from tracelake.tables import TABLES

from tests.settings import AGENT, FIRST, LINE_BYTES, A, B, C, Setting, assert_only_live_files, two_sessions

FULL = "No space left on device"


@pytest.fixture
def setting(tmp_path):
    return two_sessions(tmp_path)


@pytest.fixture(autouse=True)
def builds(monkeypatch):
    """Note the sessions of every database file that is written; prices are tested elsewhere."""
    built, original = [], models.write_database

    def build(paths, manifest, target):
        built.append(sorted({part.session_id for part in manifest.parts.values()}))
        original(paths, manifest, target)

    monkeypatch.setattr(models, "write_database", build)
    monkeypatch.setattr("tracelake.pricing.genai.refresh", lambda tables, models: None)
    return built


def test_the_first_run_reads_everything(setting, builds):
    summary = setting.run()
    assert setting.texts() == FIRST
    assert (summary.sessions_seen, summary.sessions_changed, summary.sessions_failed, summary.vanished) == (2, 2, 0, 0)
    assert (summary.lines, summary.bytes, summary.statuses) == (4, 4 * LINE_BYTES, {"ok": 4})
    assert summary.files == {"main": 2, "subagent": 1}
    assert {name: summary.rows[name] for name in ("files", "entries", "raw_lines")} == {
        "files": 3,
        "entries": 4,
        "raw_lines": 4,
    }
    assert (summary.failures, summary.problems, summary.exit_code) == ([], [], 0)
    assert summary.mb_per_second == pytest.approx(4 * LINE_BYTES / 1e6 / summary.seconds)
    assert builds == [[A, B]]
    [run] = setting.manifest.runs
    assert (run.sessions_changed, run.lines, run.complete) == (2, 4, True)


def test_a_second_run_writes_nothing_at_all(setting, builds):
    setting.run()
    before = setting.snapshot()
    summary = setting.run()
    assert (summary.sessions_seen, summary.sessions_changed, summary.bytes, summary.exit_code) == (2, 0, 0, 0)
    assert setting.snapshot() == before
    assert len(builds) == 1


def test_a_grown_file_writes_its_session_alone(setting, builds):
    setting.run()
    before = {
        name: path.read_bytes() for name in setting.manifest.live_files for path in [setting.paths.segments / name]
    }
    (other,) = [number for number, part in setting.manifest.parts.items() if part.session_id == B]
    setting.write(f"{A}.jsonl", "t1", "t2", "t5")
    summary = setting.run()
    assert (summary.sessions_changed, summary.lines) == (1, 4)
    assert setting.texts() == {**FIRST, (f"{A}.jsonl", 3): "t5"}
    assert other in setting.manifest.parts
    assert {name: (setting.paths.segments / name).read_bytes() for name in before} == before, "nothing is ever changed"
    assert len(builds) == 2


def test_incremental_equals_full(setting, tmp_path):
    setting.run()
    setting.write(f"{A}.jsonl", "t1", "t2", "t5")
    setting.run()
    once = Setting(tmp_path)
    once.paths = LakePaths(tmp_path / "other")
    once.run(engine="local", workers=2)
    for table in TABLES:
        rows, again = setting.rows(table), once.rows(table)
        for row in rows + again:
            row.pop("extracted_at", None)
            row.pop("part_id")
        assert rows == again, table


@pytest.mark.parametrize("new_time", [True, False], ids=["other time", "other inode"])
def test_another_content_of_the_same_size_is_read(setting, new_time):
    file = setting.project / f"{A}.jsonl"
    setting.run()
    status = file.stat()
    if new_time:
        setting.write(file.name, "t8", "t2")
    else:
        setting.write("aside", "t8", "t2").replace(file)
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_ino == status.st_ino) == (status.st_size, new_time)
    assert setting.run().sessions_changed == 1
    assert setting.texts()[f"{A}.jsonl", 1] == "t8"
    assert setting.run().sessions_changed == 0


def test_what_another_source_finds_again_is_no_change(setting):
    setting.run()
    before = setting.snapshot()
    assert setting.run(setting.project).sessions_changed == 0
    assert setting.snapshot() == before


def test_rows_of_a_vanished_file_stay(setting):
    setting.run()
    (setting.project / AGENT).unlink()
    summary = setting.run()
    assert (summary.vanished, summary.sessions_changed, summary.exit_code) == (1, 0, 0)
    assert setting.texts() == FIRST
    stamps = setting.vanished()
    assert stamps["agent-x.jsonl"] is not None
    assert [stamps[f"{name}.jsonl"] for name in (A, B)] == [None, None]

    before = setting.snapshot()
    assert setting.run().vanished == 0
    assert setting.snapshot() == before

    setting.write(f"{A}.jsonl", "t1", "t2", "t5")
    setting.run()
    assert setting.texts() == {**FIRST, (f"{A}.jsonl", 3): "t5"}
    assert setting.vanished() == stamps

    setting.write(AGENT, "t3")
    setting.run()
    assert setting.vanished()["agent-x.jsonl"] is None


def of_session(setting, table, session):
    return [row for row in setting.rows(table) if row["session_id"] == session]


def test_a_file_that_went_elsewhere_is_not_there_twice(setting):
    file = setting.write(f"{C}.jsonl", "t1", "t2", session=C)
    setting.run()
    (setting.source / "q").mkdir()
    moved = file.rename(setting.source / "q" / file.name)
    summary = setting.run()
    assert (summary.moved, summary.vanished) == (1, 0)
    assert [row["path"] for row in of_session(setting, "files", C)] == [str(moved)]
    assert len(of_session(setting, "entries", C)) == 2
    assert str(file) not in setting.manifest.files
    assert setting.run().sessions_changed == 0


@pytest.mark.parametrize("texts", [("t1",), ("t9", "t2", "t3")], ids=["shorter", "another beginning"])
def test_a_file_of_the_same_name_that_does_not_hold_the_lost_lines_leaves_them(setting, texts):
    file = setting.write(f"{C}.jsonl", "t1", "t2", session=C)
    setting.run()
    file.unlink()
    setting.write(f"../q/{C}.jsonl", *texts, session=C)
    summary = setting.run()
    assert (summary.moved, summary.vanished) == (0, 1)
    assert len(of_session(setting, "entries", C)) == 2 + len(texts)


def test_a_file_that_could_not_be_looked_into_is_a_read_error(setting, monkeypatch):
    def refuse(*_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("tracelake.sources.classify.sniff", refuse)
    assert setting.run().exit_code == 4
    told = {(row["kind"], row["read_error"]) for row in setting.rows("files")}
    assert told == {("unrecognised", "Permission denied")}


def test_a_lake_inside_its_source_is_no_source(setting):
    setting.paths = LakePaths(setting.source / "lake")
    assert setting.run().files == {"main": 2, "subagent": 1}
    again = setting.run()
    assert (again.files, again.sessions_changed) == ({"main": 2, "subagent": 1}, 0)


def test_rows_of_a_whole_vanished_session_stay(setting):
    setting.run()
    (setting.project / f"{B}.jsonl").unlink()
    setting.run()
    setting.run(full=True)
    assert setting.texts() == FIRST
    assert setting.vanished()[f"{B}.jsonl"] is not None


def test_a_source_that_is_not_named_or_not_there_vanishes_nothing(setting, tmp_path):
    elsewhere = Setting(tmp_path / "elsewhere")
    elsewhere.write(f"{A}.jsonl", "t9")
    setting.run(setting.source, elsewhere.source)
    setting.write(f"{A}.jsonl", "t1", "t2", "t5")
    setting.run(setting.source)
    elsewhere.source.rename(tmp_path / "unplugged")
    summary = setting.run(setting.source, elsewhere.source)
    assert summary.exit_code == 4
    assert [str(elsewhere.source) in problem for problem in summary.problems] == [True]
    assert sorted(row["text"] for row in setting.rows("entries")) == ["t1", "t2", "t3", "t4", "t5", "t9"]
    assert set(setting.vanished().values()) == {None}


def test_a_file_that_changes_its_session_moves(setting):
    setting.write("notes.jsonl", "t6", session=A)
    setting.run()
    setting.write("notes.jsonl", "t6", session="c")
    summary = setting.run()
    assert summary.sessions_changed == 2, "A is read again without it"
    assert setting.texts() == {**FIRST, ("notes.jsonl", 1): "t6"}
    assert len(setting.rows("entries")) == 5
    assert setting.sessions == {A, B, "c"}
    setting.write("notes.jsonl", "t6", session="d")
    setting.run()
    assert setting.sessions == {A, B, "d"}


def failing(monkeypatch, session_id, error):
    """Let the reading of one session raise."""
    original = SessionReader.read

    def instead(reader):
        if reader._task.session_id == session_id:
            raise error
        return original(reader)

    monkeypatch.setattr(SessionReader, "read", instead)


def test_a_session_that_fails_stays_as_it_was_and_is_tried_again(setting, monkeypatch):
    setting.run()
    setting.write(f"{A}.jsonl", "t1", "t2", "t5")
    setting.write(f"{B}.jsonl", "t4", "t6", session=B)
    with monkeypatch.context() as patch:
        failing(patch, A, ValueError("no\nway"))
        summary = setting.run()
    assert (summary.sessions_changed, summary.sessions_failed, summary.exit_code) == (1, 1, 4)
    assert summary.failures == [(str(setting.project / f"{A}.jsonl"), "ValueError: no way")]
    assert setting.texts() == {**FIRST, (f"{B}.jsonl", 2): "t6"}
    assert setting.run().sessions_changed == 1
    assert setting.texts() == {**FIRST, (f"{B}.jsonl", 2): "t6", (f"{A}.jsonl", 3): "t5"}


def test_a_file_that_moves_to_a_session_that_fails_stays_where_it_was(setting, monkeypatch):
    setting.write("notes.jsonl", "t6", session="c")
    setting.run()
    setting.write("notes.jsonl", "t6", session="d")
    with monkeypatch.context() as patch:
        failing(patch, "d", ValueError("no"))
        summary = setting.run()
    assert (summary.sessions_changed, summary.sessions_failed, len(summary.failures)) == (0, 1, 1)
    assert setting.texts() == {**FIRST, ("notes.jsonl", 1): "t6"}
    assert setting.sessions == {A, B, "c"}
    setting.run()
    assert setting.sessions == {A, B, "d"}


def test_a_file_that_moves_from_a_session_that_fails_is_there_once(setting, monkeypatch):
    setting.write("more.jsonl", "t5", session="c")
    setting.write("notes.jsonl", "t6", session="c")
    setting.run()
    setting.write("notes.jsonl", "t6", session="d")
    with monkeypatch.context() as patch:
        failing(patch, "c", ValueError("no"))
        assert setting.run().sessions_failed == 1
    assert setting.texts() == {**FIRST, ("more.jsonl", 1): "t5", ("notes.jsonl", 1): "t6"}
    assert setting.sessions == {A, B, "c", "d"}
    setting.run()
    assert len(setting.rows("entries")) == 6


def unreadable(monkeypatch, name):
    """Let one file be found but not opened by the extraction."""
    original, opened = SessionReader.read, os.open

    def refusing(path, *rest, **more):
        if Path(os.fsdecode(path)).name == name:
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return opened(path, *rest, **more)

    def instead(reader):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "open", refusing)
            return original(reader)

    monkeypatch.setattr(SessionReader, "read", instead)


def test_a_file_that_cannot_be_read_now_keeps_its_earlier_rows(setting, monkeypatch):
    setting.run()
    setting.write(f"{A}.jsonl", "t1", "t2", "t5")
    setting.write(AGENT, "t3", "t6")
    with monkeypatch.context() as patch:
        unreadable(patch, f"{A}.jsonl")
        summary = setting.run()
    assert [path for path, _ in summary.failures] == [str(setting.project / f"{A}.jsonl")]
    assert summary.exit_code == 4
    assert setting.texts() == {**FIRST, ("agent-x.jsonl", 2): "t6"}

    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda path, mode: False)
        before = setting.snapshot()
        assert setting.run().exit_code == 4, "still not in the lake"
        assert setting.snapshot() == before

    assert setting.run().exit_code == 0
    assert setting.texts() == {**FIRST, ("agent-x.jsonl", 2): "t6", (f"{A}.jsonl", 3): "t5"}


def test_earlier_rows_outlast_any_number_of_failures(setting, monkeypatch):
    setting.run()
    unreadable(monkeypatch, f"{A}.jsonl")
    for text in ("t5", "t6"):
        setting.write(f"{A}.jsonl", "t1", "t2", text)
        assert setting.run().exit_code == 4
        assert setting.texts() == FIRST


def test_a_file_that_moves_but_cannot_be_read_stays_where_it_was(setting, monkeypatch):
    setting.write("notes.jsonl", "t6", session="c")
    setting.run()
    setting.write("notes.jsonl", "t7", session="d")
    with monkeypatch.context() as patch:
        unreadable(patch, "notes.jsonl")
        summary = setting.run()
    assert (len(summary.failures), summary.exit_code) == (1, 4)
    assert setting.texts() == {**FIRST, ("notes.jsonl", 1): "t6"}
    assert setting.sessions == {A, B, "c"}
    setting.run()
    assert setting.texts() == {**FIRST, ("notes.jsonl", 1): "t7"}


def test_a_file_that_never_could_be_read_is_listed_and_tried_again(setting, monkeypatch):
    with monkeypatch.context() as patch:
        unreadable(patch, "agent-x.jsonl")
        summary = setting.run()
    assert summary.exit_code == 4
    assert {Path(row["path"]).name for row in setting.rows("files") if row["read_error"]} == {"agent-x.jsonl"}
    assert setting.run().exit_code == 0
    assert setting.texts() == FIRST


def bundles_of(setting):
    """What each bundle holds: its sessions, and the rows of every table by part, without what each run differs in."""
    found = {}
    for table in TABLES:
        for row in setting.rows(table):
            bundle = setting.manifest.parts[row["part_id"]].bundle
            kept = {name: value for name, value in row.items() if name != "extracted_at"}
            found.setdefault(bundle, []).append((table, str(kept)))
    return sorted(found.values())


def test_bundles_do_not_depend_on_workers_or_engine(tmp_path, monkeypatch):
    monkeypatch.setattr(planning, "BUNDLE_BYTES", 5 * LINE_BYTES)
    made = Setting(tmp_path)
    for number in range(12):
        made.write(f"s{number}.jsonl", *(f"t{n}" for n in range(number % 4 + 1)), session=f"s{number}")
    lakes = []
    for number, options in enumerate(({"engine": "serial"}, *({"engine": "local", "workers": n} for n in (1, 2, 3)))):
        made.paths = LakePaths(tmp_path / f"lake{number}")
        made.run(**options)
        lakes.append(bundles_of(made))
    assert len(lakes[0]) > 3
    assert lakes[1:] == lakes[:1] * 3


def test_an_interrupt_keeps_what_is_complete(setting, monkeypatch, builds):
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(planning, "BUNDLE_BYTES", 1)  # a task for each session, the larger first
        failing(patch, B, KeyboardInterrupt())
        setting.run()
    assert set(setting.texts().values()) == {"t1", "t2", "t3"}
    assert builds == [[A]]
    assert [run.complete for run in setting.manifest.runs] == [False]
    assert setting.run().sessions_changed == 1
    assert setting.texts() == FIRST
    assert_only_live_files(setting.paths)


@pytest.mark.parametrize("is_renamed", [False, True], ids=["before", "after"])
def test_an_interrupt_at_the_rename_leaves_the_old_lake_or_the_new(setting, monkeypatch, is_renamed):
    setting.run()
    setting.write(f"{A}.jsonl", "t1", "t2", "t5")
    original = store.move

    def interrupted(*pair):
        if is_renamed:
            original(*pair)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(store, "move", interrupted)
        setting.run()
    new = {**FIRST, (f"{A}.jsonl", 3): "t5"}
    assert setting.texts() == (new if is_renamed else FIRST)
    assert setting.run().sessions_changed == (0 if is_renamed else 1)
    assert setting.texts() == new
    assert_only_live_files(setting.paths)


def test_a_full_disk_ends_the_run_with_one_line_and_the_old_lake(setting, monkeypatch):
    setting.run()
    before = setting.snapshot()
    setting.write(f"{A}.jsonl", "t1", "t2", "t5")

    def full(stream, content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(segment_file, "write_all", full)
    with pytest.raises(LakeWriteError, match=rf"^cannot write {setting.paths.segments}: {FULL}$"):
        setting.run()
    after = setting.snapshot()
    assert {path: seen[2] for path, seen in after.items()} == {path: seen[2] for path, seen in before.items()}


def test_a_database_that_could_not_be_written_leaves_the_old_lake(setting, monkeypatch):
    setting.run()
    setting.write(f"{A}.jsonl", "t1", "t2", "t5")

    def full(paths, manifest, target):
        raise LakeWriteError(f"cannot write db: {FULL}")

    with monkeypatch.context() as patch, pytest.raises(LakeWriteError, match=f"^cannot write db: {FULL}$"):
        patch.setattr(models, "write_database", full)
        setting.run()
    assert setting.texts() == FIRST
    assert setting.run().sessions_changed == 1
    assert setting.texts() == {**FIRST, (f"{A}.jsonl", 3): "t5"}


@pytest.mark.parametrize("change", ["missing", "damaged", "other tracelake", "other models"])
def test_a_database_that_does_not_fit_is_built_again(setting, monkeypatch, builds, change):
    setting.run()
    if change == "missing":
        setting.paths.database.unlink()
    elif change == "damaged":
        setting.paths.database.chmod(0o600)
        setting.paths.database.write_bytes(b"x" * 9999)
    elif change == "other tracelake":
        for module in ("run.finalise", "lake.models"):
            monkeypatch.setattr(f"tracelake.{module}.__version__", "99")
    else:
        for module in ("model_files", "models"):
            monkeypatch.setattr(f"tracelake.lake.{module}.models_stamp", lambda: "other")
    setting.run()
    setting.run()
    assert builds == [[A, B]] * 2
    assert setting.texts() == FIRST


def test_raw_lines_can_be_left_out_and_added_later(setting):
    setting.run(with_raw=False)
    assert setting.rows("raw_lines") == []
    assert setting.run(with_raw=False).sessions_changed == 0
    assert setting.run().sessions_changed == 2
    assert len(setting.rows("raw_lines")) == 4
    assert setting.run(with_raw=False).sessions_changed == 0


def test_full_reads_all_again_and_changes_nothing_else(setting):
    setting.run()
    assert setting.run(full=True).sessions_changed == 2
    assert setting.texts() == FIRST


def test_a_newer_extractor_reads_all_again(setting, monkeypatch):
    setting.run()
    for module in ("build", "extract.files"):
        monkeypatch.setattr(sys.modules[f"tracelake.{module}"], "EXTRACTOR_VERSION", EXTRACTOR_VERSION + 1)
    assert setting.run().sessions_changed == 2
    assert setting.run().sessions_changed == 0


def test_a_dry_run_says_what_and_writes_nothing(setting):
    summary = setting.run(dry_run=True)
    assert (summary.sessions_changed, summary.bytes, summary.dry_run, summary.exit_code) == (2, 4 * LINE_BYTES, True, 0)
    assert not setting.paths.root.exists()
    setting.run()
    before = setting.snapshot()
    (setting.project / AGENT).unlink()
    summary = setting.run(dry_run=True)
    assert (summary.sessions_changed, summary.vanished) == (0, 1)
    assert setting.snapshot() == before


def test_wrong_requests(setting, tmp_path):
    with pytest.raises(NoSourceError, match=r"no such file or folder: .*nowhere"):
        setting.run(tmp_path / "nowhere")
    with pytest.raises(NoSourceError, match="no source was named"):
        extract([], setting.paths.root)
    with pytest.raises(UsageError):
        setting.run(engine="ray")
    assert not setting.paths.root.exists()


def test_two_writers(setting):
    with writer_lock(setting.paths), pytest.raises(LakeBusyError, match=f"pid {os.getpid()}"):
        setting.run()


def test_a_lake_of_a_newer_version_is_left_alone(setting, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(manifest_files, "LAKE_VERSION", 99)
        manifest_files.save(setting.paths, Manifest(number=1), None)
    before = setting.snapshot()
    with pytest.raises(LakeError, match=r"format 99.*upgrade"):
        setting.run()
    assert setting.snapshot() == before


def test_an_empty_source_makes_an_empty_lake(setting, tmp_path, builds):
    (tmp_path / "empty").mkdir()
    summary = setting.run(tmp_path / "empty")
    assert (summary.sessions_seen, summary.exit_code) == (0, 0)
    assert builds == [[]]
    setting.run(tmp_path / "empty")
    assert builds == [[]]


class Told:
    """A progress bar that writes down what it is told."""

    def __init__(self):
        self.calls = []

    def start(self, *args):
        self.calls.append(("start", *args))

    def advance(self, *args):
        self.calls.append(("advance", *args))

    def finish(self):
        self.calls.append(("finish",))


def test_progress_is_told_from_start_to_end(setting, monkeypatch):
    told = Told()
    setting.run(progress=told)
    assert told.calls == [
        ("start", 4 * LINE_BYTES, 2),
        ("advance", 4 * LINE_BYTES, 2, B),
        ("finish",),
    ]
    told.calls.clear()
    setting.run(progress=told)
    assert told.calls == []


KILL_AT = """
import os, signal, sys
from pathlib import Path
from tracelake import build
from tracelake.build import extract
from tracelake.lake import store
original = store.move
def move(*pair):
    if sys.argv[1] == "after":
        original(*pair)
    os.kill(os.getpid(), signal.SIGKILL)
store.move = move
extract([Path(sys.argv[2])], Path(sys.argv[3]), engine="serial", partitions="none")
"""


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_run_that_is_killed_at_the_rename_leaves_the_old_lake_or_the_new(setting, moment):
    setting.run()
    setting.write(f"{A}.jsonl", "t1", "t2", "t5")
    program = [sys.executable, "-c", KILL_AT, moment, str(setting.source), str(setting.paths.root)]
    root = Path(__file__).parents[1]
    done = subprocess.run(
        program, env={**os.environ, "PYTHONPATH": str(root / "pipeline")}, capture_output=True, check=False
    )
    assert done.returncode == -9, done.stderr.decode()
    new = {**FIRST, (f"{A}.jsonl", 3): "t5"}
    assert setting.ask("SELECT count(*) FROM entries") == [(4 if moment == "before" else 5,)]
    setting.run()
    assert setting.texts() == new
    assert_only_live_files(setting.paths)
