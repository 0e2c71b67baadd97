"""Manifests on disk: numbered, checked, kept twice.

    manifest-<n>                     and a second copy in segments/_manifests/
    one line: what the file is, and the SHA-256 over the rest of that line and the content
    content: JSON, compressed with zstd; a whole manifest (a checkpoint) or a delta to number n - 1

A file that is cut short or changed in any bit is no manifest; then its copy counts. Enough files stay for the last
three manifests.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from tracelake.errors import LakeError, LakeVersionError
from tracelake.lake.durable import make_private_dir, write_private
from tracelake.lake.layout import LakePaths, manifest_number
from tracelake.lake.manifest import LAKE_VERSION, Manifest, pack, unpack
from tracelake.lake.zstd import compress, decompress

KEPT = 3
"""Manifests that can be loaded at any time."""
LONGEST_CHAIN = 16
"""Deltas in a row before a whole manifest is written again."""

_HEAD = re.compile(rb"tracelake manifest (\d+) (checkpoint|delta) format (\d+) sha256 ([0-9a-f]{64})\n")
_HEAD_BYTES = 200
_KEYED = ("files", "parts", "bundles", "derived", "failures", "dead")
"""Members of a manifest that are dictionaries, of which a delta holds what changed."""

Key = TypeVar("Key")


class DamagedManifestError(Exception):
    """A manifest file that is not as it was written; the message says how."""


class _Delta(msgspec.Struct):
    """What changed since the manifest before: a manifest with the new or changed items only, and the keys that went."""

    changed: Manifest
    gone: dict[str, list[str]]


def numbers(paths: LakePaths) -> list[int]:
    """Return the numbers of which there is a manifest file or a copy, whole or not, the highest first."""
    found: set[int | None] = set()
    for folder in (paths.root, paths.manifest_copies):
        with suppress(FileNotFoundError, NotADirectoryError):
            found |= {manifest_number(file.name) for file in folder.iterdir()}
    return sorted((number for number in found if number is not None), reverse=True)


def load_newest(paths: LakePaths) -> Manifest | None:
    """Return the highest manifest that is whole, None where there is none.

    Raises LakeVersionError when a newer tracelake wrote one, LakeError when the lake's folder cannot be read.
    """
    for number in numbers(paths):
        with suppress(DamagedManifestError):
            return load(paths, number)
    return None


def load(paths: LakePaths, number: int) -> Manifest:
    """Return the manifest of a commit.

    Raises DamagedManifestError where it, or one that it builds on, is lost; LakeVersionError; LakeError.
    """
    deltas = []
    while True:
        kind, content = _read_either(paths, number)
        if kind == "checkpoint":
            break
        deltas.append(_decode(content, _Delta))
        number -= 1
    manifest = _decode(content, Manifest)
    for delta in reversed(deltas):
        manifest = _apply(manifest, delta)
    return msgspec.structs.replace(manifest, files=unpack(manifest.files))


def is_whole(paths: LakePaths, number: int) -> bool:
    """Return whether the manifest of a commit can be loaded. Raises LakeVersionError or LakeError."""
    try:
        load(paths, number)
    except DamagedManifestError:
        return False
    return True


def save(paths: LakePaths, manifest: Manifest, before: Manifest | None) -> list[Path]:
    """Write the manifest and its copy, as a delta to `before` where that pays; return the files, not flushed yet.

    Raises OSError.
    """
    kind, content = _content(paths, manifest, before)
    data = _framed(manifest.number, kind, content)
    files = [paths.manifest(manifest.number), paths.manifest_copy(manifest.number)]
    make_private_dir(files[1].parent)
    for file in files:
        write_private(file, data)
    return files


def prune(paths: LakePaths, newest: int) -> None:
    """Remove the manifests that none of the last KEPT ones needs, and any above `newest`. Raises OSError."""
    oldest = max(newest - KEPT + 1, 0)
    while oldest > 0 and _kind(paths, oldest) != "checkpoint":
        oldest -= 1
    for number in numbers(paths):
        if number < oldest or number > newest:
            for file in (paths.manifest(number), paths.manifest_copy(number)):
                file.unlink(missing_ok=True)


def damaged(paths: LakePaths) -> Iterator[tuple[str, str]]:
    """Yield the name of every manifest file that is not as it was written, and how. Raises LakeError."""
    for number in numbers(paths):
        for file in (paths.manifest(number), paths.manifest_copy(number)):
            try:
                _read(file, number)
            except DamagedManifestError as error:
                yield str(file.relative_to(paths.root)), str(error)


def _content(paths: LakePaths, manifest: Manifest, before: Manifest | None) -> tuple[str, bytes]:
    packed = msgspec.structs.replace(manifest, files=pack(manifest.files))
    if before is None or before.number != manifest.number - 1:
        return "checkpoint", compress(msgspec.json.encode(packed))
    whole = 0
    for length in range(LONGEST_CHAIN):
        if _kind(paths, before.number - length) == "checkpoint":
            whole = paths.manifest(before.number - length).stat().st_size
            break
    delta = compress(msgspec.json.encode(_difference(before, packed)))
    if len(delta) * 3 > whole:
        return "checkpoint", compress(msgspec.json.encode(packed))
    return "delta", delta


def _difference(before: Manifest, after: Manifest) -> _Delta:
    changed: dict[str, Any] = {}
    gone: dict[str, list[str]] = {}
    for name in _KEYED:
        old, new = getattr(before, name), getattr(after, name)
        changed[name] = {key: value for key, value in new.items() if not _same(old.get(key), value)}
        gone[name] = [str(key) for key in old if key not in new]
    return _Delta(msgspec.structs.replace(after, **changed), {name: keys for name, keys in gone.items() if keys})


def _same(old: object, new: object) -> bool:
    return old is new or old == new


def _apply(before: Manifest, delta: _Delta) -> Manifest:
    merged = {}
    for name in _KEYED:
        items: Mapping[Any, Any] = getattr(before, name)
        gone = set(delta.gone.get(name, ()))
        kept = {key: value for key, value in items.items() if str(key) not in gone} if gone else items
        merged[name] = {**kept, **getattr(delta.changed, name)}
    return msgspec.structs.replace(delta.changed, **merged)


def _framed(number: int, kind: str, content: bytes) -> bytes:
    head = f"tracelake manifest {number} {kind} format {LAKE_VERSION} sha256 "
    digest = hashlib.sha256(head.encode() + content).hexdigest()
    return f"{head}{digest}\n".encode() + content


def _read_either(paths: LakePaths, number: int) -> tuple[str, bytes]:
    try:
        return _read(paths.manifest(number), number)
    except DamagedManifestError:
        return _read(paths.manifest_copy(number), number)


def _read(file: Path, number: int) -> tuple[str, bytes]:
    """Return what kind of manifest a file is and its decompressed content."""
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        raise DamagedManifestError("missing") from None
    except OSError as error:
        raise LakeError(f"cannot read {file}: {error.strerror}") from error
    head = _HEAD.match(data)
    if head is None:
        raise DamagedManifestError("its first line is damaged")
    content = data[head.end() :]
    if hashlib.sha256(data[: head.start(4)] + content).hexdigest().encode() != head[4]:
        raise DamagedManifestError("its checksum does not fit")
    if int(head[1]) != number:
        raise DamagedManifestError(f"it is number {int(head[1])}")
    check_format(file.parent, int(head[3]))
    return head[2].decode(), decompress(content)


def check_format(lake: Path, number: int | None) -> None:
    """Raise LakeVersionError when a lake has a format that this tracelake does not know yet."""
    if number is not None and number > LAKE_VERSION:
        raise LakeVersionError(
            f"the lake {lake} has format {number}, this tracelake reads up to {LAKE_VERSION}; upgrade tracelake"
        )


def _kind(paths: LakePaths, number: int) -> str | None:
    """Return the kind that a manifest file names itself, None where there is no such file."""
    for file in (paths.manifest(number), paths.manifest_copy(number)):
        with suppress(OSError), file.open("rb") as stream:
            if head := _HEAD.match(stream.read(_HEAD_BYTES)):
                return head[2].decode()
    return None


def _decode(content: bytes, kind: type[Key]) -> Key:
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise DamagedManifestError(f"its content cannot be read ({error})") from error
