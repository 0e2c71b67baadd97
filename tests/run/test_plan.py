"""Which sessions are read, from what is known and what was found."""

from itertools import count
from pathlib import Path

import msgspec
import pytest
from tracelake.lake.manifest import Extent, Manifest
from tracelake.lake.tasks import EarlierPart, LostFile
from tracelake.run import plan as planning
from tracelake.run.plan import Options, bundles, halves, make_plan

from tests.lake.states import file_state, part_state, source_file

NOW = 1_000
OPTIONS = {"full": False, "with_raw": True, "extractor_version": 1, "now_us": NOW}


@pytest.fixture
def root(tmp_path):
    return str(tmp_path)


@pytest.fixture
def plan(root):
    """Return a function from known states and found files to a plan; the states' parts are numbered from 1."""

    def make(states, found, roots=(root,), **options):
        files, parts = {}, {}
        for part_id, state in enumerate(states, 1):
            files[state.file.path] = msgspec.structs.replace(state, part_id=part_id)
            parts[part_id] = part_state(path=state.file.path, session_id=state.file.session_id)
        manifest = Manifest(files=files, parts=parts, next_part=len(parts) + 1)
        return make_plan(manifest, found, list(roots), Options(**{**OPTIONS, **options}))

    return make


@pytest.fixture
def file(root):
    """Return a function that makes a found file, of session `a` unless told."""
    return lambda name, **fields: source_file(f"{root}/{name}", **fields)


def known(file, **fields):
    return file_state(file, **fields)


def outline(plan):
    """Sessions to read: id, names of the files read, names of those that are gone and may be among them."""
    return [
        (
            session.session_id,
            [Path(one.file.path).name for one in session.files],
            [Path(lost.path).name for lost in session.lost],
        )
        for session in plan.sessions
    ]


def test_nothing_changed_nothing_to_do(plan, file):
    files = [file("m"), file("s", session_id="b")]
    done = plan([known(one) for one in files], files)
    assert (done.sessions, done.relabelled, done.vanished, done.unreadable, done.stale) == ([], {}, [], [], [])
    assert done.next_part == 3


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("size", 11),
        ("fingerprint", "other"),
        ("kind", "subagent"),
        ("agent", "codex"),
        ("agent_id", "x"),
        ("reason", "other"),
        # A redaction may keep the size, and a copy the time.
        ("mtime_ns", 77),
        ("inode", 78),
    ],
)
def test_a_change_reads_the_whole_session_and_no_other(plan, file, field, value):
    old = [file("m"), file("n"), file("o", session_id="b")]
    new = [msgspec.structs.replace(old[0], **{field: value}), old[1], old[2]]
    assert outline(plan([known(one) for one in old], new)) == [("a", ["m", "n"], [])]


def test_every_file_that_is_read_gets_a_new_part_and_names_its_last(plan, file):
    done = plan([known(file("m")), known(file("o", session_id="b"))], [file("m", size=11), file("n")])
    m, n = done.sessions[0].files
    assert (m.part_id, m.before, m.keeps_before) == (3, EarlierPart(1, "b1"), True)
    assert (n.part_id, n.before, n.keeps_before) == (4, None, False)
    assert done.next_part == 5


def test_a_new_file_reads_its_session(plan, file):
    assert outline(plan([known(file("m"))], [file("m"), file("n")])) == [("a", ["m", "n"], [])]


def test_found_by_another_source_is_noted_and_not_read(plan, file):
    other = file("m", source="/other")
    done = plan([known(file("m"))], [other])
    assert (done.sessions, done.relabelled) == ([], {other.path: other})


def test_another_extractor_reads_again_what_is_there(plan, file):
    states = [known(file("m")), known(file("x", session_id="b"))]
    assert outline(plan(states, [file("m")], roots=[file("m").path], extractor_version=2)) == [
        ("a", ["m"], []),
        ("b", ["x"], []),
    ]


def test_another_extractor_makes_rows_of_files_that_are_gone_from_their_raw_lines(plan, file):
    gone = known(file("gone"), vanished_at_us=7)
    done = plan([known(file("m"), extractor_version=2), gone], [file("m")], extractor_version=2)
    read = {Path(one.file.path).name: one.from_lake for one in done.sessions[0].files}
    assert read == {"gone": True, "m": False}
    assert done.stale == []


def test_rows_of_a_file_that_is_gone_without_raw_lines_stay_as_they_are_and_are_told_of(plan, file):
    gone = known(file("gone"), vanished_at_us=7, has_raw=False)
    done = plan([gone], [], extractor_version=2)
    assert (outline(done), done.stale) == ([], [file("gone").path])


def test_raw_lines_are_added_when_wanted_never_taken_away(plan, file):
    without = known(file("m"), has_raw=False)
    assert outline(plan([without], [file("m")])) == [("a", ["m"], [])]
    assert outline(plan([without], [file("m")], with_raw=False)) == []
    assert outline(plan([known(file("m"))], [file("m")], with_raw=False)) == []


def test_a_file_that_is_only_listed_needs_no_raw_lines(plan, file):
    listed = file("m.meta.json", kind="sidecar")
    assert plan([known(listed, has_raw=False)], [listed]).sessions == []


def test_full_reads_everything_found(plan, file):
    states = [known(file("m")), known(file("gone"), vanished_at_us=7)]
    assert outline(plan(states, [file("m")], full=True)) == [("a", ["m"], ["gone"])]


