"""Reading transcripts from disk: once, again after they grew, or from bytes that lie in no session folder."""

from __future__ import annotations

import io
import os
from typing import BinaryIO

from tracelake.errors import NoSourceError
from tracelake.sources.compressed import open_transcript
from tracelake.sources.fingerprint import stream_fingerprint
from tracelake.sources.lines import PIECE_BYTES
from tracelake.sources.opening import open_regular
from tracelake.sources.paths import reason_of
from tracelake.sources.sidecars import Meta
from tracelake.transcripts.file import File, Label
from tracelake.transcripts.reading import Known, Reading


def read_transcript(path: str | os.PathLike[str], agent_id: str | None = None) -> File:
    """Return a local transcript, read once, raw lines included; its sidecar is left to the caller.

    It is a sub-agent's if its name (`agent-<id>.jsonl`) or `agent_id` says so. Raises NoSourceError when it cannot be
    opened; a read that fails later gives the lines so far and `read_error`.
    """
    name = os.fspath(path)
    try:
        stream = open_transcript(name)
    except OSError as error:
        raise NoSourceError(f"{name}: {reason_of(error)}") from error
    with stream:
        return _read(Reading(Label.of(name, agent_id), keep_raw=True), stream)


def decode_subagent(source: bytes | BinaryIO, agent_id: str, meta: Meta | None = None, name: str | None = None) -> File:
    """Return a sub-agent's transcript that lies outside any session folder, for `Tree.add_subagent`.

    `meta` is the spawn link, which the caller supplies; `name` is what the file is called in issues. It gets the same
    checks as one that lies beside its parent.
    """
    label = Label(name or f"agent-{agent_id}.jsonl", agent_id, "subagent")
    stream = io.BytesIO(source) if isinstance(source, bytes) else source
    file = _read(Reading(label, keep_raw=True), stream)
    file.meta = meta
    return file


def reread(
    path: str | os.PathLike[str], reading: Reading | None = None, agent_id: str | None = None
) -> tuple[File, Reading]:
    """Return a transcript that may have grown, and the Reading to hand in next time.

    Without a Reading, and when the file shrank, was replaced, or begins with other bytes than were read, the new
    Reading starts over. Raises NoSourceError when the file cannot be read.
    """
    name = os.fspath(path)
    try:
        with open_regular(name) as stream:
            if reading is None or not _fits(stream, reading):
                reading = Reading(Label.of(name, agent_id))
            stream.seek(reading.offset)
            file = _read(reading, stream)
            reading.known = _known(stream, reading.offset)
    except OSError as error:
        raise NoSourceError(f"{name}: {reason_of(error)}") from error
    return file, reading


class Readings:
    """A reader for `read_tree` that remembers every transcript, so that reading the tree again reads on."""

    def __init__(self) -> None:
        """Start with nothing read."""
        self._readings: dict[str, Reading] = {}

    def __call__(self, path: str, agent_id: str | None) -> File:
        """Return the transcript at `path`, as `reread` does."""
        file, self._readings[path] = reread(path, self._readings.get(path), agent_id)
        return file


def _read(reading: Reading, stream: BinaryIO) -> File:
    """Take the rest of a stream."""
    buffered = io.BufferedReader(stream, PIECE_BYTES)  # type: ignore[type-var]
    try:
        return reading.file(reading.continue_(buffered))
    except OSError as error:
        return reading.file(read_error=reason_of(error))
    finally:
        buffered.detach()


def _fits(stream: BinaryIO, reading: Reading) -> bool:
    """Return whether the open file is the one that was read, and still begins with what was taken."""
    known = reading.known
    found = os.fstat(stream.fileno())
    if known is None or (found.st_dev, found.st_ino) != known[:2]:
        return False
    # A file that is shorter now gives another fingerprint.
    return known.offset == reading.offset and stream_fingerprint(stream, known.offset) == known.check


def _known(stream: BinaryIO, offset: int) -> Known:
    found = os.fstat(stream.fileno())
    return Known(found.st_dev, found.st_ino, offset, stream_fingerprint(stream, offset))
