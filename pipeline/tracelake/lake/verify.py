"""The files of a snapshot against its manifest: there, of the right size, and on demand byte for byte."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tracelake.lake.layout import LakePaths
from tracelake.lake.manifest import Manifest, SegmentFile
from tracelake.lake.manifest_files import damaged

_PIECE = 1 << 20


class Damage(NamedTuple):
    """One file of the lake that is not as it was written."""

    file: str
    """Its path below the lake."""
    reason: str


def damaged_files(paths: LakePaths, manifest: Manifest, *, read_data: bool = False) -> Iterator[Damage]:
    """Yield every file of the snapshot, and every manifest, that is not as it was written.

    Without `read_data` of segments only presence and size are looked at; with it every byte, by SHA-256.
    """
    for name, file in manifest.live_files.items():
        reason = _reason(paths.segments / name, file, read_data)
        if reason is not None:
            yield Damage(f"segments/{name}", reason)
    yield from (Damage(name, reason) for name, reason in damaged(paths))


def _reason(path: Path, file: SegmentFile, read_data: bool) -> str | None:
    try:
        size = path.stat().st_size
        if size != file.bytes:
            return f"{size} bytes, {file.bytes} were written"
        if read_data and sha256_of(path) != file.sha256:
            return "its checksum does not fit"
    except FileNotFoundError:
        return "missing"
    except OSError as error:
        return str(error.strerror)
    return None


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, hex. Raises OSError."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while piece := stream.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()
