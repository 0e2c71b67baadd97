"""The whole run: what is read, what stays, what a second run does, and what is left when it is broken off."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import tracelake.run.work
from tracelake.build import extract
from tracelake.errors import LakeBusyError, LakeError, LakeWriteError, NoSourceError, UsageError
from tracelake.extract import session as extraction
from tracelake.lake import commit, models
from tracelake.lake.layout import LakePaths
from tracelake.lake.locks import writer_lock
from tracelake.lake.manifest import load_manifest
from tracelake.tables import TABLES

A = "0a1b2c3d-0000-4000-8000-00000000000a"
B = "0a1b2c3d-0000-4000-8000-00000000000b"
C = "0a1b2c3d-0000-4000-8000-00000000000c"
AGENT = f"{A}/subagents/agent-x.jsonl"
FULL = "cannot write /x: No space left on device"


def line(text, session=A):
    message = {"role": "user", "content": text}
    record = {"type": "user", "sessionId": session, "uuid": f"u{text[1:]}", "message": message}
    return json.dumps(record) + "\n"


LINE_BYTES = len(line("t1"))


def identity(file):
    """Which file it is and when it was written; reading it changes neither."""
    return file.stat().st_ino, file.stat().st_mtime_ns


class Setting:
    """A projects folder, a lake, and the shortest ways to change the one and read the other."""

    def __init__(self, folder):
        self.source = folder / "projects"
        self.project = self.source / "p"
        self.paths = LakePaths(folder / "lake")

    def write(self, name, *texts, session=A):
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(line(text, session) for text in texts))
        return path

    def run(self, *sources, **options):
        return extract(sources or [self.source], self.paths.root, **{"engine": "serial", **options})

    def rows(self, table):
        """Every live row, as the manifest has it, with what the partition says checked against it."""
        found = []
        for session_id, state in sorted(load_manifest(self.paths).sessions.items()):
            file = self.paths.partition_file(table, session_id)
            here = pq.read_table(file).to_pylist() if file.exists() else []
            assert len(here) == state.rows.get(table, 0)
            found += here
        return found

    def texts(self):
        """The text of every entry, by file and line."""
        return {(Path(row["path"]).name, row["line_no"]): row["text"] for row in self.rows("entries")}

    def vanished(self):
        return {Path(row["path"]).name: row["vanished_at"] for row in self.rows("files")}

    def snapshot(self):
        """All that can be seen of the lake's files, locks left out."""
        return {
            str(path): (path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else None)
            for path in self.paths.root.rglob("*")
            if not path.name.endswith("lock")
        }


@pytest.fixture
def setting(tmp_path):
    """Session A of a main file and a sub-agent's, session B of one file."""
    made = Setting(tmp_path)
    made.write(f"{A}.jsonl", "t1", "t2")
    made.write(AGENT, "t3")
    made.write(f"{B}.jsonl", "t4", session=B)
    return made


@pytest.fixture(autouse=True)
def builds(monkeypatch):
    """Count builds of the database file instead of doing them; the real one is tested elsewhere."""
    built = []

    def build(paths, manifest):
        built.append(sorted(manifest.sessions))
        paths.database.write_bytes(b"checksumDUCK")  # what the start of a database file looks like

    monkeypatch.setattr(models, "build_database", build)
    monkeypatch.setattr("tracelake.pricing.genai.refresh", lambda paths, models: None)
    return built


FIRST = {(f"{A}.jsonl", 1): "t1", (f"{A}.jsonl", 2): "t2", ("agent-x.jsonl", 1): "t3", (f"{B}.jsonl", 1): "t4"}


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
    assert not list(setting.paths.staging.iterdir())
    [run] = load_manifest(setting.paths).runs
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
    other = setting.paths.partition_file("entries", B)
    before = identity(other)
    setting.write(f"{A}.jsonl", "t1", "t2", "t5")
    summary = setting.run()
    assert (summary.sessions_changed, summary.lines) == (1, 4)
    assert setting.texts() == {**FIRST, (f"{A}.jsonl", 3): "t5"}
    assert identity(other) == before
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
        assert rows == again, table


