"""A database file that is missing, damaged, or names the partitions of a place the lake was moved from."""

from __future__ import annotations

from tracelake.errors import LakeError
from tracelake.lake.layout import LakePaths
from tracelake.lake.locks import writer_lock
from tracelake.lake.manifest import Manifest, load_manifest, save_manifest
from tracelake.lake.models import build_database

_MAGIC = b"DUCK"
_MAGIC_AT = 8


def is_unusable(paths: LakePaths, manifest: Manifest) -> bool:
    """Return whether the database file cannot answer for the lake where it lies now."""
    try:
        if manifest.database_root != str(paths.root) and not paths.root.samefile(manifest.database_root):
            return True
        with paths.database.open("rb") as stream:
            return stream.read(_MAGIC_AT + len(_MAGIC))[_MAGIC_AT:] != _MAGIC
    except OSError:
        return True


def repair_database(paths: LakePaths) -> None:
    """Build the database file anew from the manifest. Raises LakeError that says why it was needed and failed."""
    try:
        with writer_lock(paths):
            manifest = load_manifest(paths)
            if is_unusable(paths, manifest):
                build_database(paths, manifest)
                manifest.database_root = str(paths.root)
                save_manifest(paths, manifest)
    except LakeError as error:
        what = f"{paths.database} is missing, damaged or from another place"
        raise LakeError(f"{what}, and cannot be built: {error}") from error
