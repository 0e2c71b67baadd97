"""A run writes aside and takes effect by renames: each commit is wholly in the lake or not at all.

1. The batch's tables and the next manifest are in `staging/<run>/`, flushed to the disk.
2. `commit.json` appears there: the list of renames, the manifest's last. From here on the batch counts as in.
3. Under the exclusive lock the renames are made, then `commit.json` is removed.

Killing the process at any point is safe: before step 2 the next run throws the staging away, after it the next run
makes the renames that are left. A power cut is as safe where the file system keeps the order of renames (ext4, xfs,
btrfs, apfs), since contents are flushed before they are named.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from tracelake.errors import LakeError, LakeWriteError
from tracelake.lake.durable import flush_all, make_private, make_private_dir, move, write_private, writing
from tracelake.lake.layout import LakePaths, escape_session_id
from tracelake.lake.locks import renaming
from tracelake.lake.manifest import FileState, Manifest, SessionState, encode_manifest, load_manifest
from tracelake.tables import TABLES

COMMIT_NAME = "commit.json"

Move = tuple[str, str]
"""A rename, from and to, both relative to the lake's root."""


class Change(msgspec.Struct, frozen=True):
    """One session as it is to be: its staged tables and what the manifest will say."""

    session_id: str
    state: SessionState | None
    """None when nothing is left of the session."""
    files: dict[str, FileState]
    forgotten: list[str] = []
    """Files that the manifest no longer lists: they are known under another path."""


class StagedRun:
    """The staging folder of one run and the manifest as it stands after the last commit."""

    def __init__(self, paths: LakePaths, manifest: Manifest) -> None:
        """Name a staging folder; nothing is written before `commit` or by asking for a session's folder."""
        self.paths = paths
        self.manifest = manifest
        self.folder = paths.staging / f"{time.time_ns():020d}-{os.getpid()}"
        self._unsettled = False

    def session_folder(self, session_id: str) -> Path:
        """Return the folder a session's task writes its tables into."""
        return self.folder / escape_session_id(session_id)

    def commit(self, changes: Sequence[Change]) -> None:
        """Bring the sessions into the lake, all of them or none.

        Raises LakeWriteError (full disk, no permission) and LakeBusyError (a query would not end); unless renaming had
        begun, the lake is then as before.
        """
        self.settle()
        after = _with_changes(self.manifest, changes)
        with writing(self.folder):
            moves = self._prepare(changes, after)
        with renaming(self.paths), writing(self.folder):
            self._unsettled = True
            move(self.folder / "commit.next", self.folder / COMMIT_NAME)
            _make_moves(self.paths, self.folder, moves)
            self.manifest = after
            self._unsettled = False

    def settle(self) -> None:
        """Finish a commit that an interrupt broke off, and know what is in the lake again."""
        if self._unsettled:
            _redo(self.paths, self.folder)
            self.manifest = load_manifest(self.paths)
            self._unsettled = False

    def close(self) -> None:
        """Remove the staging folder; it stays when it holds a commit that the next run has to finish."""
        if not (self.folder / COMMIT_NAME).exists():
            shutil.rmtree(self.folder, ignore_errors=True)

    def _prepare(self, changes: Sequence[Change], after: Manifest) -> list[Move]:
        """Write all that needs space, so that only renames are left; return these."""
        make_private_dir(self.folder)
        pairs = [pair for change in changes for pair in self._table_moves(change)]
        for _, target in pairs:
            make_private_dir(target.parent)
        pairs.append((self.folder / "manifest.next", self.paths.manifest))
        write_private(pairs[-1][0], encode_manifest(after))
        moves = [(self._relative(source), self._relative(target)) for source, target in pairs]
        write_private(self.folder / "commit.next", msgspec.json.encode(moves))
        flush_all(self.paths.root, [source for source, _ in pairs] + [self.folder / "commit.next", self.folder])
        return moves

    def _table_moves(self, change: Change) -> Iterator[tuple[Path, Path]]:
        """Pair staged tables with their places; a table that lost its rows is staged as an empty file."""
        folder = self.session_folder(change.session_id)
        for table in TABLES:
            staged, target = folder / f"{table}.parquet", self.paths.partition_file(table, change.session_id)
            if not staged.exists():
                if change.state is not None and change.state.rows.get(table):
                    raise LakeWriteError(f"{staged} is gone before it could be committed")
                if not target.exists():
                    continue
                make_private_dir(folder)
                write_empty_table(table, staged)
            make_private(staged)
            yield staged, target

    def _relative(self, path: Path) -> str:
        return path.relative_to(self.paths.root).as_posix()


def recover(paths: LakePaths) -> None:
    """Finish the commit that a dead run left half done and throw away all other staging.

    To be called by the holder of the writer lock, before it reads the manifest. Raises LakeWriteError, LakeBusyError.
    """
    with writing(paths.staging):
        left_over = sorted(paths.staging.iterdir()) if paths.staging.is_dir() else []
        for folder in left_over:
            _redo(paths, folder)
            if folder.is_dir() and not folder.is_symlink():
                shutil.rmtree(folder)
            else:
                folder.unlink()


def needs_recovery(paths: LakePaths) -> bool:
    """Whether some run died while renaming, so that tables of one session may not fit each other yet."""
    return any(paths.staging.glob(f"*/{COMMIT_NAME}"))


def write_empty_table(table: str, path: Path) -> None:
    """Write a Parquet file with the table's columns and no rows."""
    import pyarrow.parquet as pq

    from tracelake.lake.arrow import arrow_schema

    pq.write_table(arrow_schema(table).empty_table(), path, store_schema=False)


def _with_changes(manifest: Manifest, changes: Sequence[Change]) -> Manifest:
    """Return the manifest after the changes; the given one stays as it is."""
    files, sessions = dict(manifest.files), dict(manifest.sessions)
    for change in changes:
        files.update(change.files)
        for path in change.forgotten:
            files.pop(path, None)
        if change.state is None:
            sessions.pop(change.session_id, None)
        else:
            sessions[change.session_id] = change.state
    generation = manifest.generation + 1
    return msgspec.structs.replace(manifest, files=files, sessions=sessions, generation=generation)


def _redo(paths: LakePaths, folder: Path) -> None:
    """Make the renames that a `commit.json` in the folder still lists, if there is one."""
    try:
        content = (folder / COMMIT_NAME).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return
    try:
        moves = msgspec.json.decode(content, type=list[Move])
    except msgspec.DecodeError as error:
        raise LakeError(f"{folder / COMMIT_NAME} is damaged ({error}); remove {folder} to go on without it") from error
    with renaming(paths), writing(folder):
        _make_moves(paths, folder, moves)


def _make_moves(paths: LakePaths, folder: Path, moves: Sequence[Move]) -> None:
    """Make the renames that are not made yet, then forget the list."""
    for source, target in moves:
        if os.path.lexists(paths.root / source):
            move(paths.root / source, paths.root / target)
    (folder / COMMIT_NAME).unlink()
