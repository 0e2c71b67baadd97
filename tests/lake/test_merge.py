"""Merging: rows are the same before and after, parts keep their ids, and the work is bounded."""

import random
import shutil

import msgspec
import pyarrow.parquet as pq
import pytest
from tracelake.build import compact
from tracelake.errors import LakeError
from tracelake.lake import manifest_files, merge
from tracelake.lake.manifest import Manifest, SegmentFile
from tracelake.lake.merge import GROUPS_A_RUN, SMALL_AT_MOST, TARGET_BYTES, TARGET_ROWS, groups_to_merge, merged
from tracelake.lake.store import Store
from tracelake.tables import TABLES

from tests.lake.states import bundle_state, part_state
from tests.settings import AGENT, A, B, two_sessions


def made_up(sizes, dead=()):
    """A manifest of bundles with one part each, of so many rows and 100 bytes a row; some parts are dead."""
    bundles, parts = {}, {}
    for number, rows in enumerate(sizes, 1):
        name = f"b{number:05d}"
        files = {"entries": SegmentFile("", 0, rows)}
        bundles[name] = bundle_state([number], files=files, source_bytes=rows * 100)
        if number not in dead:
            parts[number] = part_state(bundle=name, rows={"entries": rows})
    return Manifest(number=1, bundles=bundles, parts=parts, next_part=len(sizes) + 1)


def after_merging(manifest, group, name):
    """The manifest that `merged` returns, without the files."""
    parts = [part for bundle in group for part in manifest.live_parts(bundle)]
    bundles = {bundle: state for bundle, state in manifest.bundles.items() if bundle not in group}
    if parts:
        rows = sum(manifest.live_rows(bundle) for bundle in group)
        files = {"entries": SegmentFile("", 0, rows)}
        bundles[name] = bundle_state(parts, files=files, source_bytes=rows * 100)
    moved = {part: msgspec.structs.replace(manifest.parts[part], bundle=name) for part in parts}
    return msgspec.structs.replace(manifest, bundles=bundles, parts={**manifest.parts, **moved})


def test_few_bundles_are_left_alone():
    assert groups_to_merge(made_up([10] * (SMALL_AT_MOST - 1))) == []
    assert groups_to_merge(made_up([500_000] * 50)) == []


def test_many_small_ones_of_about_a_size_become_one():
    (group,) = groups_to_merge(made_up([10] * SMALL_AT_MOST))
    assert len(group) == SMALL_AT_MOST
    assert groups_to_merge(made_up([4**n for n in range(SMALL_AT_MOST)])) == []


def test_a_bundle_that_is_mostly_dead_is_written_again():
    manifest = made_up([1000, 1000])
    two = bundle_state([1, 3], files={"entries": SegmentFile("", 0, 3000)}, source_bytes=300_000)
    manifest = msgspec.structs.replace(manifest, bundles={**manifest.bundles, "b00001": two})
    assert groups_to_merge(manifest) == [["b00001"]], "1000 of 3000 rows live"
    two = bundle_state([1, 3], files={"entries": SegmentFile("", 0, 2000)}, source_bytes=200_000)
    manifest = msgspec.structs.replace(manifest, bundles={**manifest.bundles, "b00001": two})
    assert groups_to_merge(manifest) == [], "half of it lives"
    assert groups_to_merge(manifest, everything=True) != []


def test_a_run_does_a_bounded_share_and_compact_all():
    manifest = made_up([100_000] * 100)
    assert len(groups_to_merge(manifest)) == GROUPS_A_RUN
    everything = groups_to_merge(manifest, everything=True)
    assert sorted(name for group in everything for name in group) == sorted(manifest.bundles)
    for group in everything:
        rows = sum(manifest.live_rows(name) for name in group)
        assert rows <= TARGET_ROWS and rows * 100 <= TARGET_BYTES


def test_after_thousands_of_runs_there_are_few_bundles_and_each_row_was_copied_a_few_times():
    chance = random.Random(1)
    manifest, written, copied = Manifest(), 0, 0
    for run in range(1, 3001):
        rows = chance.choice([3, 20, 150])
        name = f"r{run:05d}"
        state = bundle_state([run], files={"entries": SegmentFile("", 0, rows)}, source_bytes=rows * 100)
        manifest = msgspec.structs.replace(
            manifest,
            bundles={**manifest.bundles, name: state},
            parts={**manifest.parts, run: part_state(bundle=name, rows={"entries": rows})},
        )
        written += rows
        for number, group in enumerate(groups_to_merge(manifest)):
            copied += sum(manifest.live_rows(name) for name in group)
            manifest = after_merging(manifest, group, f"m{run:05d}-{number}")
        assert len(manifest.bundles) <= 60
    assert sum(manifest.live_rows(name) for name in manifest.bundles) == written
    # A row is copied once for each step of sizes that its bundle goes through: 4 to the power of 9 is 262,144 rows.
    assert copied <= 9 * written


