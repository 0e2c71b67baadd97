"""What the manifest says after a task."""

import pytest
from tracelake.lake.manifest import BundleState, Extent, FailureState, Manifest, PartState, SegmentFile
from tracelake.lake.tasks import BundleResult, EarlierPart, FileTask, PartResult, SessionResult, SessionTask
from tracelake.run.changes import with_failures, with_plan, with_result
from tracelake.run.plan import Options, Plan
from tracelake.tables import SCHEMA

from tests.lake.states import bundle_state, file_state, part_state, source_file

OPTIONS = Options(full=False, with_raw=True, extractor_version=2, now_us=100)
FILES = {"entries": SegmentFile("ff", 10, 4)}
MAIN, SUB = source_file("/s/m", size=30), source_file("/s/n", kind="subagent")
BEFORE = Manifest(
    number=6,
    next_part=3,
    files={"/s/m": file_state(MAIN, part_id=1), "/s/n": file_state(SUB, part_id=2)},
    parts={1: part_state(path="/s/m"), 2: part_state(path="/s/n")},
    bundles={"b1": bundle_state([1, 2])},
)


def read(path, part_id, **changes):
    fields = {"rows": {"entries": 4}, "statuses": {"ok": 4}, "models": ["m"], "lines": 4, "bytes": 40}
    return PartResult(path, part_id, **{**fields, "extent": Extent("u", 7, 4, 40), **changes})


def after(manifest, tasks, *parts, **changes):
    """The manifest after one session was read with these results."""
    session = SessionResult(
        "a", list(parts), **{name: changes.pop(name) for name in ("moved", "failure") if name in changes}
    )
    good = [part.part_id for part in parts if not part.keeps_before] if session.failure is None else []
    result = BundleResult("b2", FILES, good, [], 40, [session], 0.1)
    return with_result(manifest, {"a": SessionTask("a", list(tasks))}, result, OPTIONS)


def again(file, part_id, **changes):
    """A file that is read another time."""
    earlier = BEFORE.files[file.path].part_id
    return FileTask(file, part_id, EarlierPart(earlier, "b1"), **changes)


def test_a_session_that_was_read_is_live():
    done = after(Manifest(number=6), [FileTask(MAIN, 1)], read("/s/m", 1))
    assert done.files == {
        "/s/m": file_state(MAIN, read_at_us=100, extractor_version=2, extent=Extent("u", 7, 4, 40)),
    }
    assert done.parts == {1: PartState("/s/m", "a", "b2", {"entries": 4}, {"ok": 4}, ["m"])}
    assert done.bundles == {"b2": BundleState(7, FILES, [1], source_bytes=40, schema=SCHEMA)}


def test_the_earlier_part_dies_and_others_of_its_bundle_live():
    done = after(BEFORE, [again(MAIN, 3)], read("/s/m", 3))
    assert sorted(done.parts) == [2, 3]
    assert sorted(done.bundles) == ["b1", "b2"]
    assert done.dead_parts("b1") == [1]
    assert done.files["/s/n"] == BEFORE.files["/s/n"]


def test_a_bundle_without_any_live_part_goes():
    done = after(BEFORE, [again(MAIN, 3), again(SUB, 4)], read("/s/m", 3), read("/s/n", 4))
    assert sorted(done.bundles) == ["b2"]


def test_a_file_that_failed_keeps_its_earlier_part_and_says_why():
    grown = source_file("/s/m", size=50)
    failed = read("/s/m", 3, error="I/O error", keeps_before=True)
    done = after(BEFORE, [again(grown, 3, keeps_before=True)], failed)
    assert done.files["/s/m"] == file_state(grown, part_id=1, read_error="I/O error")
    assert (done.parts, done.bundles) == (BEFORE.parts, BEFORE.bundles)
    assert done.failures == {"/s/m": FailureState("I/O error", 100, "/s/m")}
    healed = after(done, [again(grown, 4, keeps_before=True)], read("/s/m", 4))
    assert (healed.failures, healed.files["/s/m"].read_error) == ({}, None)


def test_a_file_that_changes_its_session_and_fails_has_not_moved():
    elsewhere = source_file("/s/m", size=50, session_id="z")
    failed = read("/s/m", 3, error="I/O error", keeps_before=True)
    done = after(BEFORE, [again(elsewhere, 3, keeps_before=True)], failed)
    assert done.files["/s/m"] == file_state(MAIN, part_id=1, read_error="I/O error")
    assert done.parts == BEFORE.parts


def test_a_file_that_never_was_read_has_what_there_is_of_it():
    done = after(Manifest(), [FileTask(MAIN, 1)], read("/s/m", 1, error="I/O error"))
    state = done.files["/s/m"]
    assert (state.part_id, state.read_at_us, state.read_error) == (1, None, "I/O error")
    assert done.failures == {"/s/m": FailureState("I/O error", 100, "/s/m")}


def test_a_session_that_failed_is_as_it_was_until_it_is_read():
    done = after(BEFORE, [again(SUB, 3), again(MAIN, 4)], failure="ValueError: no")
    assert (done.files, done.parts, done.bundles) == (BEFORE.files, BEFORE.parts, BEFORE.bundles)
    assert done.failures == {"a": FailureState("ValueError: no", 100, "/s/m")}
    healed = after(done, [again(SUB, 3), again(MAIN, 4)], read("/s/n", 3), read("/s/m", 4))
    assert healed.failures == {}


def test_sessions_whose_worker_died_are_failures_too():
    done = with_failures(BEFORE, [SessionTask("a", [again(SUB, 3)])], "killed", OPTIONS)
    assert done.failures == {"a": FailureState("killed", 100, "/s/n")}


def test_a_file_that_was_read_elsewhere_is_forgotten_where_it_was():
    new = source_file("/t/m")
    done = after(BEFORE, [FileTask(new, 3)], read("/t/m", 3), moved=["/s/m"])
    assert sorted(done.files) == ["/s/n", "/t/m"]
    assert sorted(done.parts) == [2, 3]


def test_rows_made_again_from_raw_lines_are_still_of_a_vanished_file():
    gone = Manifest(
        files={"/s/m": file_state(MAIN, vanished_at_us=9)},
        parts={1: part_state(path="/s/m")},
        bundles={"b1": bundle_state()},
    )
    done = after(gone, [again(MAIN, 3, from_lake=True)], read("/s/m", 3))
    assert (done.files["/s/m"].vanished_at_us, done.files["/s/m"].part_id) == (9, 3)
    back = after(gone, [again(MAIN, 3)], read("/s/m", 3))
    assert back.files["/s/m"].vanished_at_us is None


def plan(**changes):
    return Plan(**{"sessions": [], "next_part": 9, "vanished": [], "relabelled": {}, "unreadable": [], **changes})


def test_what_discovery_alone_tells():
    other = source_file("/s/n", kind="subagent", source="/other")
    done = with_plan(BEFORE, plan(vanished=["/s/m"], relabelled={"/s/n": other}), OPTIONS)
    assert done.files["/s/m"] == file_state(MAIN, part_id=1, vanished_at_us=100)
    assert done.files["/s/n"] == file_state(other, part_id=2)
    assert (done.parts, done.next_part) == (BEFORE.parts, 9)


@pytest.mark.parametrize("there", [True, False])
def test_a_failure_is_forgotten_once_its_file_is_gone(tmp_path, there):
    path = tmp_path / "m"
    if there:
        path.touch()
    failed = Manifest(failures={"a": FailureState("no", 5, str(path))})
    assert (with_plan(failed, plan(), OPTIONS).failures == failed.failures) is there
