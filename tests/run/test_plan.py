"""Which sessions are written, from what is known and what was found."""

from pathlib import Path

import msgspec
import pytest
from tracelake.lake.manifest import FileState, Manifest
from tracelake.lake.tasks import KeptFile
from tracelake.run.plan import Options, make_plan

from tests.lake.states import source_file

NOW = 1_000
KNOWN = 500


@pytest.fixture
def root(tmp_path):
    return str(tmp_path)


@pytest.fixture
def plan(root):
    """Return a function from known states and found files to a plan."""

    def make(known, found, roots=(root,), **options):
        wanted = {"full": False, "with_raw": True, "extractor_version": 1, "now_us": NOW, **options}
        manifest = Manifest(files={state.file.path: state for state in known})
        return make_plan(manifest, found, list(roots), Options(**wanted), lambda name: Path("/st") / name, Path("/t"))

    return make


@pytest.fixture
def file(root):
    """Return a function that makes a found file, of session `a` unless told."""
    return lambda name, **fields: source_file(f"{root}/{name}", **fields)


def known(file, **fields):
    return FileState(file, **{"read_at_us": KNOWN, "extractor_version": 1, "has_raw": True, **fields})


def outline(plan):
    """Tasks as session, names of the files read, names of the files carried over."""
    return [
        (
            task.session_id,
            [Path(file.path).name for file in task.files],
            [Path(kept.path).name for kept in task.kept],
        )
        for task in plan.tasks
    ]


def test_nothing_changed_nothing_to_do(plan, file):
    files = [file("m"), file("s", session_id="b")]
    done = plan([known(one) for one in files], files)
    assert (done.tasks, done.touched, done.vanished, done.unreadable) == ([], {}, [], [])


@pytest.mark.parametrize("field", ["size", "fingerprint", "kind", "agent", "agent_id", "reason"])
def test_a_change_reads_the_whole_session_and_no_other(plan, file, field):
    old = [file("m"), file("n"), file("o", session_id="b")]
    changed = {"size": 11, "kind": "subagent"}.get(field, "other")
    new = [msgspec.structs.replace(old[0], **{field: changed}), old[1], old[2]]
    assert outline(plan([known(one) for one in old], new)) == [("a", ["m", "n"], [])]


def test_a_new_file_reads_its_session(plan, file):
    assert outline(plan([known(file("m"))], [file("m"), file("n")])) == [("a", ["m", "n"], [])]


def test_a_touched_file_is_noted_but_not_read(plan, file):
    touched = file("m", mtime_ns=77, inode=78)
    done = plan([known(file("m", source="/elsewhere"))], [touched])
    assert done.tasks == []
    assert done.touched == {touched.path: known(file("m", source="/elsewhere", mtime_ns=77, inode=78))}


def test_found_by_another_source_is_no_change(plan, file):
    done = plan([known(file("m"))], [file("m", source="/other", project="other")])
    assert (done.tasks, done.touched) == ([], {})


def test_another_extractor_reads_again_what_is_there(plan, file):
    states = [known(file("m")), known(file("gone"), vanished_at_us=7), known(file("x", session_id="b"))]
    done = plan(states, [file("m")], roots=[file("m").path], extractor_version=2)
    assert outline(done) == [("a", ["m"], ["gone"])]


def test_raw_lines_are_added_when_wanted_never_taken_away(plan, file):
    without = known(file("m"), has_raw=False)
    assert outline(plan([without], [file("m")])) == [("a", ["m"], [])]
    assert outline(plan([without], [file("m")], with_raw=False)) == []
    assert outline(plan([known(file("m"))], [file("m")], with_raw=False)) == []


def test_a_file_that_is_only_listed_needs_no_raw_lines(plan, file):
    listed = file("m.meta.json", kind="sidecar")
    assert plan([known(listed, has_raw=False)], [listed]).tasks == []


def test_full_reads_everything_found(plan, file):
    states = [known(file("m")), known(file("gone"), vanished_at_us=7)]
    assert outline(plan(states, [file("m")], full=True)) == [("a", ["m"], ["gone"])]


def test_a_vanished_file_is_stamped_and_nothing_is_read(plan, file):
    states = [known(file("m")), known(file("gone")), known(file("o", session_id="b"))]
    done = plan(states, [file("m"), file("o", session_id="b")])
    assert outline(done) == [("a", [], ["gone", "m"])]
    assert done.tasks[0].kept == [KeptFile(file("gone").path, NOW), KeptFile(file("m").path, None)]
    assert done.vanished == [file("gone").path]


