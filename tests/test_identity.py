"""Conversation identity: the specification's examples (I-3, I-4) and its limits."""

import pytest
from tracelake.identity import MAX_HOPS, MAX_VISITS, Identity, Project, Root, RootFile, identities


def file(name, *records, unreadable=False, stopped=False):
    """Make a file of records (uuid, parent, logical parent, timestamp); the first parentless one is its root."""
    full = [(*record, *[None] * (4 - len(record))) for record in records]
    root = next((Root(uuid, logical, time) for uuid, parent, logical, time in full if parent is None), None)
    return RootFile(f"/p/{name}", root, unreadable, frozenset(record[0] for record in full), stopped)


def ask(files):
    return {path.removeprefix("/p/"): found for path, found in identities({"/p": files}).items()}


ORIGIN = file("o.jsonl", ("A",), ("B", "A"), ("K", None, "B"))
FORKS = [file("p.jsonl", ("K", None, "B"), ("B", "x"), ("X", "K")), file("q.jsonl", ("K", None, "B"), ("Y", "K"))]


def test_forks_of_one_restart_converge_on_the_origin():
    assert ask([ORIGIN, *FORKS]) == dict.fromkeys(("o.jsonl", "p.jsonl", "q.jsonl"), Identity("A", None, ()))


def test_a_deleted_predecessor_gives_all_forks_the_same_degraded_answer():
    assert ask(FORKS) == dict.fromkeys(("p.jsonl", "q.jsonl"), Identity("K", "missing", ()))


def test_a_ring_ends_as_a_runaway_that_depends_on_the_start():
    ring = [
        file("a.jsonl", ("Ra", None, "inB"), ("inA", "Ra")),
        file("b.jsonl", ("Rb", None, "inC"), ("inB", "Rb")),
        file("c.jsonl", ("Rc", None, "inA"), ("inC", "Rc")),
    ]
    answers = ask(ring)
    assert (answers["a.jsonl"], answers["b.jsonl"]) == (Identity("Rc", "runaway", ()), Identity("Ra", "runaway", ()))


def test_an_unreadable_sibling_is_named_and_never_stops_the_search():
    alone = [file("bad.jsonl", unreadable=True), file("s.jsonl", ("K", None, "zz"))]
    assert ask(alone)["s.jsonl"] == Identity("K", "missing", ("/p/bad.jsonl",))
    assert ask(alone)["bad.jsonl"] is None
    found = ask([ORIGIN, *FORKS, file("bad.jsonl", unreadable=True)])
    assert found["p.jsonl"] == Identity("A", None, ("/p/bad.jsonl",))
    assert found["o.jsonl"] == Identity("A", None, ())  # no restart: the folder is not looked at


def test_a_file_that_stops_early_is_noted_unless_it_was_found_before():
    late = file("late.jsonl", ("Z",), stopped=True)
    assert ask([late, file("s.jsonl", ("K", None, "zz"))])["s.jsonl"] == Identity("K", "missing", ("/p/late.jsonl",))
    hit = file("hit.jsonl", ("Z",), ("zz", "Z"), stopped=True)
    assert ask([hit, file("s.jsonl", ("K", None, "zz"))])["s.jsonl"] == Identity("Z", None, ())


def test_a_boundary_in_the_middle_of_the_original_is_enough():
    files = [file("o.jsonl", ("A",), ("K", None, "never written")), file("p.jsonl", ("K", None, "never written"))]
    assert ask(files)["p.jsonl"] == Identity("A", None, ())


def test_a_later_continuation_that_kept_an_old_record_is_not_entered():
    files = [
        file("a.jsonl", ("L", None, "K2", "2026-03-03T00:00:00Z"), ("B", "L")),
        file("o.jsonl", ("A", None, None, "2026-03-01T00:00:00Z"), ("B", "A")),
        file("p.jsonl", ("K", None, "B", "2026-03-02T00:00:00Z")),
    ]
    assert ask(files)["p.jsonl"] == Identity("A", None, ())


@pytest.mark.parametrize("time", ["2026-03-02T00:00:00Z", "no time"])
def test_an_equal_or_unknown_time_is_no_reason_to_refuse(time):
    restart = file("p.jsonl", ("K", None, "B", "2026-03-02T00:00:00Z"))
    files = [file("o.jsonl", ("A", None, None, time), ("B", "A")), restart]
    assert ask(files)["p.jsonl"] == Identity("A", None, ())


def test_the_first_degraded_answer_is_kept_and_backtracking_finds_the_origin():
    files = [
        file("a.jsonl", ("D", None, "nowhere"), ("B", "D")),
        file("b.jsonl", ("A",), ("B", "A")),
        file("p.jsonl", ("K", None, "B")),
    ]
    assert ask(files)["p.jsonl"] == Identity("A", None, ())
    assert ask([files[0], files[2]])["p.jsonl"] == Identity("D", "missing", ())


def test_candidates_come_in_byte_order_of_their_names():
    files = [
        file("Z.jsonl", ("first",), ("B", "first")),
        file("a.jsonl", ("second",), ("B", "second")),
        file("p.jsonl", ("K", None, "B")),
    ]
    assert ask(files)["p.jsonl"].stable_id == "first"


def chain(length):
    files = [file("f0000.jsonl", ("r0",), ("x0", "r0"))]
    return files + [file(f"f{n:04d}.jsonl", (f"r{n}", None, f"x{n - 1}"), (f"x{n}", f"r{n}")) for n in range(1, length)]


def test_sixty_four_hops_are_followed_and_no_more():
    project = Project(chain(MAX_HOPS + 2))
    assert project.identity(Root(f"r{MAX_HOPS}", f"x{MAX_HOPS - 1}", None)) == Identity("r0", None, ())
    last = project.identity(Root(f"r{MAX_HOPS + 1}", f"x{MAX_HOPS}", None))
    assert (last.stable_id, last.degraded) == ("r1", "runaway")


def test_five_hundred_and_twelve_visits_and_no_more():
    dead_ends = [file(f"d{n:04d}.jsonl", (f"D{n}", None, "nowhere"), ("B", f"D{n}")) for n in range(MAX_VISITS)]
    origin = file("z.jsonl", ("A",), ("B", "A"))
    root = Root("K", "B", None)
    assert Project([*dead_ends[1:], origin]).identity(root) == Identity("A", None, ())
    assert Project([*dead_ends, origin]).identity(root) == Identity("K", "runaway", ())


def test_a_file_without_an_origin_has_no_identity():
    assert ask([file("n.jsonl", ("u", "p"))]) == {"n.jsonl": None}


def test_too_many_visits_end_the_search_where_it_stands():
    """The limit counts over the whole search; the answer is the root at which it was passed."""
    dead_ends = [file(f"d{n:04d}.jsonl", (f"D{n}", None, "nowhere"), ("B", f"D{n}")) for n in range(MAX_VISITS)]
    middle = file("a.jsonl", ("Ra", None, "B"), ("inA", "Ra"))
    assert Project([middle, *dead_ends]).identity(Root("K", "inA", None)) == Identity("Ra", "runaway", ())
    assert Project([middle, *dead_ends[1:]]).identity(Root("K", "inA", None)).degraded == "missing"
