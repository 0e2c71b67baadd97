"""LineFold: what the folds of agents with simple lines have in common; one subclass per agent.

A subclass says how a record becomes a row of `entries`, what it says of the file, and what else it does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from typing import Any

import msgspec

from tracelake.bodies.sentinel import Sentinel
from tracelake.decode.content import Source
from tracelake.decode.cuts import Cut
from tracelake.decode.json_rules import timestamp_us
from tracelake.decode.parse import Decoded, Form
from tracelake.fold.attach import attachment_row
from tracelake.fold.bodies import measure, measure_joined, measure_source
from tracelake.fold.call_rows import Called, call_row
from tracelake.fold.calls import Calls, Result
from tracelake.fold.claude_entries import undecoded_entry
from tracelake.fold.counts import add_usage
from tracelake.fold.evidence import RawForm
from tracelake.fold.facts import Facts
from tracelake.fold.guard import attempt, explained, json_object, spoil
from tracelake.fold.inputs import NO_FACTS, input_facts
from tracelake.fold.lifted import InputBody, lifted_input, result_body
from tracelake.fold.place import Place
from tracelake.fold.rows import Rows
from tracelake.fold.turn import Turn, Turns
from tracelake.sources.lines import Line
from tracelake.tables.rows import EntryRow, EventRow, MessageRow, TokenUsageRow, ToolResultRow


class Saying(msgspec.Struct, gc=False):
    """What a record says about its file; see `tracelake.fold.facts.Said`."""

    uuid: str | None = None
    parent_uuid: str | None = None
    logical_parent_uuid: str | None = None
    timestamp: str | None = None
    is_sidechain: bool | None = None
    own_session_id: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    version: str | None = None
    prompt_id: str | None = None
    forked_from_session_id: str | None = None
    continued_in_session_id: str | None = None


class Input(msgspec.Struct, gc=False):
    """The input of a call: its canonical text, how it is spelled, and what is known beside it.

    `lifted` is what a sentinel says where the input was lifted out; the text does not count then. `detail` is what
    the call is about where no known key of the input says it.
    """

    text: str | None
    media_type: str = "application/json"
    patch_paths: list[str] | None = None
    lifted: Sentinel | None = None
    detail: str | None = None


class LineFold:
    """Folds one file. Feed every line in order, then finish; rows arrive in `rows` as they are complete."""

    form: Form

    def __init__(self, rows: Rows, is_agent_file: bool, wanted_calls: Set[str] = frozenset()) -> None:
        """Write to `rows`; `is_agent_file` says that the file is a sub-agent's by its name or place."""
        self.rows = rows
        self.facts = Facts()
        self.found_calls: set[str] = set()
        self.on_full: Callable[[], None] = lambda: None
        self.keeps_raw: RawForm = "text"
        self.turns = Turns(rows.messages)
        self.calls = Calls(rows.tool_calls)
        self.is_sidechain = is_agent_file
        self._wanted_calls = wanted_calls
        self._results = 0
        self._events = 0

    def rebind(self, rows: Rows) -> None:
        """Send the rows that follow to `rows`; state is kept."""
        self.rows = rows
        self.turns.out = rows.messages
        self.calls.out = rows.tool_calls

    def feed(self, line: Line, decoded: Decoded) -> str:
        """Take one physical line; return its status, which a value that cannot be folded makes graver."""
        self.facts.status(line.line_no, decoded.status, decoded.error)
        entry = None
        faults: list[str] = []
        for record_no, record in enumerate(decoded.records):
            place = Place(line, decoded, record_no, timestamp_us(record.timestamp))
            row = attempt(place.faults, self.record, place, record) or undecoded_entry(line, decoded)
            said = _said(row)
            self.facts.lenient(said, place.at)
            if decoded.is_strict:
                self.facts.strict(said, place.at)
            if place.faults:
                faults += explained(place.faults, decoded.values[record_no])
            entry = entry or row
        entry = entry or undecoded_entry(line, decoded)
        if faults:
            spoil(entry, decoded, faults)
        self.rows.entries.append(entry)
        return entry.status

    def record(self, place: Place, record: Any) -> EntryRow:
        """Take one record, add its rows, and return its row of `entries`."""
        raise NotImplementedError

    def finish(self) -> Facts:
        """Close the open turn, emit pending calls, and return the facts of the file."""
        self.turns.close()
        self.calls.finish(self.on_full)
        return self.facts

    def start(self, role: str, place: Place) -> MessageRow:
        """Return a new message row with the next ordinal."""
        row = self.turns.start(role, place.line.line_no, place.record_no, place.at, self.is_sidechain)
        place.ordinal = row.ordinal
        return row

    def call(self, place: Place, turn: Turn, index: int, call_id: str | None, name: str | None, given: Input) -> None:
        """Add a tool call to an open turn (parser.md 3.1)."""
        body = _input_body(given, place.decoded.cuts)
        turn.row.has_tool_use = True
        called = Called(index, turn.row.ordinal, turn.calls, call_id, name)
        row = call_row(place, called, body, self.facts.first_cwd, self.is_sidechain)
        row.patch_paths = given.patch_paths
        row.detail = row.detail or given.detail
        turn.calls += 1
        self.calls.add(row)
        if call_id and call_id in self._wanted_calls:
            self.found_calls.add(call_id)

    def result(self, place: Place, call_id: str | None, raw: bytes, is_error: bool | None) -> None:
        """Add a result that is flattened to text, and give it to its calls (parser.md 3.5)."""
        body = result_body(raw, place.decoded.cuts, place.faults)
        self.settle(place, call_id, is_error, Result("", *body, place.line.line_no, place.at))

    def settle(self, place: Place, call_id: str | None, is_error: bool | None, result: Result) -> None:
        """Add a row of `tool_results` and give the result, its status filled in, to its calls."""
        exit_code, failed = self.outcome(result.text)
        self.rows.tool_results.append(
            ToolResultRow(
                line_no=place.line.line_no,
                record_no=place.record_no,
                block_index=0,
                seq=self._results,
                tool_use_id=call_id,
                is_error=is_error,
                body=result.text,
                body_bytes=result.size,
                body_sha256=result.sha256,
                media_type=result.media_type,
                occurred_at=place.at,
                is_sidechain=self.is_sidechain,
                exit_code=exit_code,
            )
        )
        status = "error" if is_error else "ok"
        self.calls.settle(call_id, result._replace(status=status, seq=self._results, failed=is_error or failed))
        self._results += 1

    def outcome(self, text: str | None) -> tuple[int | None, bool | None]:
        """Return the exit code that the text of a result states, and whether it says that its call failed.

        The latter is None where it takes a text to tell, and there is none.
        """
        return None, False

    def event(self, place: Place, kind: str, attrs: Mapping[str, Any]) -> None:
        """Add an event; attributes that are None are left out (parser.md 1.3)."""
        text = json_object(attrs, place.faults)
        self.rows.events.append(
            EventRow(
                line_no=place.line.line_no,
                record_no=place.record_no,
                seq=self._events,
                kind=kind,
                attrs=text,
                message_ordinal=self.turns.anchor,
                occurred_at=place.at,
            )
        )
        self._events += 1

    def usage(self, row: TokenUsageRow) -> None:
        """Add a row of `token_usage` and note its model."""
        add_usage(self.rows, self.facts, row)

    def blob(self, place: Place, index: int, carrier: str, source: Source, filename: str | None = None) -> None:
        """Add an attachment to the present message, if the source holds a known blob (parser.md 4.8)."""
        row = attachment_row(place, index, self.turns.anchor, carrier, source, filename)
        if row is not None:
            self.rows.attachments.append(row)


