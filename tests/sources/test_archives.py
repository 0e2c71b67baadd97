"""Archives that hold transcripts are named as not read; others are only listed."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import pytest
from tracelake.sources.model import Cause

from .trees import by_name, search, user, write

LINES = (user() + user(text="second")).encode()


def tar(mode: str = "w", *, name: str = "export/projects/-w/a.jsonl", data: bytes = LINES) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        member = tarfile.TarInfo(name)
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def zipped(name: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("export/notes.txt", "x")
        archive.writestr(name, LINES)
    return out.getvalue()


HOLD_TRANSCRIPTS = {
    "a.jsonl.gz": (gzip.compress(LINES), "a transcript compressed with gzip"),
    "a.gz": (gzip.compress(LINES), "a transcript compressed with gzip"),
    "a.jsonl.bz2": (bz2.compress(LINES), "a transcript compressed with bzip2"),
    "a.jsonl.xz": (lzma.compress(LINES), "a transcript compressed with xz"),
    "a.tar": (tar(), "a tar archive that holds export/projects/-w/a.jsonl"),
    "a.tgz": (tar("w:gz"), "a gzip archive that holds export/projects/-w/a.jsonl"),
    "a.tar.xz": (tar("w:xz"), "a xz archive that holds export/projects/-w/a.jsonl"),
    "a.zip": (zipped("export/a.jsonl"), "a zip archive that holds export/a.jsonl"),
}


@pytest.mark.parametrize("name", HOLD_TRANSCRIPTS)
def test_an_archive_of_transcripts_is_named_as_not_read(name, tmp_path):
    content, what = HOLD_TRANSCRIPTS[name]
    path = write(tmp_path / "home" / name, content)
    found = search(tmp_path / "home")
    (file,) = found.files
    assert (file.kind, file.cause) == ("unrecognised", Cause.NOT_READ_YET)
    assert found.problems == [f"{path}: not read: {what}; unpack it and pass the folder"]
    assert search(tmp_path / "home", known=found).problems == found.problems


@pytest.mark.parametrize(
    "content",
    [gzip.compress(b"notes"), tar(name="a.txt", data=b"x"), zipped("a.txt"), b"\x1f\x8bjunk", b"PK\x03\x04junk"],
    ids=["gzip", "tar", "zip", "damaged gzip", "damaged zip"],
)
def test_other_archives_are_only_listed(content, tmp_path):
    write(tmp_path / "home" / "a.bin", content)
    found = search(tmp_path / "home")
    assert found.problems == []
    assert by_name(found, tmp_path / "home")["a.bin"].cause is None
