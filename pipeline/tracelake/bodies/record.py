"""Records: what was lifted out of one transcript, so that it can be put back byte for byte.

A record belongs to contents, not to a file name. It is `FOLDER/transcripts/<length>-<sha256>-<path key>-<source
key>.jsonl`, where length and SHA-256 are those of the complete lines of the rewritten transcript: it still fits
when lines were appended or the transcript was moved. Its lines are splices in file order, then one summary.
Records are never removed, since a copy of the rewritten transcript may need one.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from tracelake.bodies.reading import Transcript, prefix_hashes
from tracelake.bodies.spelling import Spelling
from tracelake.bodies.store import BodyStore
from tracelake.errors import BodyError

_NAME = re.compile(r"(\d{1,18})-([0-9a-f]{64})-([0-9a-f]{16})-[0-9a-f]{16}\.jsonl")
_SUMMARY_BYTES = 1 << 16
VERSION = 1
"""Version of the records that are written; newer ones are refused."""


class Splice(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """One value that was lifted: its sentinel's place in the rewritten transcript, and how it is made again.

    `sha256` is the body's key; for the spelling `source` it is the key of the source text kept beside it.
    """

    start: int
    end: int
    sha256: str
    spelling: Spelling
    prefix: str = ""


class Summary(msgspec.Struct, frozen=True):
    """What a record is about: the transcript before and after, counted in bytes of complete lines."""

    path: str
    agent: str
    bodies: int
    source_bytes: int
    source_sha256: str
    lifted_bytes: int
    lifted_sha256: str
    version: int = VERSION


class Record(NamedTuple):
    """A record file and its summary."""

    file: Path
    summary: Summary

    def splices(self) -> Iterator[Splice]:
        """Yield the splices in file order. Raises BodyError for a damaged record."""
        decoder = msgspec.json.Decoder(Splice)
        try:
            with self.file.open("rb") as stream:
                for _ in range(self.summary.bodies):
                    yield decoder.decode(stream.readline())
        except (OSError, msgspec.MsgspecError) as error:
            raise BodyError(f"the record {self.file} is damaged: {error}") from error


def path_key(path: Path) -> str:
    """Return the part of a record's name that stands for the transcript's path."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:16]


def record_name(summary: Summary, path: Path) -> str:
    """Return the file name of a record."""
    keys = f"{path_key(path)}-{summary.source_sha256[:16]}"
    return f"{summary.lifted_bytes}-{summary.lifted_sha256}-{keys}.jsonl"


def all_records(store: BodyStore) -> list[Record]:
    """Return every record of a folder, by transcript path. Raises BodyError for a damaged one."""
    records = [read_record(file) for file, *_ in _listed(store)]
    return sorted(records, key=lambda record: (record.summary.path, record.summary.lifted_bytes))


def find_record(store: BodyStore, transcript: Transcript) -> Record | None:
    """Return the record that fits the beginning of a transcript, the longest there is; None without any.

    Two sources may differ in spelling alone, and then look the same once they were rewritten. The record of a
    transcript at this path comes first, of several the last one written. Raises BodyError when the choice is
    among records of other paths.
    """
    listed = [(file, int(size), sha, key) for file, size, sha, key in _listed(store) if int(size) <= transcript.size]
    hashes = prefix_hashes(transcript.windows(0, transcript.size), (size for _, size, _, _ in listed))
    fitting = [item for item in listed if hashes.get(item[1]) == item[2]]
    if not fitting:
        return None
    longest = max(size for _, size, _, _ in fitting)
    best = [item for item in fitting if item[1] == longest]
    own = [item for item in best if item[3] == path_key(transcript.path)]
    if own:
        return read_record(max((file for file, *_ in own), key=lambda file: file.stat().st_mtime_ns))
    records = [read_record(file) for file, *_ in best]
    if len({record.summary.source_sha256 for record in records}) > 1:
        paths = ", ".join(sorted(record.summary.path for record in records))
        raise BodyError(f"{transcript.path} may be any of {paths}: put it back at its own path and try again")
    return records[0]


def read_record(file: Path) -> Record:
    """Return the record in a file. Raises BodyError for a damaged one, or one of a newer version."""
    try:
        with file.open("rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - _SUMMARY_BYTES))
            last = stream.read().rstrip(b"\n").rsplit(b"\n", 1)[-1]
        summary = msgspec.json.decode(last, type=Summary)
    except (OSError, msgspec.MsgspecError) as error:
        raise BodyError(f"the record {file} is damaged: {error}") from error
    if summary.version > VERSION:
        raise BodyError(f"the record {file} was written by a newer tracelake")
    return Record(file, summary)


def _listed(store: BodyStore) -> list[tuple[Path, str, str, str]]:
    try:
        names = sorted(file.name for file in store.transcripts.iterdir())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise BodyError(f"cannot read {store.transcripts}: {error.strerror}") from error
    matches = ((name, _NAME.fullmatch(name)) for name in names)
    return [(store.transcripts / name, match[1], match[2], match[3]) for name, match in matches if match]
