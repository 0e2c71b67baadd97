"""A database file that is missing, damaged, or names the segments of a place that the lake was moved from."""

from __future__ import annotations

from pathlib import Path

from tracelake.errors import LakeBusyError, LakeError, LakeWriteError
from tracelake.lake.durable import writing
from tracelake.lake.layout import LakePaths
from tracelake.lake.locks import writer_lock
from tracelake.lake.manifest_files import load_newest, numbers
from tracelake.lake.store import live_manifest, open_store, snapshot_row


def usable_database(paths: LakePaths, scratch: Path) -> Path:
    """Return a database file that answers for the lake where it lies now, mending the lake's own if need be.

    Where the lake cannot be written, or another process is writing it, a file below `scratch` serves instead.
    Raises LakeError when there is no lake, or nothing to make the file from.
    """
    _require_lake(paths)
    if not is_unusable(paths):
        return paths.database
    try:
        with writer_lock(paths):
            store = open_store(paths)
            if is_unusable(paths):
                store.mend_database()
    except (LakeBusyError, LakeWriteError):
        return _private_copy(paths, scratch)
    except LakeError as error:
        what = f"{paths.database} is missing, damaged or from another place"
        raise LakeError(f"{what}, and cannot be built: {error}") from error
    return paths.database


def is_unusable(paths: LakePaths) -> bool:
    """Return whether the database file cannot answer for the lake where it lies now."""
    row = snapshot_row(paths)
    if row is None:
        return True
    try:
        return row["root"] != str(paths.root) and not paths.root.samefile(row["root"])
    except OSError:
        return True


def _private_copy(paths: LakePaths, scratch: Path) -> Path:
    from tracelake.lake.models import write_database

    manifest = live_manifest(paths) or load_newest(paths)
    if manifest is None:
        raise LakeError(f"{paths.root} has no manifest that can be read; run: {_command(paths)}")
    target = scratch / paths.database.name
    with writing(target):
        write_database(paths, manifest, target)
    return target


def _require_lake(paths: LakePaths) -> None:
    """Check that a lake of this format is there."""
    if not paths.root.is_dir():
        raise LakeError(f"there is no lake at {paths.root}; make one with: {_command(paths)}")
    if paths.database.is_file() or numbers(paths) or paths.segments.is_dir():
        if paths.old_manifest.is_file() and not numbers(paths):
            old = f"the lake {paths.root} has the layout of an older tracelake"
            raise LakeError(f"{old}; bring it up to date with: {_command(paths)}")
        return
    raise LakeError(f"{paths.root} is not a lake; make one with: {_command(paths)}")


def _command(paths: LakePaths) -> str:
    return f"tracelake extract --lake {paths.root}"
