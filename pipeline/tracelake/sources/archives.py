"""Archives that hold transcripts, told by their first bytes and the names in them, so that they can be reported."""

from __future__ import annotations

import bz2
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import PurePosixPath

from tracelake.sources.opening import open_regular

TEST_BYTES = 512
"""How much of a file tells what kind of archive it is; a tar names itself at byte 257."""

_UNPACKED_BYTES = 1 << 20
_MOST_MEMBERS = 2000
_MARKS = (
    (b"PK\x03\x04", "zip"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
)
_TAR_AT, _TAR = 257, b"ustar"


def archive_kind(head: bytes) -> str | None:
    """Return zip, tar, gzip, bzip2, xz, 7z or zstd by the first 512 bytes; None for anything else."""
    if head[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR:
        return "tar"
    return next((kind for mark, kind in _MARKS if head.startswith(mark)), None)


def unpacked_head(os_path: str, kind: str) -> bytes:
    """Return the first megabyte of what a tar or a compressed file holds; empty for what cannot be unpacked.

    Raises OSError when the file cannot be read.
    """
    with open_regular(os_path) as stream:
        packed = stream.read(_UNPACKED_BYTES)
    try:
        if kind == "tar":
            return packed
        if kind == "gzip":
            return zlib.decompressobj(wbits=31).decompress(packed, _UNPACKED_BYTES)
        if kind == "bzip2":
            return bz2.BZ2Decompressor().decompress(packed, _UNPACKED_BYTES)
        if kind == "xz":
            return lzma.LZMADecompressor(memlimit=1 << 28).decompress(packed, _UNPACKED_BYTES)
    except (zlib.error, lzma.LZMAError, EOFError, ValueError, OSError):
        pass
    return b""


def transcripts_in(os_path: str, kind: str, head: bytes) -> list[str]:
    """Return the names of the first members of an archive that end like a transcript's; `head` is what it unpacks to.

    Raises OSError when the file cannot be read.
    """
    names = _zip_names(os_path) if kind == "zip" else _tar_names(head)
    return [name for name in islice(names, _MOST_MEMBERS) if ".jsonl" in "".join(PurePosixPath(name).suffixes)]


def _zip_names(os_path: str) -> Iterator[str]:
    try:
        with open_regular(os_path) as stream, zipfile.ZipFile(stream) as archive:
            yield from archive.namelist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError):
        return


def _tar_names(head: bytes) -> Iterator[str]:
    """Yield the names of the members that begin in the first megabyte."""
    try:
        with tarfile.open(fileobj=io.BytesIO(head), mode="r:") as archive:
            for member in archive:
                yield member.name
    except (tarfile.TarError, ValueError, OSError):
        return
