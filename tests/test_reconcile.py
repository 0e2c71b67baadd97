"""The lines of the sources counted again (E-1)."""

from __future__ import annotations

import os

import pyarrow as pa
import pytest
from tracelake.lake.manifest import FileState
from tracelake.reconcile import Mismatch, compare, count_lines
from tracelake.sources.model import SourceFile


def state_of(path, kind="main", read_error=None):
    status = path.stat()
    file = SourceFile(
        path=str(path), os_path=str(path), source="", project="p", kind=kind, agent="claude", session_id="s",
        reason=None, agent_id=None, size=status.st_size, mtime_ns=status.st_mtime_ns, inode=0, fingerprint="",
    )  # fmt: skip
    return FileState(file, part_id=1, read_error=read_error)


@pytest.mark.parametrize(
    ("data", "lines"), [(b"", 0), (b"a", 1), (b"a\n", 1), (b"a\n\n{bad\nB", 4), (b"a\rb\xe2\x80\xa8\n", 1), (b"\n", 1)]
)
def test_lines_of_a_file(tmp_path, data, lines):
    (tmp_path / "s.jsonl").write_bytes(data)
    assert count_lines(str(tmp_path / "s.jsonl")) == lines
    (tmp_path / "s.jsonl.zst").write_bytes(pa.compress(data, codec="zstd", asbytes=True))
    assert count_lines(str(tmp_path / "s.jsonl.zst")) == lines


def test_lines_across_the_pieces_that_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr("tracelake.reconcile.PIECE_BYTES", 2)
    (tmp_path / "s.jsonl").write_bytes(b"ab\ncd\n\ne")
    assert count_lines(str(tmp_path / "s.jsonl")) == 4


def test_what_can_be_compared_is_and_the_rest_is_counted(tmp_path):
    names = ("same", "less", "grown", "touched", "gone", "broken", "side")
    files = {name: tmp_path / f"{name}.jsonl" for name in names}
    for path in files.values():
        path.write_bytes(b"a\nb\n")
    states = [state_of(path) for name, path in files.items() if name not in ("broken", "side")]
    states += [state_of(files["broken"], read_error="I/O error"), state_of(files["side"], kind="sidecar")]
    files["grown"].write_bytes(b"a\nb\nc\n")
    os.utime(files["touched"], ns=(1, 1))
    files["gone"].unlink()
    rows = {str(path): 2 for path in files.values()} | {str(files["less"]): 1}
    found = compare(states, rows)
    assert (found.unchanged, found.changed, found.gone, found.lines) == (2, 2, 1, 4)
    assert found.mismatches == [Mismatch(str(files["less"]), 1, 2)]