def test_a_vanished_file_is_stamped_and_nothing_is_read(plan, file):
    states = [known(file("m")), known(file("gone")), known(file("o", session_id="b"))]
    done = plan(states, [file("m"), file("o", session_id="b")])
    assert (done.sessions, done.vanished) == ([], [file("gone").path])


def test_a_vanished_file_is_stamped_once(plan, file):
    done = plan([known(file("gone"), vanished_at_us=7)], [])
    assert (done.sessions, done.vanished) == ([], [])


def test_a_lost_file_is_known_by_how_it_began(plan, file):
    extent = Extent("u1", 5, 3, 30)
    states = [known(file("m")), known(file("gone"), vanished_at_us=7, extent=extent), known(file("old"))]
    done = plan(states, [file("m", size=11)])
    lost = [LostFile(file("gone").path, 2, extent), LostFile(file("old").path, 3, Extent(None, None, 0, 0))]
    assert done.sessions[0].lost == lost


def test_a_file_that_is_back_is_read(plan, file):
    assert outline(plan([known(file("m"), vanished_at_us=7)], [file("m")])) == [("a", ["m"], [])]


def test_a_file_of_a_source_not_scanned_is_left_alone(plan, file, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "n").touch()
    states = [known(file("home/m")), known(file("elsewhere/n"))]
    done = plan(states, [file("home/m", size=11)], roots=[str(tmp_path / "home")])
    assert (outline(done), done.vanished) == ([("a", ["m"], [])], [])


def test_a_root_does_not_cover_a_neighbour_that_begins_like_it(plan, root):
    assert plan([known(source_file(f"{root}-2/m"))], []).vanished == []


def test_a_file_that_was_missed_but_exists_is_not_vanished(plan, file, tmp_path):
    (tmp_path / "m").touch()
    done = plan([known(file("m"))], [])
    assert (done.sessions, done.vanished) == ([], [])


def test_a_folder_in_the_place_of_a_file_does_not_count_as_it(plan, file, tmp_path):
    (tmp_path / "m").mkdir()
    assert plan([known(file("m"))], []).vanished == [file("m").path]


def test_a_file_that_changes_its_session_moves(plan, file):
    states = [known(file("m")), known(file("n")), known(file("gone"), vanished_at_us=7)]
    done = plan(states, [file("m", session_id="b"), file("n")])
    assert outline(done) == [("a", ["n"], ["gone"]), ("b", ["m"], [])]
    (m,) = done.sessions[1].files
    assert (m.before, m.keeps_before) == (EarlierPart(1, "b1"), True)


def test_a_session_that_lost_all_its_files_to_another_is_not_read(plan, file):
    assert outline(plan([known(file("m"))], [file("m", session_id="b")])) == [("b", ["m"], [])]


def test_what_was_read_before_can_be_fallen_back_on(plan, file):
    states = [known(file("m")), known(file("n"), read_at_us=None)]
    done = plan(states, [file("m", size=11), file("n")])
    assert [one.keeps_before for one in done.sessions[0].files] == [True, False]


def test_an_unreadable_file_is_reported_each_time_and_tried_when_it_may_be_read(plan, file, tmp_path):
    state = known(file("m"), read_error="Permission denied")
    done = plan([state], [file("m")])
    assert (done.sessions, done.unreadable) == ([], [(file("m").path, "Permission denied")])
    (tmp_path / "m").touch()
    done = plan([state], [file("m")])
    assert (outline(done), done.unreadable) == ([("a", ["m"], [])], [])


def tasks_of(done):
    numbers = count(1)
    return bundles(done, lambda: f"b{next(numbers)}", "/lake", 4, Options(**OPTIONS))


def test_bundles_hold_neighbouring_sessions_up_to_a_size_counting_transcripts_only(plan, file, monkeypatch):
    monkeypatch.setattr(planning, "BUNDLE_BYTES", 100)
    found = [file(name, session_id=name, size=size) for name, size in zip("abcde", (60, 40, 1, 300, 5), strict=True)]
    found.append(file("listed", session_id="a", size=10_000, kind="unrecognised"))
    tasks = tasks_of(plan([], found))
    assert [([session.session_id for session in task.sessions], task.bytes) for task in tasks] == [
        (["d"], 300),
        (["a", "b"], 100),
        (["e"], 5),
        (["c"], 1),
    ], "largest first"
    assert {(task.root, task.commit, task.with_raw) for task in tasks} == {("/lake", 4, True)}
    assert len({task.bundle for task in tasks}) == 4


def test_bundles_hold_a_bounded_number_of_files(plan, file, monkeypatch):
    monkeypatch.setattr(planning, "BUNDLE_FILES", 3)
    names = [("a", 2), ("b", 2), ("c", 1), ("d", 5)]
    found = [file(f"{name}{n}", session_id=name) for name, amount in names for n in range(amount)]
    held = [sorted(session.session_id for session in task.sessions) for task in tasks_of(plan([], found))]
    assert sorted(held) == [["a"], ["b", "c"], ["d"]]


def test_a_task_in_halves_ends_at_single_sessions(plan, file):
    (task,) = tasks_of(plan([], [file(name, session_id=name) for name in "abc"]))
    names = iter("xyz")
    parts = halves(task, lambda: next(names))
    assert [(part.bundle, [session.session_id for session in part.sessions]) for part in parts] == [
        ("x", ["a"]),
        ("y", ["b", "c"]),
    ]
    assert halves(parts[0], lambda: next(names)) == []
