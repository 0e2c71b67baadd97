"""LiftWork: one pass over a transcript that writes the rewritten one and its record aside."""

from __future__ import annotations

import hashlib

import msgspec

from tracelake.bodies.find import Finder, body_locations, shape_of
from tracelake.bodies.kinds import BodyLocation
from tracelake.bodies.lifting import lift_value
from tracelake.bodies.reading import Transcript
from tracelake.bodies.record import Record, Splice, Summary
from tracelake.bodies.replace import Aside
from tracelake.bodies.restore import restored
from tracelake.bodies.rewrite import may_hold_bodies, sentinel_for
from tracelake.bodies.spans import windows
from tracelake.bodies.store import BodyStore
from tracelake.sources.lines import Line, LineReader
from tracelake.sources.paths import text_of


class LiftWork:
    """Run once; `bodies` then counts the values that were lifted, `new_bodies` those not stored before."""

    def __init__(self, transcript: Transcript, agent: str, store: BodyStore, text: Aside, log: Aside) -> None:
        """Write the rewritten transcript to `text` and its record to `log`."""
        self._transcript = transcript
        self._agent = agent
        self._store = store
        self._text = text
        self._log = log
        self._source = hashlib.sha256()
        self._source_bytes = 0
        self._earlier = 0
        self.bodies = self.new_bodies = 0

    def is_needed(self, old: Record) -> bool:
        """Return whether there is anything to lift beyond what `old` is about."""
        self._transcript.stream.seek(old.summary.lifted_bytes)
        return any(self._places(line) and line.has_lf for line in LineReader(self._transcript.stream))

    def run(self, old: Record | None) -> Summary:
        """Lift the complete lines beyond what `old` is about, copy the rest; return the record's summary."""
        begin = self._keep(old) if old is not None else 0
        end = self._lines(begin)
        summary = Summary(
            text_of(str(self._transcript.path)),
            self._agent,
            self._earlier + self.bodies,
            self._source_bytes,
            self._source.hexdigest(),
            self._text.size,
            self._text.sha256,
        )
        self._log.write(msgspec.json.encode(summary) + b"\n")
        for piece in self._transcript.windows(end, self._transcript.size):
            self._text.write(piece)
        return summary

    def _keep(self, old: Record) -> int:
        """Take over what an earlier run lifted; return where it ends."""
        for piece in restored(self._transcript, old, self._store):
            self._see(piece)
        for piece in self._transcript.windows(0, old.summary.lifted_bytes):
            self._text.write(piece)
        for splice in old.splices():
            self._log.write(msgspec.json.encode(splice) + b"\n")
        self._earlier = old.summary.bodies
        return old.summary.lifted_bytes

    def _lines(self, begin: int) -> int:
        """Rewrite the complete lines from a byte on; return where they end."""
        self._transcript.stream.seek(begin)
        end = begin
        for line in LineReader(self._transcript.stream):
            places = self._places(line)
            if not line.has_lf or end + line.byte_len > self._transcript.size:
                break
            if places or line.data is None:
                self._rewrite(end, line.byte_len, places)
            else:
                self._copy(line.data + b"\n")
            end += line.byte_len
        return end

    def _places(self, line: Line) -> list[BodyLocation]:
        if line.data is not None:
            worth = line.has_lf and may_hold_bodies(self._agent, line.data)
            return body_locations(self._agent, line.data) if worth else []
        finder = Finder(shape_of(self._agent))
        for piece in windows(line.pieces()):
            finder.feed(piece)
        return finder.finish()

    def _rewrite(self, start: int, size: int, places: list[BodyLocation]) -> None:
        """Write the line that begins at byte `start` with sentinels in the place of its bodies."""
        done = start
        for place in places:
            self._copy_range(done, start + place.span.start)
            self._lift(start, place)
            done = start + place.span.end
        self._copy_range(done, start + size)

    def _lift(self, start: int, place: BodyLocation) -> None:
        lifted = lift_value(self._store, self._transcript.windows, start, place, self._source)
        self._source_bytes += place.span.end - place.span.start
        at = self._text.size
        self._text.write(sentinel_for(place, lifted.body.sha256, lifted.body.bytes))
        splice = Splice(at, self._text.size, lifted.sha256, lifted.spelling, lifted.prefix)
        self._log.write(msgspec.json.encode(splice) + b"\n")
        self.bodies += 1
        self.new_bodies += lifted.body.is_new

    def _copy_range(self, start: int, end: int) -> None:
        for piece in self._transcript.windows(start, end):
            self._copy(piece)

    def _copy(self, piece: bytes) -> None:
        self._see(piece)
        self._text.write(piece)

    def _see(self, piece: bytes) -> None:
        self._source.update(piece)
        self._source_bytes += len(piece)