def test_a_touched_file_is_not_read_and_not_looked_at_again(setting, builds):
    setting.run()
    entries = identity(setting.paths.partition_file("entries", A))
    os.utime(setting.project / f"{A}.jsonl", ns=(1, 1))
    assert setting.run().sessions_changed == 0
    assert load_manifest(setting.paths).files[str(setting.project / f"{A}.jsonl")].file.mtime_ns == 1
    assert identity(setting.paths.partition_file("entries", A)) == entries
    assert len(builds) == 1
    before = setting.snapshot()
    setting.run()
    assert setting.snapshot() == before


def test_rows_of_a_vanished_file_stay(setting):
    setting.run()
    (setting.project / AGENT).unlink()
    summary = setting.run()
    assert (summary.vanished, summary.sessions_changed, summary.exit_code) == (1, 1, 0)
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
    assert str(file) not in load_manifest(setting.paths).files
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
    assert summary.sessions_changed == 2
    assert setting.texts() == {**FIRST, ("notes.jsonl", 1): "t6"}
    assert len(setting.rows("entries")) == 5
    assert load_manifest(setting.paths).sessions.keys() == {A, B, "c"}
    setting.write("notes.jsonl", "t6", session="d")
    setting.run()
    assert load_manifest(setting.paths).sessions.keys() == {A, B, "d"}
    assert pq.read_table(setting.paths.partition_file("entries", "c")).num_rows == 0


def failing(monkeypatch, session_id, error):
    """Let the extraction of one session raise."""
    original = extraction.extract_session

    def instead(task):
        if task.session_id == session_id:
            raise error
        return original(task)

    monkeypatch.setattr(tracelake.run.work, "extract_session", instead)


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


def test_a_move_whose_one_half_fails_does_not_lose_the_other(setting, monkeypatch):
    setting.write("notes.jsonl", "t6", session="c")
    setting.run()
    setting.write("notes.jsonl", "t6", session="d")
    for fails in ("c", "d"):
        with monkeypatch.context() as patch:
            failing(patch, fails, ValueError("no"))
            summary = setting.run()
        assert (summary.sessions_changed, summary.sessions_failed, len(summary.failures)) == (0, 2, 1)
        assert setting.texts() == {**FIRST, ("notes.jsonl", 1): "t6"}
        assert load_manifest(setting.paths).sessions.keys() == {A, B, "c"}
    setting.run()
    assert load_manifest(setting.paths).sessions.keys() == {A, B, "d"}


def unreadable(monkeypatch, name):
    """Let one file be found but not opened by the extraction."""
    original, opened = extraction.extract_session, os.open

    def refusing(path, *rest, **more):
        if Path(os.fsdecode(path)).name == name:
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return opened(path, *rest, **more)

    def instead(task):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "open", refusing)
            return original(task)

    monkeypatch.setattr(tracelake.run.work, "extract_session", instead)


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
    assert (summary.sessions_failed, summary.exit_code) == (2, 4)
    assert setting.texts() == {**FIRST, ("notes.jsonl", 1): "t6"}
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


def test_an_interrupt_keeps_what_is_complete(setting, monkeypatch, builds):
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        failing(patch, B, KeyboardInterrupt())  # the smaller, so the second
        setting.run()
    assert set(setting.texts().values()) == {"t1", "t2", "t3"}
    assert builds == [[A]]
    assert [run.complete for run in load_manifest(setting.paths).runs] == [False]
    assert not list(setting.paths.staging.iterdir())
    assert setting.run().sessions_changed == 1
    assert setting.texts() == FIRST


