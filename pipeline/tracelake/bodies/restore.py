"""restore_file: the bodies of a transcript go back to where they were, byte for byte."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from tracelake.bodies.reading import Transcript
from tracelake.bodies.record import Record, find_record
from tracelake.bodies.replace import Aside, replace_transcript
from tracelake.bodies.sentinel import MARK
from tracelake.bodies.spelling import spell
from tracelake.bodies.store import BodyStore
from tracelake.errors import BodyError


class Restored(NamedTuple):
    """What one call of `restore_file` did; sizes in bytes. `bodies` counts the values put back."""

    path: Path
    agent: str
    bodies: int
    bytes_before: int
    bytes_after: int


def restore_file(path: Path, folder: Path) -> Restored:
    """Put the bodies that `lift_file` moved into `folder` back into the transcript at `path`.

    Lines appended since it was lifted stay behind them. The folder keeps bodies and record, which other
    transcripts and copies may need. A transcript without sentinels is left as it is.

    Raises BodyError when the file cannot be read or is written to meanwhile, when no record in the folder
    fits it, or when a body is missing or damaged; LakeWriteError when something cannot be written. In all
    these cases the transcript stays as it was.
    """
    store = BodyStore(folder)
    with Transcript(path) as transcript:
        record = find_record(store, transcript)
        if record is None:
            return _not_lifted(transcript, folder)
        with Aside(transcript.path.parent) as text:
            for piece in restored(transcript, record, store):
                text.write(piece)
            check_restored(record, text)
            for piece in transcript.windows(record.summary.lifted_bytes, transcript.size):
                text.write(piece)
            replace_transcript(transcript, text)
        summary = record.summary
        return Restored(transcript.path, summary.agent, summary.bodies, transcript.size, text.size)


def restored(transcript: Transcript, record: Record, store: BodyStore) -> Iterator[bytes]:
    """Yield the source of the lines that a record is about, from the rewritten transcript and the folder."""
    done = 0
    for splice in record.splices():
        yield from transcript.windows(done, splice.start)
        yield from spell(splice.spelling, store.get(splice.sha256), splice.prefix)
        done = splice.end
    yield from transcript.windows(done, record.summary.lifted_bytes)


def check_restored(record: Record, text: Aside) -> None:
    """Raise BodyError unless what was written is the source that the record is about."""
    if (text.size, text.sha256) != (record.summary.source_bytes, record.summary.source_sha256):
        raise BodyError(f"{record.file} does not give back {record.summary.path}; nothing was done")


def _not_lifted(transcript: Transcript, folder: Path) -> Restored:
    if _contains(transcript.windows(0, transcript.size), MARK):
        raise BodyError(
            f"{transcript.path} holds sentinels, but no record in {folder} fits it: "
            "it was lifted into another folder, or its lines were changed since"
        )
    return Restored(transcript.path, "", 0, transcript.size, transcript.size)


def _contains(pieces: Iterable[bytes], wanted: bytes) -> bool:
    tail = b""
    for piece in pieces:
        if wanted in tail + piece:
            return True
        tail = piece[-len(wanted) :]
    return False
