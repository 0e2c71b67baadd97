"""The blobs of `attachments` -> files: each distinct one once, checked against its SHA-256 (parser.md 4.8).

Bytes come from the transcript at the recorded place; where that is gone or changed, from the raw lines of the lake.
A file is named after the hash of its content: nothing that a transcript says becomes part of a path.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from tracelake.attachments.blobs import NotThereError, Origin, Place
from tracelake.bodies.canonical import canonical_body_reader
from tracelake.bodies.kinds import BodyKind
from tracelake.bodies.sentinel import MARK
from tracelake.errors import BodyError
from tracelake.lake.durable import make_private_dir, move, writing
from tracelake.sources.opening import open_regular

ENDINGS = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "application/pdf": "pdf",
    "text/plain": "txt",
}
"""Ending by media type; any other is `bin`."""

WRITTEN, UNCHANGED, LOST = "written", "unchanged", "lost"

_STRING = re.compile(rb'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_SHA256 = re.compile("[0-9a-f]{64}")


class Blob(NamedTuple):
    """One distinct blob: its hash, decoded length in bytes, media type, and every place it stands at."""

    sha256: str
    bytes: int
    media_type: str | None
    places: list[Place]


class Exported(NamedTuple):
    """What became of a blob: `outcome` is written, unchanged (its file was there) or lost, for `reason`.

    `file` is a name in the folder, None where the blob is lost.
    """

    blob: Blob
    file: str | None
    outcome: str
    reason: str | None = None


def export(blobs: Iterable[Blob], folder: Path, origins: Sequence[Origin]) -> Iterator[Exported]:
    """Write each blob into `folder` as `<sha256>.<ending>`, private to the user, and yield what became of it.

    `origins` are asked for its bytes in order. The folder is made. Raises LakeWriteError when it cannot be written.
    """
    with writing(folder):
        make_private_dir(folder)
    for blob in blobs:
        yield _export(blob, folder, origins)


def _export(blob: Blob, folder: Path, origins: Sequence[Origin]) -> Exported:
    if not _SHA256.fullmatch(blob.sha256):
        return Exported(blob, None, LOST, "its SHA-256 is not known")
    target = folder / f"{blob.sha256}.{ENDINGS.get(blob.media_type or '', 'bin')}"
    if _holds(target, blob.sha256):
        return Exported(blob, target.name, UNCHANGED)
    reasons: dict[str, None] = {}
    for origin in origins:
        for place in blob.places:
            reason = _recover(blob, target, place, origin)
            if reason is None:
                return Exported(blob, target.name, WRITTEN)
            reasons[f"{origin.name}: {reason}"] = None
    return Exported(blob, None, LOST, "; ".join(reasons))


def _holds(path: Path, sha256: str) -> bool:
    """Return whether a regular file is there with that content."""
    digest = hashlib.sha256()
    try:
        with open_regular(os.fspath(path)) as stream:
            while piece := stream.read(1 << 20):
                digest.update(piece)
    except OSError:
        return False
    return digest.hexdigest() == sha256


def _recover(blob: Blob, target: Path, place: Place, origin: Origin) -> str | None:
    """Write the file from one place of one origin; return None, or why that cannot be done."""
    try:
        if place.byte_offset is not None and place.byte_len is not None:
            encoded = origin.read(place, place.byte_offset, place.byte_len)
            return None if _write(encoded, target, blob.sha256) else "other bytes stand there now"
        return _search(blob, target, b"".join(origin.read(place, place.line_offset, place.line_len)))
    except NotThereError as error:
        return str(error)


def _search(blob: Blob, target: Path, line: bytes) -> str | None:
    """Write the file from the string that decodes to the blob; one that is spelled with escapes has no known place."""
    for found in _STRING.finditer(line):
        if len(found[1]) >= blob.bytes and _write((found[1],), target, blob.sha256):
            return None
    if MARK in line:
        return "lifted out of the transcript; tracelake bodies restore puts it back"
    return "no such value on the line"


def _write(encoded: Iterable[bytes], target: Path, sha256: str) -> bool:
    """Decode aside and rename; return False, and leave nothing behind, when it is not what the hash says.

    Raises NotThereError as `encoded` does, and LakeWriteError.
    """
    with writing(target.parent):
        descriptor, name = tempfile.mkstemp(prefix=".new-", dir=target.parent)
        aside = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as out:
                is_it = _decode(encoded, out.write) == sha256
            if is_it:
                move(aside, target)
        finally:
            aside.unlink(missing_ok=True)
    return is_it


def _decode(encoded: Iterable[bytes], write: Callable[[bytes], object]) -> str | None:
    """Hand the decoded bytes to `write` and return their SHA-256; None for what is no base64 (or data URI)."""
    digest = hashlib.sha256()
    try:
        for piece in canonical_body_reader(BodyKind.BASE64, chain((b'"',), encoded, (b'"',))):
            digest.update(piece)
            write(piece)
    except BodyError:
        return None
    return digest.hexdigest()