@pytest.fixture
def setting(tmp_path):
    """Several bundles: one that is part dead, and those that the last runs added."""
    made = two_sessions(tmp_path)
    made.write(f"{B}.jsonl", *(f"b{number}" for number in range(9)), session=B)
    made.run()
    for number in range(5, 9):
        made.write(f"{A}.jsonl", "t1", "t2", f"t{number}")
        made.run()
        made.write(f"s{number}.jsonl", f"t{number}", session=f"s{number}")
        made.run()
    (made.project / f"{B}.jsonl").unlink()
    made.run()
    return made


def everything(setting):
    return {table: sorted(map(str, setting.ask(f"FROM {table}"))) for table in TABLES}


def sources_of(manifest):
    return {number: (part.path, part.session_id, part.rows) for number, part in manifest.parts.items()}


def test_rows_and_parts_are_the_same_before_and_after(setting):
    before, lost = everything(setting), setting.manifest
    assert len(lost.bundles) > 4
    assert any(lost.dead_parts(name) for name in lost.bundles)
    was, now = compact(setting.paths.root)
    assert everything(setting) == before
    manifest = setting.manifest
    assert sources_of(manifest) == sources_of(lost)
    assert len(manifest.bundles) == 1
    assert (was.files, now.files) == (len(lost.live_files), len(manifest.live_files))
    assert now.bytes < was.bytes
    assert compact(setting.paths.root) == (now, now), "nothing is left to do"
    shutil.rmtree(setting.source)
    assert everything(setting) == before


def test_sessions_lie_together(setting):
    compact(setting.paths.root)
    (bundle,) = setting.manifest.bundles
    for table in ("entries", "files", "raw_lines"):
        ids = pq.read_table(setting.paths.segment(table, bundle), columns=["session_id"]).column(0).to_pylist()
        assert ids == sorted(ids)


def test_readers_keep_the_files_that_were_merged(setting):
    old = setting.manifest.live_files
    compact(setting.paths.root)
    assert all((setting.paths.segments / name).exists() for name in old)


def test_a_group_without_live_rows_leaves_no_bundle(setting):
    manifest = setting.manifest
    dead = msgspec.structs.replace(manifest, parts={})
    after = merged(setting.paths, dead, sorted(dead.bundles), "m1")
    assert after.bundles == {}
    assert not list(setting.paths.segments.glob("*/m1.parquet"))


def test_a_damaged_bundle_is_told_of_and_left(setting):
    name = max(setting.manifest.bundles, key=lambda name: setting.manifest.live_rows(name))
    file = setting.paths.segment("entries", name)
    content = bytearray(file.read_bytes())
    content[4 : len(content) // 2] = bytes(len(content) // 2 - 4)
    file.write_bytes(content)
    with pytest.raises(LakeError, match=rf"{file}: damaged segment .*; run tracelake check --read-data"):
        compact(setting.paths.root)
    assert name in setting.manifest.bundles


def test_segments_with_fewer_columns_are_read_and_brought_up_to_date(setting):
    manifest = setting.manifest
    count = len(setting.ask("FROM entries"))
    bundles = {}
    for name, state in manifest.bundles.items():
        file, files = setting.paths.segment("entries", name), dict(state.files)
        if file.exists():
            pq.write_table(pq.read_table(file).drop_columns(["version", "uuid"]), file)
            files["entries"] = SegmentFile("", file.stat().st_size, files["entries"].rows)
        bundles[name] = msgspec.structs.replace(state, files=files, schema="older")
    older = msgspec.structs.replace(manifest, bundles=bundles)
    Store(setting.paths, manifest).commit(older)
    assert manifest_files.load_newest(setting.paths).bundles == bundles
    assert setting.ask("SELECT count(*), count(uuid), count(text) FROM entries") == [(count, 0, count)]
    assert setting.ask("SELECT typeof(uuid) FROM entries LIMIT 1") == [("VARCHAR",)]
    compact(setting.paths.root)
    assert setting.ask("SELECT count(*), count(uuid), count(text) FROM entries") == [(count, 0, count)]
    (bundle,) = setting.manifest.bundles.values()
    assert bundle.schema == merge.SCHEMA
    setting.write(AGENT, "t3", "t33")
    setting.run()
    assert setting.ask("SELECT count(*), count(uuid) FROM entries") == [(count + 1, 5)]
