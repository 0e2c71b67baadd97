"""Which session a file belongs to."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path
from posixpath import basename, splitext

from tracelake.sources.layout import trusts_location
from tracelake.sources.paths import is_uuid, text_of, usable_id
from tracelake.sources.sniff import sniff


def main_session_id(path: str, sniffed: str | None) -> str:
    """Return the id of a main or legacy file: its stem if that is a UUID, else what it says, else a hash."""
    stem = splitext(basename(path))[0]
    return stem if is_uuid(stem) else usable_id(sniffed, path)


class RootIds:
    """The session ids of session folders, each worked out once.

    `known_id` gives the session id of a main file that is part of the search, None for any other.
    """

    def __init__(self, known_id: Callable[[str], str | None]) -> None:
        """Take the look-up for main files of the search."""
        self._known_id = known_id
        self._ids: dict[str, str | None] = {}

    def of_folder(self, os_folder: str) -> str | None:
        """Return the folder's name if it is a UUID, else its main file's id; None without either."""
        if os_folder not in self._ids:
            name = basename(os_folder)
            self._ids[os_folder] = name if is_uuid(name) else self._of_root(os_folder + ".jsonl")
        return self._ids[os_folder]

    def _of_root(self, os_path: str) -> str | None:
        path = text_of(os_path)
        return self._known_id(path) or _read_id(os_path, path)


def is_regular(os_path: str) -> bool:
    """Return whether a path is a regular file itself, not a link to one."""
    try:
        return stat.S_ISREG(Path(os_path).lstat().st_mode)
    except OSError:
        return False


def is_folder(os_path: str) -> bool:
    """Return whether a path is a folder itself, not a link to one."""
    try:
        return stat.S_ISDIR(Path(os_path).lstat().st_mode)
    except OSError:
        return False


def _read_id(os_path: str, path: str) -> str | None:
    """Return the id of a main file outside the search, so that no id depends on which source was named."""
    try:
        verdict = sniff(os_path)
        empty = Path(os_path).stat().st_size == 0
    except OSError:
        return None
    claude = verdict.agent == "claude" and verdict.kind_hint == "transcript"
    if claude or (not verdict.agent and trusts_location(path, empty)):
        return main_session_id(path, verdict.session_id)
    return None