def test_an_interrupt_amid_the_renames_leaves_the_commit_whole(setting, monkeypatch, builds):
    original, made = commit.move, []

    def interrupted(*pair):
        made.append(pair)
        if len(made) == 3:
            raise KeyboardInterrupt
        original(*pair)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(commit, "move", interrupted)
        setting.run()
    assert setting.texts() == FIRST
    assert builds == [[A, B]]
    assert setting.run().sessions_changed == 0


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "", "/x"), LakeWriteError(FULL)])
def test_a_full_disk_ends_the_run_with_one_line_and_the_old_lake(setting, monkeypatch, error):
    setting.run()
    before = setting.snapshot()
    setting.write(f"{A}.jsonl", "t1", "t2", "t5")
    failing(monkeypatch, A, error)
    with pytest.raises(LakeWriteError, match=f"^{FULL}$"):
        setting.run()
    after = setting.snapshot()
    assert {path: seen[2] for path, seen in after.items()} == {path: seen[2] for path, seen in before.items()}


def full_disk(paths, manifest):
    raise LakeWriteError(FULL)


def test_a_database_that_could_not_be_built_is_built_by_the_next_run(setting, monkeypatch, builds):
    with monkeypatch.context() as patch:
        patch.setattr(
            models, "build_database", lambda *_: (_ for _ in ()).throw(LakeWriteError("cannot write db: full"))
        )
        with pytest.raises(LakeWriteError):
            setting.run()
    assert setting.run().sessions_changed == 0
    assert builds == [[A, B]]


@pytest.mark.parametrize("change", ["missing", "other tracelake", "other prices"])
def test_a_database_that_does_not_fit_is_built_again(setting, monkeypatch, builds, change):
    setting.run()
    if change == "missing":
        setting.paths.database.unlink()
    elif change == "other tracelake":
        monkeypatch.setattr("tracelake.run.finalise.__version__", "99")
    else:
        monkeypatch.setattr("tracelake.pricing.genai.price_stamp", lambda: "newer")
    setting.run()
    setting.run()
    assert len(builds) == 2


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
    monkeypatch.setattr(extraction, "EXTRACTOR_VERSION", extraction.EXTRACTOR_VERSION + 1)
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
    assert (summary.sessions_changed, summary.vanished) == (1, 1)
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


def test_a_lake_of_a_newer_version_is_left_alone(setting):
    setting.paths.root.mkdir()
    setting.paths.manifest.write_text('{"lake_version": 99}')
    with pytest.raises(LakeError, match="format 99"):
        setting.run()
    assert setting.paths.manifest.read_text() == '{"lake_version": 99}'


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
        ("advance", 3 * LINE_BYTES, 1, A),
        ("advance", LINE_BYTES, 1, B),
        ("finish",),
    ]
    told.calls.clear()
    setting.run(progress=told)
    assert told.calls == []


KILL_AT = """
import os, signal, sys
from pathlib import Path
from tracelake.build import extract
from tracelake.lake import commit, models
models.build_database = lambda paths, manifest: None
original, left = commit.move, [int(sys.argv[1])]
def move(*pair):
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    original(*pair)
commit.move = move
extract([Path(sys.argv[2])], Path(sys.argv[3]), engine="serial")
"""


@pytest.mark.parametrize("move", [1, 2, 5])
def test_a_killed_run_is_made_good_by_the_next(setting, move):
    setting.run()
    setting.write(f"{A}.jsonl", "t1", "t2", "t5")
    program = [sys.executable, "-c", KILL_AT, str(move), str(setting.source), str(setting.paths.root)]
    root = Path(__file__).parents[1]
    done = subprocess.run(
        program, env={**os.environ, "PYTHONPATH": str(root / "pipeline")}, capture_output=True, check=False
    )
    assert done.returncode == -9, done.stderr.decode()
    assert setting.run().sessions_changed == (1 if move == 1 else 0)
    assert setting.texts() == {**FIRST, (f"{A}.jsonl", 3): "t5"}
    assert not list(setting.paths.staging.iterdir())
