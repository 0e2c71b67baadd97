"""The lake as its one writer sees it: the present manifest, commits, and the sweeping of what no reader needs.

A commit writes new files only; then the database file that shows them takes the place of the old one by a single
rename. Killed before that rename, the lake is as before and the next writer either finishes the commit (its manifest
is whole, and so are its files) or throws its files away. Readers hold no lock: they have the old snapshot or the new
one, and files of the old one stay for a grace period.
"""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from tracelake.lake import manifest_files
from tracelake.lake.durable import flush_all, make_private_dir, move, replace_private, writing
from tracelake.lake.layout import LakePaths
from tracelake.lake.manifest import Derived, Manifest
from tracelake.lake.manifest_files import DamagedManifestError, check_format

ASIDE = ".new"
"""How the name ends of the database file while it is written."""


class Store:
    """One lake, held by the holder of its writer lock; `manifest` is what is live."""

    def __init__(self, paths: LakePaths, manifest: Manifest) -> None:
        """Made by `open_store`."""
        self.paths = paths
        self.manifest = manifest
        self._bundles = 0

    def new_bundle(self) -> str:
        """Return a name for a bundle that no other has, in the order of making."""
        self._bundles += 1
        return f"{self.manifest.number + 1:08d}-{time.time_ns() // 1000:x}-{self._bundles:05d}"

    def commit(self, after: Manifest) -> None:
        """Make a manifest the live one; its number is set here, and what it no longer lists is marked dead.

        All files that it lists must be written. Raises LakeWriteError or LakeError, and then nothing has changed.
        """
        before = self.manifest
        after = self._numbered(after)
        aside = self.paths.database.with_name(self.paths.database.name + ASIDE)
        with writing(self.paths.root):
            try:
                manifest_files.save(self.paths, after, before)
                self._write_database(after, aside)
                flush_all(self.paths.root, self._files_to_flush(before, after, aside))
                move(aside, self.paths.database)
            except BaseException:
                if database_number(self.paths) == after.number:
                    self.manifest = after
                else:
                    self._take_back(after.number, aside)
                raise
        self.manifest = after
        with writing(self.paths.root):
            flush_all(self.paths.root, [self.paths.root])
            self._remove_expired(before, after)
            manifest_files.prune(self.paths, after.number)

    def sweep(self) -> None:
        """Remove files that no snapshot lists: what failed tasks left, and bundles merged before they were live.

        Nothing may be writing a bundle. Raises LakeWriteError.
        """
        _sweep(self.paths, self.manifest)

    def mend_database(self) -> None:
        """Make the database file again; a manifest that was made from footers is kept from now on.

        Raises LakeWriteError or LakeError.
        """
        if manifest_files.is_whole(self.paths, self.manifest.number) or not self.manifest.number:
            self.rebuild_database()
        else:
            self.commit(self.manifest)

    def rebuild_database(self) -> None:
        """Write the database file of the present manifest again. Raises LakeWriteError or LakeError."""
        aside = self.paths.database.with_name(self.paths.database.name + ASIDE)
        with writing(self.paths.root):
            try:
                self._write_database(self.manifest, aside)
                flush_all(self.paths.root, [aside])
                move(aside, self.paths.database)
            finally:
                aside.unlink(missing_ok=True)

    def _write_database(self, manifest: Manifest, aside: Path) -> None:
        from tracelake.lake.models import init_script, write_database

        self.paths.database.with_name(self.paths.database.name + ".wal").unlink(missing_ok=True)
        write_database(self.paths, manifest, aside)
        script = self.paths.root / "init.sql"
        wanted = init_script(self.paths)
        if not script.is_file() or script.read_bytes() != wanted:
            replace_private(script, wanted)

    def _numbered(self, after: Manifest) -> Manifest:
        now_us = time.time_ns() // 1000
        live = after.live_files
        dead = {name: at for name, at in self.manifest.dead.items() if name not in live}
        dead |= {name: now_us for name in self.manifest.live_files if name not in live}
        expired = now_us - after.settings.grace_seconds * 1e6
        kept = {name: at for name, at in dead.items() if at > expired}
        return msgspec.structs.replace(after, number=self.manifest.number + 1, dead=kept)

    def _files_to_flush(self, before: Manifest, after: Manifest, aside: Path) -> Iterator[Path]:
        yield aside
        yield from (self.paths.manifest(after.number), self.paths.manifest_copy(after.number))
        new = {self.paths.segments / name for name in after.live_files.keys() - before.live_files.keys()}
        yield from new
        yield from {self.paths.root, self.paths.segments, self.paths.manifest_copies, *(file.parent for file in new)}

    def _take_back(self, number: int, aside: Path) -> None:
        """Remove what a commit wrote that was broken off before its rename."""
        for file in (aside, self.paths.manifest(number), self.paths.manifest_copy(number)):
            with suppress(OSError):
                file.unlink(missing_ok=True)

    def _remove_expired(self, before: Manifest, after: Manifest) -> None:
        known = after.live_files.keys() | after.dead.keys()
        for name in (before.dead.keys() | before.live_files.keys()) - known:
            (self.paths.segments / name).unlink(missing_ok=True)


