"""The fingerprint; the first two values are the specification's (B-4)."""

import hashlib
import os

import pytest
from tracelake.sources.fingerprint import fingerprint

LINE = b'{"type":"user","uuid":"u1"}\n'


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (28, "6c017e4b14b1c350ae4583c10a0597c8557d413b979df3303a61c363c655f84d"),
        (56, "ed73b44a56f4c63780fa535aee80e2fd6b1ce68aeae66b4ab44e3662d1a324e3"),
    ],
)
def test_worked_examples(tmp_path, size, expected):
    (tmp_path / "f").write_bytes(LINE * 2)
    assert fingerprint(str(tmp_path / "f"), size) == expected


def test_head_and_tail_of_a_large_file(tmp_path):
    content = os.urandom(10_000)
    (tmp_path / "f").write_bytes(content)
    expected = hashlib.sha256(content[:256] + content[10_000 - 4096 :]).hexdigest()
    assert fingerprint(str(tmp_path / "f"), 10_000) == expected


def test_bytes_beyond_the_given_size_do_not_count(tmp_path):
    (tmp_path / "f").write_bytes(b"a" * 300)
    before = fingerprint(str(tmp_path / "f"), 300)
    (tmp_path / "f").write_bytes(b"a" * 300 + b"more")
    assert fingerprint(str(tmp_path / "f"), 300) == before
    assert fingerprint(str(tmp_path / "f"), 304) != before


def test_an_empty_file_has_the_hash_of_nothing(tmp_path):
    (tmp_path / "f").touch()
    assert fingerprint(str(tmp_path / "f"), 0) == hashlib.sha256(b"").hexdigest()


def test_a_pipe_is_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "p")
    with pytest.raises(OSError, match="not a regular file"):
        fingerprint(str(tmp_path / "p"), 10)
