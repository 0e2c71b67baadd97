"""A lake whose manifests are lost is made again from the footers of its segments: the same rows, no dead ones."""

import shutil

import msgspec
import pytest
from tracelake.build import compact
from tracelake.lake.manifest import Settings
from tracelake.lake.segment_file import read_footer
from tracelake.lake.store import live_manifest, open_store
from tracelake.tables import TABLES

from tests.settings import AGENT, FIRST, A, B, two_sessions

NOT_IN_FOOTERS = {"vanished_at", "extracted_at"}


@pytest.fixture
def setting(tmp_path):
    """Session A read twice, B gone from its place."""
    made = two_sessions(tmp_path)
    made.run()
    (made.project / f"{B}.jsonl").unlink()
    made.write(f"{A}.jsonl", "t1", "t2", "t5")
    made.run()
    return made


NOW = {**FIRST, (f"{A}.jsonl", 3): "t5"}


def lose_manifests(paths, *, database=True):
    shutil.rmtree(paths.manifest_copies)
    for file in paths.root.glob("manifest-*"):
        file.unlink()
    if database:
        paths.database.unlink()


def everything(setting):
    """All rows of all tables as views give them, in no order, without what only a manifest knows."""
    return {table: sorted(map(str, setting.ask(f"SELECT {columns(table)} FROM {table}"))) for table in TABLES}


def columns(table):
    return ", ".join(f'"{one.name}"' for one in TABLES[table].columns if one.name not in NOT_IN_FOOTERS)


def test_a_reader_is_answered_without_manifest_database_or_sources(setting):
    before = everything(setting)
    shutil.rmtree(setting.source)
    lose_manifests(setting.paths)
    assert everything(setting) == before
    assert setting.texts() == NOW
    assert setting.manifest.rebuilt, "kept from then on"
    written_at = setting.paths.database.stat().st_mtime_ns
    assert everything(setting) == before
    assert setting.paths.database.stat().st_mtime_ns == written_at


def test_the_rebuilt_manifest_is_the_lost_one_but_for_what_footers_do_not_say(setting):
    lost = setting.manifest
    lose_manifests(setting.paths)
    found = open_store(setting.paths).manifest
    assert (found.parts, found.bundles) == (lost.parts, lost.bundles)
    assert (found.number, found.next_part, found.rebuilt) == (lost.number, lost.next_part, True)
    assert found.files.keys() == lost.files.keys()
    for path, state in found.files.items():
        known = lost.files[path]
        assert (state.part_id, state.extent, state.has_raw) == (known.part_id, known.extent, known.has_raw)
        assert state.extractor_version == known.extractor_version


def test_the_next_run_reads_what_is_there_and_loses_nothing_of_what_is_not(setting):
    before = everything(setting)
    lose_manifests(setting.paths)
    summary = setting.run()
    assert (summary.sessions_changed, summary.exit_code) == (1, 0), "A; nothing is left to read of B"
    assert everything(setting) == before
    assert setting.vanished()[f"{B}.jsonl"] is not None
    assert setting.run().sessions_changed == 0


def test_dead_parts_stay_dead_and_merged_bundles_are_there_once(setting):
    for text in ("t6", "t7"):
        setting.write(AGENT, "t3", text)
        setting.run()
    before = everything(setting)
    bundles = setting.manifest.bundles.keys()
    compact(setting.paths.root)
    assert not bundles & setting.manifest.bundles.keys()
    there = {path.stem for path in (setting.paths.segments / "entries").iterdir()}
    assert bundles & there, "the merged ones are still there for readers"
    lose_manifests(setting.paths)
    assert everything(setting) == before