def open_store(paths: LakePaths) -> Store:
    """Return the lake for writing, whatever state the last writer left it in. The caller holds the writer lock.

    Raises LakeVersionError, LakeError or LakeWriteError.
    """
    manifest = live_manifest(paths)
    if manifest is None and paths.old_manifest.is_file():
        manifest = Manifest()
    if _is_behind(paths, manifest):
        from tracelake.lake.rebuild import with_lost_bundles

        manifest = with_lost_bundles(paths, manifest or Manifest())
    manifest = manifest or Manifest()
    manifest = msgspec.structs.replace(manifest, derived=dict(_sound(paths, manifest.derived.items())))
    _sweep(paths, manifest)
    return Store(paths, manifest)


def _is_behind(paths: LakePaths, manifest: Manifest | None) -> bool:
    """Return whether a manifest that was live is lost, so that segments must be asked what they hold."""
    if manifest is None:
        return any(paths.segments.glob("[a-z]*/*.parquet"))
    shown = database_number(paths)
    if shown is None:
        return any(number > manifest.number for number in manifest_files.numbers(paths))
    return shown > manifest.number


def live_manifest(paths: LakePaths) -> Manifest | None:
    """Return the highest manifest that is whole and whose files are all there; None where none is.

    Raises LakeVersionError or LakeError.
    """
    damaged: Manifest | None = None
    for number in manifest_files.numbers(paths):
        try:
            manifest = manifest_files.load(paths, number)
        except DamagedManifestError:
            continue
        if all(_has_size(paths.segments / name, file.bytes) for name, file in manifest.live_files.items()):
            return manifest
        damaged = damaged or manifest
    return damaged


def manifest_of(paths: LakePaths, number: int | None) -> Manifest:
    """Return the manifest that a database file names, else the newest one; an empty one where there is none.

    Raises LakeVersionError or LakeError.
    """
    if number:
        with suppress(DamagedManifestError):
            return manifest_files.load(paths, number)
    return manifest_files.load_newest(paths) or Manifest()


def snapshot_row(paths: LakePaths) -> dict[str, Any] | None:
    """Return the row of `lake_snapshot` in the database file, by column; None where there is none that can be read.

    Raises LakeVersionError when a newer tracelake wrote it.
    """
    import duckdb

    if not paths.database.is_file():
        return None
    try:
        with duckdb.connect(str(paths.database), read_only=True, config={"threads": 1}) as connection:
            found = connection.execute("FROM lake_snapshot")
            names = [column[0] for column in found.description or ()]
            rows = found.fetchall()
    except (duckdb.Error, ValueError):
        return None
    if len(rows) != 1:
        return None
    row = dict(zip(names, rows[0], strict=True))
    check_format(paths.root, row.get("format"))
    return row


def database_number(paths: LakePaths) -> int | None:
    """Return the number of the commit that the database file shows; None where there is none that can be read."""
    row = snapshot_row(paths)
    return None if row is None else row["number"]


def _has_size(path: Path, size: int) -> bool:
    try:
        return path.stat().st_size == size
    except OSError:
        return False


def _sound(paths: LakePaths, derived: Iterable[tuple[str, Derived]]) -> Iterator[tuple[str, Derived]]:
    """Yield the computed tables whose files are as they were written; the others are computed again."""
    for name, one in derived:
        with suppress(OSError):
            if hashlib.sha256((paths.segments / one.name).read_bytes()).hexdigest() == one.file.sha256:
                yield name, one


def _sweep(paths: LakePaths, manifest: Manifest) -> None:
    """Remove what dead runs left: files that no snapshot lists, and all that was written aside.

    Raises LakeWriteError.
    """
    with writing(paths.root):
        if paths.spill.is_dir():
            shutil.rmtree(paths.spill)
        for leftover in (*paths.root.glob(f"*{ASIDE}"), *paths.root.glob(f"*{ASIDE}.wal")):
            leftover.unlink(missing_ok=True)
        known = manifest.live_files.keys() | manifest.dead.keys()
        for folder in paths.segments.iterdir() if paths.segments.is_dir() else ():
            if folder.is_dir() and folder != paths.manifest_copies:
                for file in folder.iterdir():
                    if f"{folder.name}/{file.name}" not in known:
                        file.unlink()
        if manifest.number:
            for number in manifest_files.numbers(paths):
                if number > manifest.number:
                    paths.manifest(number).unlink(missing_ok=True)
                    paths.manifest_copy(number).unlink(missing_ok=True)
        make_private_dir(paths.root)
