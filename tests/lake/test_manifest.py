"""Manifests: checkpoints and deltas, two copies of each, checksums, and how many are kept."""

import random
import shutil
import stat
import time

import msgspec
import pytest
from tracelake.errors import LakeError, LakeVersionError
from tracelake.lake import manifest_files
from tracelake.lake.layout import LakePaths
from tracelake.lake.manifest import (
    Derived,
    Extent,
    FailureState,
    Manifest,
    RunState,
    SegmentFile,
    Settings,
)
from tracelake.lake.manifest_files import (
    KEPT,
    LONGEST_CHAIN,
    DamagedManifestError,
    damaged,
    load,
    load_newest,
    numbers,
    prune,
    save,
)

from tests.lake.states import bundle_state, file_state, part_state, source_file

FILE = SegmentFile("ab" * 32, 10, 3)


@pytest.fixture
def paths(tmp_path):
    return LakePaths(tmp_path / "lake")


def full(number=1):
    """A manifest with something in every member."""
    return Manifest(
        number=number,
        next_part=3,
        files={
            "/s/a.jsonl": file_state(vanished_at_us=9, extent=Extent("u1", None, 3, 10)),
            "/s/b": file_state(source_file("/s/b", kind="unrecognised", reason="no"), part_id=2, read_error="denied"),
        },
        parts={1: part_state(), 2: part_state(path="/s/b", rows={"files": 1})},
        bundles={"b1": bundle_state([1, 2], files={"entries": FILE}, born_dead=[7], source_bytes=10)},
        derived={"price_rates": Derived("_prices/price_rates-x", FILE, "stamp")},
        failures={"a": FailureState("ValueError", 5, "/s/a.jsonl")},
        dead={"entries/b0.parquet": 77},
        runs=[RunState(1, 2.5, ["/s"], 1, 0, 0, 3, 10, complete=False)],
        settings=Settings(partitions=["entries"], grace_seconds=1.5),
        rebuilt=True,
    )  # fmt: skip


def changed(manifest, **changes):
    return msgspec.structs.replace(manifest, number=manifest.number + 1, **changes)


def kinds(paths):
    """The kind of every manifest file in the lake's folder, by number."""
    return {number: paths.manifest(number).read_bytes().split(b" ")[3].decode() for number in numbers(paths)}


def many_files(count):
    states = {
        f"/s/{n}": file_state(source_file(f"/s/{n}", fingerprint=random.Random(n).randbytes(9).hex()))
        for n in range(count)
    }
    return Manifest(number=1, files=states)


def test_without_any_there_is_none(paths):
    assert (load_newest(paths), numbers(paths), list(damaged(paths))) == (None, [], [])
    with pytest.raises(DamagedManifestError, match="missing"):
        load(paths, 1)


def test_everything_comes_back(paths):
    save(paths, full(), None)
    assert load(paths, 1) == load_newest(paths) == full()


def test_both_copies_are_private_and_alike(paths):
    files = save(paths, full(), None)
    assert files == [paths.manifest(1), paths.manifest_copy(1)]
    assert files[0].read_bytes() == files[1].read_bytes()
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert {stat.S_IMODE(file.parent.stat().st_mode) for file in files} == {0o700}


def test_a_file_name_that_is_not_utf8_comes_back_also_in_a_delta(paths):
    odd = source_file("/s/\\xff.jsonl", os_path="/s/\udcff.jsonl")
    first = many_files(300)
    save(paths, first, None)
    second = changed(first, files={**first.files, odd.path: file_state(odd)})
    save(paths, second, first)
    assert kinds(paths) == {1: "checkpoint", 2: "delta"}
    assert load(paths, 2).known[odd.path] == odd
    third = changed(second)
    save(paths, third, second)
    assert load(paths, 3) == third


def edited(chance, items, make, kind=str):
    """A copy of a dictionary with an item gone, one changed and one added, or not."""
    gone, other = (chance.sample(sorted(items), min(len(items), chance.randrange(2))) for _ in range(2))
    made = {key: make(chance.randrange(1000)) for key in [*other, kind(chance.randrange(9999))]}
    return {key: value for key, value in items.items() if key not in gone} | made


def random_step(chance, before):
    """Another manifest, a little different in every dictionary."""
    return changed(
        before,
        files=edited(chance, before.files, lambda n: file_state(part_id=n)),
        parts=edited(chance, before.parts, lambda n: part_state(models=[str(n)]), int),
        bundles=edited(chance, before.bundles, lambda n: bundle_state([n])),
        dead=edited(chance, before.dead, lambda n: n),
        failures=edited(chance, before.failures, lambda n: FailureState(str(n), n, "/x")),
        derived=edited(chance, before.derived, lambda n: Derived(str(n), FILE)),
        next_part=before.next_part + 1,
    )


def test_any_chain_of_changes_comes_back_and_the_last_three_are_kept(paths):
    chance = random.Random(5)
    manifest = many_files(400)
    save(paths, manifest, None)
    known = {1: manifest}
    for _ in range(60):
        before, manifest = manifest, random_step(chance, manifest)
        save(paths, manifest, before)
        known[manifest.number] = manifest
        prune(paths, manifest.number)
        for number in range(max(1, manifest.number - KEPT + 1), manifest.number + 1):
            assert load(paths, number) == known[number]
        assert len(numbers(paths)) <= LONGEST_CHAIN + KEPT
        assert {file.name for file in paths.manifest_copies.iterdir()} == {
            file.name for file in paths.root.glob("manifest-*")
        }
    assert {"checkpoint", "delta"} == set(kinds(paths).values())


