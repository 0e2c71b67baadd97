"""Transcripts given back as files, byte for byte, from the raw lines that a lake keeps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from filecmp import cmp
from itertools import groupby
from operator import itemgetter
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from tracelake.lake.durable import make_private_dir, move, open_private, reason_of, write_all
from tracelake.lake.layout import LakePaths
from tracelake.lake.manifest import FileState, Manifest
from tracelake.lake.raw_files import pieces_of
from tracelake.sources.model import SourceFile

COMPRESSED = ".zst"


class Restored(NamedTuple):
    """What became of one transcript; `file` is None, and `reason` says why, where it was not written."""

    session_id: str
    path: str
    file: Path | None
    bytes: int
    outcome: str
    """written, there (with the same content already) or failed."""
    reason: str | None


def transcripts(manifest: Manifest, sessions: set[str] | None) -> list[FileState]:
    """Return the transcripts of some sessions (all, where None), in order of path."""
    found = (state for state in manifest.files.values() if state.file.is_transcript)
    chosen = (state for state in found if sessions is None or state.file.session_id in sessions)
    return sorted(chosen, key=lambda state: state.file.path)


def restore(paths: LakePaths, manifest: Manifest, states: list[FileState], folder: Path) -> Iterator[Restored]:
    """Write each transcript below the folder, at its own path; one that was read compressed is written plain.

    A file that is there with other content is left alone. Raises OSError only where the folder cannot be made.
    """
    make_private_dir(folder)
    bundles: dict[str, list[FileState]] = {}
    for state in states:
        part = manifest.parts[state.part_id]
        if not state.has_raw and part.rows.get("entries"):
            yield _failed(state, "the lake holds no raw lines of it (it was extracted with --no-raw)")
        elif state.read_at_us is None:
            yield _failed(state, f"it could not be read to its end: {state.read_error}")
        else:
            bundles.setdefault(part.bundle, []).append(state)
    for bundle, some in bundles.items():
        yield from _restore_bundle(paths, bundle, some, folder)


class _DamagedError(Exception):
    """The raw lines of a bundle cannot be read on."""


def _restore_bundle(paths: LakePaths, bundle: str, states: list[FileState], folder: Path) -> Iterator[Restored]:
    left = {state.part_id: state for state in states}
    try:
        for part_id, pieces in groupby(_read(paths, bundle, list(left)), key=itemgetter(0)):
            yield _restore(left[part_id], (piece for _, piece in pieces), folder)
            del left[part_id]
    except _DamagedError as error:
        yield from (_failed(state, str(error)) for state in left.values())
        return
    for state in left.values():
        yield _restore(state, iter(()), folder)


def _read(paths: LakePaths, bundle: str, parts: list[int]) -> Iterator[tuple[int, bytes]]:
    try:
        yield from pieces_of(paths, bundle, parts)
    except OSError as error:
        raise _DamagedError(reason_of(error)) from error


def _restore(state: FileState, pieces: Iterator[bytes], folder: Path) -> Restored:
    target = folder / _below(state.file)
    aside = target.with_name(target.name + ".restoring")
    try:
        make_private_dir(target.parent)
        with open_private(aside) as stream:
            for piece in pieces:
                write_all(stream, piece)
        return _placed(state, aside, target)
    except OSError as error:
        return _failed(state, reason_of(error))
    finally:
        with suppress(OSError):
            aside.unlink(missing_ok=True)


def _placed(state: FileState, aside: Path, target: Path) -> Restored:
    """Give a written file its name, unless it is not what was read or something is there. Raises OSError."""
    size = aside.stat().st_size
    if state.extent is not None and size != state.extent.bytes:
        return _failed(state, f"{size} bytes are in the lake, {state.extent.bytes} were read")
    outcome = "written"
    if target.exists():
        if not cmp(target, aside, shallow=False):
            return _failed(state, "another file is there")
        outcome = "there"
    else:
        move(aside, target)
    return Restored(state.file.session_id, state.file.path, target, size, outcome, None)


def _below(file: SourceFile) -> PurePosixPath:
    path = PurePosixPath(file.os_path.removesuffix(COMPRESSED))
    return path.relative_to(path.anchor) if path.is_absolute() else path


def _failed(state: FileState, reason: str) -> Restored:
    return Restored(state.file.session_id, state.file.path, None, 0, "failed", reason)