def test_a_vanished_file_is_stamped_once(plan, file):
    assert plan([known(file("gone"), vanished_at_us=7)], []).tasks == []


def test_a_changed_session_keeps_the_stamp_of_what_vanished_before(plan, file):
    done = plan([known(file("m")), known(file("gone"), vanished_at_us=7)], [file("m", size=11)])
    assert done.tasks[0].kept == [KeptFile(file("gone").path, 7)]


def test_a_file_that_is_back_is_read(plan, file):
    done = plan([known(file("m"), vanished_at_us=7)], [file("m")])
    assert outline(done) == [("a", ["m"], [])]


def test_a_file_of_a_source_not_scanned_is_carried_over(plan, file, tmp_path):
    elsewhere = source_file("/elsewhere/n")
    done = plan([known(file("m")), known(elsewhere)], [file("m", size=11)])
    assert outline(done) == [("a", ["m"], ["n"])]
    assert done.tasks[0].kept == [KeptFile("/elsewhere/n", None)]
    assert done.vanished == []


def test_a_root_does_not_cover_a_neighbour_that_begins_like_it(plan, root):
    assert plan([known(source_file(f"{root}-2/m"))], []).vanished == []


def test_a_file_that_was_missed_but_exists_is_not_vanished(plan, file, tmp_path):
    (tmp_path / "m").touch()
    assert plan([known(file("m"))], []).tasks == []


def test_a_folder_in_the_place_of_a_file_does_not_count_as_it(plan, file, tmp_path):
    (tmp_path / "m").mkdir()
    assert plan([known(file("m"))], []).vanished == [file("m").path]


def test_a_file_that_changes_its_session_moves(plan, file):
    states = [known(file("m")), known(file("n")), known(file("gone"), vanished_at_us=7)]
    done = plan(states, [file("m", session_id="b"), file("n")])
    assert sorted(outline(done)) == [("a", ["n"], ["gone"]), ("b", ["m"], [])]
    assert done.moved == {file("m").path}
    assert done.groups == {"a": {"a", "b"}, "b": {"a", "b"}}
    [b] = [task for task in done.tasks if task.session_id == "b"]
    assert b.read_before == [], "its earlier rows are in another partition"


def test_a_session_that_lost_all_its_files_to_another_is_emptied(plan, file):
    done = plan([known(file("m"))], [file("m", session_id="b")])
    assert sorted(outline(done)) == [("a", [], []), ("b", ["m"], [])]


def test_moves_that_touch_are_one_group(plan, file):
    states = [known(file("m", session_id="a")), known(file("n", session_id="b")), known(file("o", session_id="x"))]
    found = [file("m", session_id="b"), file("n", session_id="c"), file("o", session_id="y")]
    groups = plan(states, found).groups
    assert groups["a"] == groups["b"] == groups["c"] == {"a", "b", "c"}
    assert groups["x"] == groups["y"] == {"x", "y"}


def test_what_was_read_before_can_be_fallen_back_on(plan, file):
    states = [known(file("m")), known(file("n"), read_at_us=None)]
    assert plan(states, [file("m", size=11), file("n")]).tasks[0].read_before == [file("m").path]


def test_an_unreadable_file_is_reported_each_time_and_tried_when_it_may_be_read(plan, file, tmp_path):
    state = known(file("m"), read_error="Permission denied")
    done = plan([state], [file("m")])
    assert (done.tasks, done.unreadable) == ([], [(file("m").path, "Permission denied")])
    (tmp_path / "m").touch()
    done = plan([state], [file("m")])
    assert (outline(done), done.unreadable) == ([("a", ["m"], [])], [])


def test_largest_first_counting_transcripts_only(plan, file):
    found = [
        file("small", session_id="s", size=10),
        file("large", session_id="l", size=20),
        file("other", session_id="o", size=99, kind="unrecognised"),
    ]
    done = plan([], found)
    assert [task.session_id for task in done.tasks] == ["l", "s", "o"]
    assert done.bytes == {"l": 20, "s": 10, "o": 0}
    assert done.tasks[0].staging == "/st/l"
    assert done.tasks[0].old_partition_root == "/t"
