"""Rollouts stored as `.jsonl.zst`: recognised by their content, read as a stream."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from tracelake.sources.compressed import open_transcript
from tracelake.sources.lines import LineReader, open_counting

from tests.sources.trees import search, write

HEADER = b'{"timestamp":"t","type":"session_meta","payload":{"id":"z1"}}\n'
LINES = HEADER + b"".join(b'{"type":"event_msg","payload":{"n":%d}}\n' % number for number in range(20_000))


def zst(data: bytes) -> bytes:
    return bytes(pa.compress(data, codec="zstd", asbytes=True))


@pytest.mark.parametrize("frames", [1, 3])
def test_the_stream_is_what_was_compressed(tmp_path: Path, frames: int) -> None:
    path = write(tmp_path / "r.jsonl.zst", zst(LINES) * frames)
    with open_transcript(str(path)) as stream:
        counter, buffered = open_counting(stream)
        lines = [(line.line_no, line.byte_offset, line.data) for line in LineReader(buffered)]
    assert counter.bytes == len(LINES) * frames
    assert len(lines) == 20_001 * frames
    assert lines[1] == (2, len(HEADER), b'{"type":"event_msg","payload":{"n":0}}')


def test_other_files_are_read_as_they_are(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", zst(HEADER))
    with open_transcript(str(path)) as stream:
        assert stream.read() == zst(HEADER)


def test_what_comes_before_the_damage_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl.zst", zst(LINES) + zst(LINES)[:-9])
    read = 0
    with open_transcript(str(path)) as stream:
        _, buffered = open_counting(stream, 1 << 16)
        with pytest.raises(OSError, match="runcated"):
            for _ in LineReader(buffered):
                read += 1
    assert read >= 20_001


def test_little_is_lost_before_the_damage(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl.zst", zst(LINES)[:-9])
    with open_transcript(str(path)) as stream:
        counter, buffered = open_counting(stream)
        with pytest.raises(OSError, match="runcated"):
            list(LineReader(buffered))
    # At most the compressor's last block of 128 KiB and what was asked for with it.
    assert len(LINES) - 3 * (1 << 16) <= counter.bytes < len(LINES)


def test_one_record_is_enough_by_this_name(tmp_path: Path) -> None:
    write(tmp_path / "r.jsonl.zst", zst(HEADER + b"noise\n" * 5))
    write(tmp_path / "r.txt.zst", zst(HEADER + b"noise\n" * 5))
    assert {Path(file.path).name: file.kind for file in search(tmp_path).files} == {
        "r.jsonl.zst": "main",
        "r.txt.zst": "unrecognised",
    }


def test_discovery_reads_the_head(tmp_path: Path) -> None:
    write(tmp_path / "rollout-z.jsonl.zst", zst(LINES))
    write(tmp_path / "notes.txt.zst", zst(b"just notes\n"))
    write(tmp_path / "broken.jsonl.zst", b"not zstd at all")
    found = search(tmp_path)
    files = {Path(file.path).name: (file.kind, file.agent, file.session_id) for file in found.files}
    assert files == {
        "rollout-z.jsonl.zst": ("main", "codex", "z1"),
        "notes.txt.zst": ("unrecognised", "", "unassigned"),
        "broken.jsonl.zst": ("unrecognised", "", "unassigned"),
    }
    assert len(found.problems) == 1
    assert "broken.jsonl.zst: cannot be read" in found.problems[0]
