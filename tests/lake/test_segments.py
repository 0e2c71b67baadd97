"""Segments: many sessions to a file, row groups cut at the edges of sessions, footers, and what breaks off."""

import hashlib
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tracelake.errors import LakeWriteError
from tracelake.fold.rows import Rows
from tracelake.lake import segments
from tracelake.lake.arrow import FileKey, arrow_schema
from tracelake.lake.durable import reason_of
from tracelake.lake.layout import LakePaths
from tracelake.lake.segment_file import FOOTER_KEY, Origin, read_footer
from tracelake.lake.segment_rows import read_parts
from tracelake.lake.segments import BundleWriter
from tracelake.tables import SCHEMA, TABLES
from tracelake.tables.rows import EntryRow, RawLineRow


@pytest.fixture
def paths(tmp_path):
    return LakePaths(tmp_path / "lake")


def rows_of(first, count):
    rows = Rows()
    rows.entries += [EntryRow(line_no=n, status="ok", text=f"t{n}") for n in range(first, first + count)]
    rows.raw_lines += [RawLineRow(line_no=n, chunk_no=0, raw=b"r%d" % n) for n in range(first, first + count)]
    return rows


def key(number):
    return FileKey(f"s{number}", "claude", f"/s/{number}.jsonl", number)


def write(paths, sizes, *, step=1000, bundle="b1"):
    """Sessions of so many lines each, handed over in stretches of `step` lines of 10 bytes."""
    with BundleWriter(paths, bundle) as writer:
        for number, size in enumerate(sizes, 1):
            for first in range(0, size, step):
                part = min(step, size - first)
                writer.add(rows_of(first, part), key(number), part * 10)
            writer.session_ends()
        return writer.finish(Origin(1, list(range(1, len(sizes) + 1)), source_bytes=sum(sizes) * 10))


def groups(path):
    """The sessions of every row group, with their numbers of rows."""
    with pq.ParquetFile(path) as file:
        return [
            Counter(file.read_row_group(n, ["session_id"]).column(0).to_pylist()) for n in range(file.num_row_groups)
        ]


def test_rows_come_back_in_order_and_by_part(paths):
    files = write(paths, [3, 0, 5])
    assert {name: file.rows for name, file in files.items()} == {"entries": 8, "raw_lines": 8}
    found = read_parts(paths.segment("entries", "b1"), "entries", [1, 3], ["part_id", "line_no", "text"]).to_pylist()
    assert found == [
        {"part_id": part, "line_no": n, "text": f"t{n}"} for part, size in ((1, 3), (3, 5)) for n in range(size)
    ]
    only = read_parts(paths.segment("entries", "b1"), "entries", [3])
    assert only.schema.equals(arrow_schema("entries"))
    assert (only.num_rows, set(only.column("path").to_pylist())) == (5, {"/s/3.jsonl"})
    assert read_parts(paths.segment("entries", "b1"), "entries", [2]).num_rows == 0
    assert read_parts(paths.segment("entries", "b1"), "entries", []).num_rows == 0


def test_the_result_says_what_was_written(paths):
    for table, file in write(paths, [3, 5]).items():
        content = paths.segment(table, "b1").read_bytes()
        assert (file.bytes, file.rows) == (len(content), 8)
        assert file.sha256 == hashlib.sha256(content).hexdigest()


def test_a_footer_says_what_its_bundle_is(paths):
    write(paths, [3, 5])
    footers = {table: read_footer(paths.segment(table, "b1")) for table in ("entries", "raw_lines")}
    assert {(footer.bundle, footer.table, footer.schema) for footer in footers.values()} == {
        ("b1", "entries", SCHEMA),
        ("b1", "raw_lines", SCHEMA),
    }
    assert footers["entries"].origin == Origin(1, [1, 2], source_bytes=80)
    assert footers["entries"].files == footers["raw_lines"].files
    for table, beginning in footers["entries"].files.items():
        content = paths.segment(table, "b1").read_bytes()[: beginning.bytes]
        assert hashlib.sha256(content).hexdigest() == beginning.sha256


@pytest.mark.parametrize("content", [b"", b"PAR1", b"x" * 100])
def test_a_file_without_footer_is_named(paths, content):
    paths.root.mkdir()
    (paths.root / "x").write_bytes(content)
    with pytest.raises(ValueError, match="is not a whole segment"):
        read_footer(paths.root / "x")


def test_a_parquet_file_of_others_is_no_segment(paths):
    paths.root.mkdir()
    pq.write_table(pa.table({"a": [1]}), paths.root / "x")
    with pytest.raises(ValueError, match="is not a whole segment"):
        read_footer(paths.root / "x")
    assert FOOTER_KEY not in (pq.read_metadata(paths.root / "x").metadata or {})


