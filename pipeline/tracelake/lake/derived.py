"""Small computed tables of a snapshot: written once under a new name, never changed, checked like segments."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tracelake.lake.durable import make_private_dir, write_private
from tracelake.lake.layout import LakePaths
from tracelake.lake.manifest import Derived, Manifest, SegmentFile


def derived_path(paths: LakePaths, manifest: Manifest, table: str) -> Path | None:
    """Return the file of a computed table in a snapshot; None where it has none."""
    one = manifest.derived.get(table)
    return None if one is None else paths.segments / one.name


def store_derived(paths: LakePaths, folder: str, table: str, content: bytes, rows: int, stamp: str = "") -> Derived:
    """Write a computed table as a new file below `segments/<folder>` and return what the manifest says of it.

    The same content has the same name, so writing it again changes nothing. Raises OSError.
    """
    digest = hashlib.sha256(content).hexdigest()
    name = f"{folder}/{table}-{digest[:16]}"
    target = paths.segments / name
    make_private_dir(target.parent)
    write_private(target, content)
    return Derived(name, SegmentFile(digest, len(content), rows), stamp)