def test_a_chain_of_deltas_ends(paths):
    manifest = many_files(300)
    save(paths, manifest, None)
    for _ in range(2 * LONGEST_CHAIN):
        before, manifest = manifest, changed(manifest, next_part=manifest.next_part + 1)
        save(paths, manifest, before)
    ordered = [kind for _, kind in sorted(kinds(paths).items())]
    longest = max(len(run) for run in "".join(kind[0] for kind in ordered).split("c"))
    assert 0 < longest <= LONGEST_CHAIN


def test_a_manifest_that_does_not_follow_the_one_before_is_whole(paths):
    first = many_files(300)
    save(paths, first, None)
    save(paths, msgspec.structs.replace(first, number=5), first)
    assert kinds(paths)[5] == "checkpoint"


def test_every_flipped_bit_is_found_and_does_no_harm(paths):
    manifest = full()
    file, copy = save(paths, manifest, None)
    content = file.read_bytes()
    for place in range(len(content)):
        for bit in range(8):
            flipped = bytearray(content)
            flipped[place] ^= 1 << bit
            file.write_bytes(flipped)
            assert [name for name, _ in damaged(paths)] == ["manifest-00000001"], (place, bit)
            assert load(paths, 1) == manifest
    file.write_bytes(content)
    assert list(damaged(paths)) == []
    copy.write_bytes(content[:-1])
    assert list(damaged(paths)) == [("segments/_manifests/manifest-00000001", "its checksum does not fit")]


@pytest.mark.parametrize("length", [0, 1, 50, 110, -1])
def test_a_manifest_that_is_cut_short_is_none(paths, length):
    first = many_files(3)
    save(paths, first, None)
    second = changed(first)
    for file in save(paths, second, first):
        file.write_bytes(file.read_bytes()[:length])
    with pytest.raises(DamagedManifestError):
        load(paths, 2)
    assert load_newest(paths) == first


def test_the_one_before_counts_where_what_a_delta_builds_on_is_lost(paths):
    first = many_files(300)
    save(paths, first, None)
    second = changed(first)
    save(paths, second, first)
    third = msgspec.structs.replace(many_files(300), number=3)
    save(paths, third, None)
    fourth = changed(third)
    save(paths, fourth, third)
    assert kinds(paths) == {1: "checkpoint", 2: "delta", 3: "checkpoint", 4: "delta"}
    paths.manifest(3).unlink()
    assert load_newest(paths) == fourth, "its copy is there"
    paths.manifest_copy(3).unlink()
    assert load_newest(paths) == second


@pytest.mark.parametrize("which", ["manifest", "manifest_copy"])
def test_a_lost_file_is_said(paths, which):
    save(paths, full(), None)
    getattr(paths, which)(1).unlink()
    ((name, reason),) = damaged(paths)
    assert (name, reason) == (str(getattr(paths, which)(1).relative_to(paths.root)), "missing")


def test_a_manifest_under_another_number_is_none(paths):
    save(paths, full(), None)
    for path in (paths.manifest, paths.manifest_copy):
        shutil.copy(path(1), path(2))
    assert load_newest(paths) == full()
    assert {reason for _, reason in damaged(paths)} == {"it is number 1"}


def test_a_newer_format_is_refused_whatever_else_it_holds(paths, monkeypatch):
    save(paths, full(), None)
    with monkeypatch.context() as patch:
        patch.setattr(manifest_files, "LAKE_VERSION", 99)
        patch.setattr(manifest_files, "compress", lambda content: b"something new")
        save(paths, full(2), None)
    with pytest.raises(LakeVersionError, match=r"has format 99, this tracelake reads up to \d+; upgrade tracelake"):
        load_newest(paths)


def test_a_folder_in_its_place_is_an_error_not_an_empty_lake(paths):
    paths.manifest(1).mkdir(parents=True)
    with pytest.raises(LakeError, match=r"cannot read .*manifest-00000001: Is a directory"):
        load_newest(paths)


def test_pruning_removes_what_was_never_committed(paths):
    first = full()
    save(paths, first, None)
    save(paths, changed(first), first)
    prune(paths, 1)
    assert numbers(paths) == [1]


def test_ten_thousand_sessions_are_loaded_and_saved_fast_and_one_changes_little(paths):
    name = "/home/someone/.claude/projects/p/{}.jsonl"
    files = {
        name.format(n): file_state(source_file(name.format(n), session_id=f"s{n % 10_000}"), part_id=n)
        for n in range(30_000)
    }
    parts = {n: part_state(path=path, bundle=f"b{n // 4000}") for n, path in enumerate(files)}
    manifest = Manifest(number=1, files=files, parts=parts)
    started = time.perf_counter()
    save(paths, manifest, None)
    after = changed(manifest, files={**files, name.format(7): file_state(part_id=40_000)})
    save(paths, after, manifest)
    assert load(paths, 2) == after
    assert time.perf_counter() - started < 60
    assert paths.manifest(2).stat().st_size < 2000
