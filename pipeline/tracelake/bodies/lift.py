"""lift_file: the bodies of a transcript go into a folder, sentinels take their place (parser.md 4.2, 4.7).

Nothing is replaced before everything is on the disk and was read back: record and bodies must give the source
byte for byte. A run that died leaves the transcript as it was; the next one finds the bodies it stored.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

from tracelake.bodies.find import shape_of
from tracelake.bodies.reading import Transcript
from tracelake.bodies.record import Record, Summary, find_record, record_name
from tracelake.bodies.replace import Aside, replace_transcript
from tracelake.bodies.restore import restored
from tracelake.bodies.store import BodyStore
from tracelake.bodies.work import LiftWork
from tracelake.errors import BodyError
from tracelake.sources.sniff import sniff


class Lifted(NamedTuple):
    """What one call of `lift_file` did; sizes in bytes.

    `bodies` counts the values that this call replaced, `new_bodies` those not in the folder before.
    """

    path: Path
    agent: str
    bodies: int
    new_bodies: int
    bytes_before: int
    bytes_after: int


def lift_file(path: Path, folder: Path, agent: str | None = None) -> Lifted:
    """Move the bodies of the transcript at `path` into `folder` and leave sentinels in their place.

    The agent is told by the contents unless it is named. Lines that were lifted before are kept, lines
    appended since are added; an unfinished last line and damaged lines stay as they are. Memory does not
    grow with the length of lines. A program that still holds the transcript open would go on writing to the
    old file: lift what is finished.

    Raises BodyError when the file cannot be read, is no transcript, or is written to meanwhile; UsageError for
    an unknown agent; LakeWriteError when something cannot be written. The transcript then is as it was.
    """
    store = BodyStore(folder)
    with Transcript(path) as transcript:
        agent = agent or agent_of(transcript)
        shape_of(agent)
        store.prepare()
        with Aside(transcript.path.parent) as text, Aside(store.incoming) as log:
            old = find_record(store, transcript)
            work = LiftWork(transcript, agent, store, text, log)
            summary = work.run(old) if old is None or work.is_needed(old) else None
            if summary is None or not work.bodies:
                return Lifted(transcript.path, agent, 0, 0, transcript.size, transcript.size)
            _commit(transcript, store, summary, text, log)
        return Lifted(transcript.path, agent, work.bodies, work.new_bodies, transcript.size, text.size)


def agent_of(transcript: Transcript) -> str:
    """Return the agent that wrote a transcript. Raises BodyError if none is recognised."""
    try:
        verdict = sniff(str(transcript.path))
    except OSError as error:
        raise BodyError(f"cannot read {transcript.path}: {error.strerror or error}") from error
    if not verdict.agent or verdict.kind_hint != "transcript":
        raise BodyError(f"{transcript.path} is no transcript: {verdict.reason or 'no known agent'}")
    return verdict.agent


def _commit(transcript: Transcript, store: BodyStore, summary: Summary, text: Aside, log: Aside) -> None:
    """Read back what was written; then bodies, record and transcript, each on the disk before the next."""
    text.close()
    log.close()
    with Transcript(text.path) as rewritten:
        _verify(rewritten, Record(log.path, summary), store)
    transcript.check_unchanged()
    store.flush()
    log.move_to(store.transcripts / record_name(summary, transcript.path))
    replace_transcript(transcript, text)


def _verify(rewritten: Transcript, record: Record, store: BodyStore) -> None:
    digest = hashlib.sha256()
    for piece in restored(rewritten, record, store):
        digest.update(piece)
    if digest.hexdigest() != record.summary.source_sha256:
        raise BodyError(f"what was lifted does not give back {record.summary.path}; nothing was done")
