"""The lake against its sources as they lie on the disk now: physical lines counted again, apart from extraction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tracelake.lake.manifest import FileState
from tracelake.sources.compressed import open_transcript
from tracelake.sources.model import SourceFile

PIECE_BYTES = 1 << 20


class Mismatch(NamedTuple):
    """A file that is as it was when it was read, and yet has another number of lines than the lake has rows."""

    path: str
    rows: int
    lines: int


@dataclass
class Sources:
    """What became of the transcripts that the lake was made of; counts are files, `lines` physical lines.

    `unchanged` were counted again; `changed` and `gone` (deleted, or not to be opened) cannot be compared.
    """

    unchanged: int = 0
    changed: int = 0
    gone: int = 0
    lines: int = 0
    mismatches: list[Mismatch] = field(default_factory=list)


def compare(files: Iterable[FileState], rows: Mapping[str, int]) -> Sources:
    """Count the lines of every transcript again and compare them with `rows`, the rows of the lake by path.

    Files that could not be read to their end are left to the checks. Memory is bounded; nothing is raised for files.
    """
    found = Sources()
    for state in files:
        if state.file.is_transcript and state.read_error is None:
            _compare(state.file, rows.get(state.file.path, 0), found)
    return found


def _compare(file: SourceFile, rows: int, found: Sources) -> None:
    try:
        status = Path(file.os_path).stat(follow_symlinks=False)
        if (status.st_size, status.st_mtime_ns) != (file.size, file.mtime_ns):
            found.changed += 1
            return
        lines = count_lines(file.os_path)
    except OSError:
        found.gone += 1
        return
    found.unchanged += 1
    found.lines += lines
    if lines != rows:
        found.mismatches.append(Mismatch(file.path, rows, lines))


def count_lines(os_path: str) -> int:
    """Return the physical lines of a file: its LF bytes, and one more where it does not end with one (E-1).

    Raises OSError.
    """
    lines = 0
    last = b"\n"
    with open_transcript(os_path) as stream:
        while piece := stream.read(PIECE_BYTES):
            lines += piece.count(b"\n")
            last = piece[-1:]
    return lines + (last != b"\n")
