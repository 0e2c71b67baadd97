"""Files that `--output` must not replace: transcripts, what else is in an agent's home, files of the lake."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tracelake import config
from tracelake.errors import TracelakeError, UsageError
from tracelake.sources.sniff import sniff


def refuse_protected(output: Path, lake: Path) -> None:
    """Raise UsageError, one line, when the answer would replace a source or stand among the files of the lake.

    Links are followed, and a hard link counts as the file it is.
    """
    target = output.resolve()
    if _is_lake(lake) and target.is_relative_to(lake.resolve()):
        raise UsageError(f"--output {output} is inside the lake {lake}; choose another place")
    try:
        if not target.is_file():
            return
        found = target.stat()
    except OSError:
        return  # writing will say what is wrong with it
    if _is_transcript(target) or any(target.is_relative_to(home) for home in _homes()):
        raise UsageError(f"--output {output} would replace a file of an agent; choose another place")
    if found.st_nlink > 1 and (found.st_dev, found.st_ino) in _identities(_files_below(lake)):
        raise UsageError(f"--output {output} is a file of the lake {lake}; choose another place")
    if str(target) in (sources := set(_sources(lake))) or (
        found.st_nlink > 1 and (found.st_dev, found.st_ino) in _identities(sources)
    ):
        raise UsageError(f"--output {output} is a source of the lake {lake}; choose another place")


def _is_lake(folder: Path) -> bool:
    """Return whether a folder is a lake; any other may hold answers too."""
    return (folder / "tracelake.duckdb").exists() or any(folder.glob("manifest*"))


def _is_transcript(path: Path) -> bool:
    try:
        return bool(sniff(str(path)).agent)
    except OSError:
        return False


def _homes() -> Iterator[Path]:
    for home in config.agent_homes():
        yield home.resolve()


def _files_below(folder: Path) -> Iterator[str]:
    for parent, _, names in os.walk(folder):
        for name in names:
            yield os.path.join(parent, name)  # noqa: PTH118 (thousands of them)


def _identities(paths: Iterator[str] | set[str]) -> set[tuple[int, int]]:
    found = set()
    for path in paths:
        with suppress(OSError):
            status = os.stat(path)  # noqa: PTH116
            found.add((status.st_dev, status.st_ino))
    return found


def _sources(lake: Path) -> Iterator[str]:
    """Yield the paths of all files that the lake lists; none where it cannot be opened."""
    if not _is_lake(lake):
        return
    from tracelake.lake.connect import open_lake, run_select

    sql = "SELECT DISTINCT path FROM files WHERE vanished_at IS NULL"
    with suppress(TracelakeError), open_lake(lake) as connection:
        yield from run_select(connection, sql)["path"].to_pylist()