def test_dead_parts_stay_dead_when_what_killed_them_is_swept(setting):
    """A is read again by a bundle that is dead and removed itself before the manifests are lost."""
    setting.write(f"{B}.jsonl", *(f"b{number}" for number in range(9)), session=B)
    setting.write(f"{A}.jsonl", "t1", "t2", "t6")
    setting.run()
    held = open_store(setting.paths)
    held.commit(msgspec.structs.replace(held.manifest, settings=Settings(grace_seconds=0.0)))
    for text in ("t7", "t8"):
        setting.write(f"{A}.jsonl", "t1", "t2", text)
        setting.run()
    before = everything(setting)
    manifest = setting.manifest
    mixed = [part for name in manifest.bundles for part in manifest.dead_parts(name)]
    there = {path.stem for path in (setting.paths.segments / "entries").iterdir()}
    assert mixed
    assert there == manifest.bundles.keys()
    lose_manifests(setting.paths)
    assert everything(setting) == before


def test_one_lost_manifest_of_several(setting):
    """The last commit is known by its footers alone, those before by their manifests."""
    setting.write("new.jsonl", "t8")
    setting.run()
    before, number = everything(setting), setting.manifest.number
    for file in (setting.paths.manifest(number), setting.paths.manifest_copy(number)):
        file.unlink()
    setting.write("newer.jsonl", "t9")
    setting.run()
    assert setting.manifest.number > number
    rows = everything(setting)
    assert {
        table: len(rows[table]) - len(before[table]) for table in ("entries", "files", "raw_lines")
    } == dict.fromkeys(("entries", "files", "raw_lines"), 1)
    assert set(before["entries"]) < set(rows["entries"])


def test_the_database_alone_is_enough_for_readers(setting):
    before = everything(setting)
    lose_manifests(setting.paths, database=False)
    assert everything(setting) == before


@pytest.mark.parametrize("damage", ["gone", "cut short", "a flipped bit", "a flipped bit in the footer"])
def test_a_bundle_that_is_not_whole_does_not_count_and_its_sources_are_read(setting, damage):
    before = everything(setting)
    (part,) = [part for part in setting.manifest.parts.values() if part.path.endswith(f"{A}.jsonl")]
    file = setting.paths.segment("entries", part.bundle)
    content = bytearray(file.read_bytes())
    footer_at = read_footer(file).files["entries"].bytes
    lose_manifests(setting.paths)
    if damage == "gone":
        file.unlink()
    elif damage == "cut short":
        file.write_bytes(content[:-1])
    else:
        place = content.index(b"tracelake.segment", footer_at) if "footer" in damage else footer_at // 2
        content[place] ^= 1
        file.write_bytes(content)
    manifest = open_store(setting.paths).manifest
    assert part.bundle not in manifest.bundles
    setting.run()
    assert everything(setting) == before


def test_parts_of_a_reading_that_failed_stay_dead(setting, monkeypatch):
    from tracelake.extract.session import SessionReader

    original = SessionReader.read

    def broken(reader):
        result = original(reader)
        if reader._task.session_id == A:
            raise ValueError("no")
        return result

    setting.write("new.jsonl", "t8", session="c")
    setting.write(f"{A}.jsonl", "t1", "t9")
    with monkeypatch.context() as patch:
        patch.setattr(SessionReader, "read", broken)
        assert setting.run().sessions_failed == 1
    assert setting.texts() == {**NOW, ("new.jsonl", 1): "t8"}
    shutil.rmtree(setting.source)
    lose_manifests(setting.paths)
    assert setting.texts() == {**NOW, ("new.jsonl", 1): "t8"}


def test_looking_writes_nothing_and_failures_are_forgotten(setting):
    lose_manifests(setting.paths)
    open_store(setting.paths)
    assert live_manifest(setting.paths) is None, "nothing is written by looking"
    setting.run()
    assert setting.manifest.failures == {}


def test_status_says_what_is_not_known(setting, program):
    assert "not known" not in program("status", "--lake", setting.paths.root).stdout
    lose_manifests(setting.paths)
    setting.run()
    assert "what was chosen for it and what failed before are not known" in " ".join(
        program("status", "--lake", setting.paths.root, env={"COLUMNS": "300"}).stdout.split()
    )