@settings(max_examples=25)
@given(st.lists(st.integers(0, 500), min_size=1, max_size=25), st.integers(1, 200), st.booleans())
def test_a_session_lies_in_as_few_row_groups_as_can_be(tmp_path_factory, sizes, step, by_bytes):
    """A session that fits in a row group lies in two at most; groups hold no more than their limit and one stretch."""
    limit = 200
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "BATCH_ROWS", 10**9 if by_bytes else 40)
        patch.setattr(segments, "GROUP_ROWS", 10**9 if by_bytes else limit)
        patch.setattr(segments, "BATCH_BYTES", 200 if by_bytes else 10**9)
        patch.setattr(segments, "GROUP_BYTES", 5 * limit if by_bytes else 10**9)
        paths = LakePaths(tmp_path_factory.mktemp("lake"))
        write(paths, sizes, step=step)
    if not any(sizes):
        return
    found = groups(paths.segment("entries", "b1"))
    total = sum(found, Counter())
    assert total == {f"s{n}": size for n, size in enumerate(sizes, 1) if size}
    for number, size in enumerate(sizes, 1):
        held = sum(f"s{number}" in group for group in found)
        # 2 rows a line (raw_lines too) against the limit of rows; 10 bytes a line against the limit of bytes.
        if size * (10 if by_bytes else 2) <= (5 * limit if by_bytes else limit) // 2:
            assert held <= 2
    assert max(group.total() for group in found) <= limit + step + 40


def test_the_limits_change_no_row(paths, monkeypatch):
    write(paths, [70, 3, 200])
    whole = pq.read_table(paths.segment("entries", "b1"))
    monkeypatch.setattr(segments, "BATCH_ROWS", 7)
    monkeypatch.setattr(segments, "GROUP_ROWS", 30)
    write(paths, [70, 3, 200], step=5, bundle="b2")
    assert len(groups(paths.segment("entries", "b2"))) > 5
    assert pq.read_table(paths.segment("entries", "b2")).to_pylist() == whole.to_pylist()


def test_a_bundle_that_is_not_finished_leaves_nothing(paths, monkeypatch):
    monkeypatch.setattr(segments, "GROUP_ROWS", 10)
    monkeypatch.setattr(segments, "BATCH_ROWS", 10)

    with pytest.raises(ZeroDivisionError), BundleWriter(paths, "b1") as writer:
        writer.add(rows_of(0, 100), key(1), 1000)
        assert list(paths.segments.glob("*/*"))
        _ = 1 / 0
    assert not list(paths.segments.glob("*/*"))


def test_a_bundle_without_rows_has_no_file(paths):
    assert write(paths, [0, 0]) == {}
    assert not list(paths.segments.glob("*/*"))


def test_a_lake_that_cannot_be_written_is_one_clear_line(tmp_path):
    (tmp_path / "lake").write_text("")
    with pytest.raises(LakeWriteError, match=r"^cannot write .*lake.*: ") as caught:
        write(LakePaths(tmp_path / "lake"), [3])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("damage", ["missing", "cut short", "pages"])
def test_a_damaged_segment_is_an_os_error_that_names_it(paths, damage):
    write(paths, [2000])
    file = paths.segment("entries", "b1")
    content = bytearray(file.read_bytes())
    if damage == "missing":
        file.unlink()
    elif damage == "cut short":
        file.write_bytes(content[:-10])
    else:
        content[4:2000] = bytes(1996)
        file.write_bytes(content)
    with pytest.raises(OSError, match=r"No such file|damaged segment") as caught:
        read_parts(file, "entries", [1])
    assert caught.value.filename == str(file)
    reason = reason_of(caught.value)
    assert reason == "No such file or directory" if damage == "missing" else reason.startswith("damaged segment (")
    assert "\n" not in reason


def test_columns_that_a_segment_lacks_are_null(paths):
    write(paths, [3])
    file = paths.segment("entries", "b1")
    old = pq.read_table(file).drop_columns(["text", "uuid"])
    pq.write_table(old, file)
    rows = read_parts(file, "entries", [1])
    assert rows.schema.equals(arrow_schema("entries"))
    assert [(row["line_no"], row["text"], row["uuid"]) for row in rows.to_pylist()] == [
        (n, None, None) for n in range(3)
    ]


@pytest.mark.parametrize("table", list(TABLES))
def test_what_is_stored_is_what_is_declared(table):
    stored = [column.name for column in TABLES[table].stored_columns]
    assert arrow_schema(table).names == stored
    assert stored[:4] == ["session_id", "agent", "path", "part_id"]
    shown = [column.name for column in TABLES[table].columns]
    computed = {column.name for column in TABLES[table].own_columns if column.computed}
    hidden = {column.name for column in TABLES[table].own_columns if column.hidden} | {"part_id"}
    assert set(shown) - set(stored) == computed
    assert set(stored) - set(shown) == hidden
