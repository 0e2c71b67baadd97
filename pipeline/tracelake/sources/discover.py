"""From the sources that were named to the files below them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from tracelake.errors import NoSourceError
from tracelake.sources.classify import Classifier
from tracelake.sources.homes import session_folders
from tracelake.sources.model import SourceFile
from tracelake.sources.paths import one_line, reason_of, text_of
from tracelake.sources.walk import Found, Walk


class Discovery(msgspec.Struct):
    """What a search found.

    `files` are sorted by path, each path once; `roots` are the paths actually searched (a source's, or those
    of an agent home's session folders); `problems` are lines for the user; `unlisted` are folders that could not be
    searched, below which a file that is missing from `files` may well exist.
    """

    files: list[SourceFile]
    roots: list[str]
    problems: list[str]
    unlisted: list[str]


def discover(sources: Sequence[Path], known: Mapping[str, SourceFile], lake: Path | None = None) -> Discovery:
    """Find and classify every file below the sources (S-1).

    A source is an agent home (only its session folders are searched), any other folder (searched whole) or a file;
    symbolic links below it are listed, not followed. `known` holds the records of earlier runs by path: a
    file with the same size, modification time and inode keeps its record and is not opened. `lake` is a folder that
    is no part of any source.

    Raises NoSourceError when none of the sources can be read.
    """
    walk = Walk([] if lake is None else [os.path.realpath(lake)])
    found: dict[str, Found] = {}
    roots: list[str] = []
    for source in sources:
        try:
            here = _roots_of(source)
        except (OSError, ValueError) as error:
            walk.problems.append(f"{one_line(text_of(str(source)))}: {reason_of(error)}")
            continue
        for root in here:
            roots.append(text_of(root.base))
            search = walk.below if root.is_folder else walk.single
            for item in search(root.base, root.source):
                _add(found, item, walk.problems)
    if not roots:
        raise NoSourceError("no source can be read: " + ("; ".join(walk.problems) or "none was named"))
    classifier = Classifier(found, known)
    records = [classifier.record(path) for path in sorted(found)]
    files = [record for record in records if record is not None]
    return Discovery(files, list(dict.fromkeys(roots)), walk.problems + classifier.problems, walk.unlisted)


class _Root(NamedTuple):
    """A source that can be read: its resolved path as text, and where the search begins."""

    source: str
    base: str
    is_folder: bool


def _roots_of(source: Path) -> list[_Root]:
    """Resolve a source and make sure that it can be listed. Raises OSError or ValueError when it cannot."""
    real = os.path.realpath(source, strict=True)
    # An agent home is named by its place, so its folders may themselves be links to another disk.
    bases = [os.path.realpath(folder) for folder in session_folders(real)] or [real]
    for base in bases:
        if Path(base).is_dir():
            with os.scandir(base):
                pass
    return [_Root(text_of(real), base, Path(base).is_dir()) for base in bases]


def _add(found: dict[str, Found], item: Found, problems: list[str]) -> None:
    """Keep the first finding of a path; of two names written alike one is left out, but not in silence."""
    first = found.setdefault(item.path, item)
    if first.os_path != item.os_path:
        problems.append(f"{one_line(item.path)}: another file's name is written the same, this one is left out")
