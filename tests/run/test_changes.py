"""What the manifest says of a session after its task."""

from tracelake.lake.manifest import FileState, Manifest
from tracelake.lake.tasks import KeptFile, SessionResult, SessionTask
from tracelake.run.changes import change_of
from tracelake.run.plan import Options

from tests.lake.states import session_state, source_file

OPTIONS = Options(full=False, with_raw=True, extractor_version=2, now_us=100)
OLD = {"read_at_us": 50, "extractor_version": 1, "has_raw": False}


def change(files, kept=(), errors=(), manifest=None, read_before=()):
    task = SessionTask("a", files, list(kept), "/st", "/t", True, list(read_before))
    result = SessionResult("a", {"entries": 4, "files": 2}, {"ok": 4}, 2, 4, 40, ["m"], list(errors), 0.1)
    return change_of(task, result, manifest or Manifest(), OPTIONS)


def test_a_session_that_was_read():
    main, meta = source_file("/s/m", size=30), source_file("/s/x.meta.json", kind="sidecar", size=99)
    done = change([main, meta])
    assert done.files["/s/m"] == FileState(main, read_at_us=100, extractor_version=2, has_raw=True)
    assert done.state == session_state(
        rows={"entries": 4, "files": 2}, statuses={"ok": 4}, extracted_at_us=100, extractor_version=2, bytes=30, lines=4
    )


def test_carried_over_rows_keep_what_made_them():
    manifest = Manifest(files={"/s/k": FileState(source_file("/s/k", size=7), **OLD)})
    done = change([source_file("/s/m", size=30)], [KeptFile("/s/k", 9)], manifest=manifest)
    assert done.files["/s/k"] == FileState(source_file("/s/k", size=7), vanished_at_us=9, **OLD)
    assert (done.state.extractor_version, done.state.has_raw, done.state.bytes) == (1, False, 37)


def test_a_session_of_which_nothing_was_read_keeps_its_time():
    manifest = Manifest(files={"/s/k": FileState(source_file("/s/k"), **OLD)}, sessions={"a": session_state()})
    assert change([], [KeptFile("/s/k", 9)], manifest=manifest).state.extracted_at_us == 5


def test_a_file_that_failed_is_remembered_as_it_failed():
    manifest = Manifest(files={"/s/m": FileState(source_file("/s/m"), **OLD)})
    failed = source_file("/s/m", size=11)
    known = change([failed], errors=[("/s/m", "no")], manifest=manifest, read_before=["/s/m"])
    assert known.files["/s/m"] == FileState(failed, read_error="no", **OLD)
    new = change([failed], errors=[("/s/m", "no")])
    assert new.files["/s/m"] == FileState(failed, read_error="no", extractor_version=2, has_raw=True)


def test_a_session_without_any_file_is_no_more():
    done = change([])
    assert (done.state, done.files) == (None, {})
