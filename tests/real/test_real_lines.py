"""No line and no file of the real transcripts is lost; counted apart from the program."""

from __future__ import annotations

import collections
from pathlib import Path

from tracelake.build import extract

TRANSCRIPTS = "('main', 'subagent', 'workflow_subagent', 'legacy_subagent')"


def physical_lines(path):
    data = path.read_bytes()
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))


def test_every_file_on_disk_is_in_files(real, real_data):
    on_disk = {str(path) for path in real_data.rglob("*") if path.is_file()}
    in_lake = {path for (path,) in real("SELECT path FROM files")}
    assert in_lake == on_disk


def test_what_is_no_transcript_says_why(real):
    assert real(f"SELECT path FROM files WHERE kind NOT IN {TRANSCRIPTS} AND coalesce(reason, '') = ''") == []


def test_rows_by_status_add_up_to_the_physical_lines(real, real_data):
    counted = dict(real("SELECT path, count(*) FROM entries GROUP BY path"))
    transcripts = [Path(path) for (path,) in real(f"SELECT path FROM files WHERE kind IN {TRANSCRIPTS}")]
    assert len(transcripts) > 500
    for path in transcripts:
        assert counted.get(str(path), 0) == physical_lines(path), path
    assert real("SELECT path FROM coverage WHERE difference <> 0") == []


def test_line_lengths_add_up_to_file_sizes_and_raw_lines_are_the_file(real, real_data):
    sums = dict(real("SELECT path, sum(byte_len)::BIGINT FROM entries GROUP BY path"))
    for path, size in real(f"SELECT path, bytes FROM files WHERE kind IN {TRANSCRIPTS}"):
        assert sums.get(path, 0) == size
    chosen = sorted(sums)[::25]
    for path in chosen:
        rows = real("SELECT raw FROM raw_lines WHERE path = ? ORDER BY line_no, chunk_no", path)
        assert b"\n".join(raw for (raw,) in rows) == Path(path).read_bytes().removesuffix(b"\n")


def test_a_second_run_changes_nothing(real_run, real_data):
    lake, first = real_run
    assert first.exit_code == 0
    before = {path: path.stat().st_mtime_ns for path in lake.rglob("*") if path.is_file()}
    second = extract([real_data], lake)
    assert (second.sessions_changed, second.lines) == (0, 0)
    written = [path for path in lake.rglob("*") if path.is_file() and before.get(path) != path.stat().st_mtime_ns]
    assert [path.name for path in written if not path.name.startswith(".")] == []


def test_the_damaged_lines_are_the_known_ones(real):
    found = collections.Counter(status for (status,) in real("SELECT status FROM entries WHERE agent = 'claude'"))
    assert set(found) <= {"ok", "bad_json", "bad_type", "blank", "glued", "torn"}
    strange = "error NOT LIKE 'invalid JSON%' AND error NOT LIKE 'not JSON%' AND status = 'bad_json'"
    assert real(f"SELECT DISTINCT error FROM entries WHERE {strange}") == []