def _said(row: Any) -> Saying:
    """Return what an entry says about its file."""
    return Saying(
        row.uuid,
        row.parent_uuid,
        row.logical_parent_uuid,
        row.timestamp_text,
        row.is_sidechain,
        row.record_session_id,
        row.cwd,
        row.git_branch,
        row.version,
        row.prompt_id,
    )


def _input_body(given: Input, cuts: Mapping[str, Cut]) -> InputBody:
    if given.lifted is not None:
        return lifted_input(given.lifted)
    raw = (given.text or "").encode()
    size, sha256 = _measure_input(given, raw, cuts)
    facts = input_facts(raw) if given.media_type == "application/json" else NO_FACTS
    return InputBody(given.text or None, size, sha256, given.media_type if raw else None, facts, raw)


def _measure_input(given: Input, raw: bytes, cuts: Mapping[str, Cut]) -> tuple[int, str | None]:
    if not raw:
        return 0, None
    if cuts and given.text not in cuts and given.media_type == "application/json":
        return measure_source(raw, cuts)
    return measure(given.text or "", cuts)


def joined_bytes(texts: Iterable[str], cuts: Mapping[str, Cut]) -> int:
    """Return the UTF-8 length of texts joined by LF, the true one if some were shortened."""
    kept = list(texts)
    return measure_joined("\n".join(kept), kept, cuts)[0]
