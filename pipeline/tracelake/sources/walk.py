"""Everything that lies below a source, by its stat alone: nothing is opened here but folders."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from tracelake.sources.paths import one_line, reason_of, text_of

_SPECIAL = {
    stat.S_IFIFO: "named pipe",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "character device",
    stat.S_IFBLK: "block device",
}


class Found(NamedTuple):
    """One thing found below a source; `special` says why it must not be opened, None for a regular file."""

    path: str
    os_path: str
    source: str
    size: int
    mtime_ns: int
    inode: int
    special: str | None


class Walk:
    """One search over any number of sources; each folder is listed once, even when sources overlap."""

    def __init__(self, skipped: Iterable[str] = ()) -> None:
        """Begin with nothing searched; folders in `skipped` (resolved paths) are passed over."""
        self.problems: list[str] = []
        self.unlisted: list[str] = []
        self._listed: set[str] = set(skipped)

    def below(self, base: str, source: str) -> Iterator[Found]:
        """Yield what lies below the folder `base`, in no promised order. Raises nothing.

        A folder that cannot be listed and a file that disappears meanwhile become a line in `problems`; such
        folders are also in `unlisted`. Symbolic links are yielded, never followed.
        """
        waiting = [base]
        while waiting:
            folder = waiting.pop()
            if folder in self._listed:
                continue
            self._listed.add(folder)
            for entry in self._entries(folder):
                if _is_searched(entry):
                    waiting.append(entry.path)
                elif found := self._look(entry.path, source, entry):
                    yield found

    def single(self, os_path: str, source: str) -> Iterator[Found]:
        """Yield the one file that a source names."""
        if found := self._look(os_path, source):
            yield found

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return list(entries)
        except OSError as error:
            self.unlisted.append(text_of(folder))
            self.problems.append(f"{one_line(text_of(folder))}: cannot be searched: {reason_of(error)}")
            return []

    def _look(self, os_path: str, source: str, entry: os.DirEntry[str] | None = None) -> Found | None:
        try:
            seen = entry.stat(follow_symlinks=False) if entry else Path(os_path).lstat()
            special = _special(os_path, seen.st_mode)
        except OSError as error:
            self.problems.append(f"{one_line(text_of(os_path))}: cannot be examined: {reason_of(error)}")
            return None
        size = 0 if special else seen.st_size
        return Found(text_of(os_path), os_path, source, size, seen.st_mtime_ns, seen.st_ino, special)


def _is_searched(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a folder to go into; on most systems the listing knows without a stat."""
    try:
        return entry.name != ".git" and entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _special(os_path: str, mode: int) -> str | None:
    """Return why a thing is not a file to open; None for a regular file."""
    if stat.S_ISREG(mode):
        return None
    if stat.S_ISDIR(mode):
        hidden = os_path.rpartition("/")[2] == ".git"
        return "version control folder, not searched" if hidden else "folder in a file's place, not searched"
    if stat.S_ISLNK(mode):
        target = one_line(text_of(str(Path(os_path).readlink())))
        return f"symbolic link to {target}, not followed"
    return f"{_SPECIAL.get(stat.S_IFMT(mode), 'special file')}, never opened"
