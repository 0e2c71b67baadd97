"""Claude Code: the records of one file -> rows of every table (parser.md 1.2).

File order alone counts; parents, uuids and sidechains play no role in folding. A turn goes on over lines
with the same message id; user text, context and injected attachments close it, tool results do not.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any

from msgspec import UNSET, Raw

from tracelake.citations.calls import CallJudge
from tracelake.decode.claude import FORM, NO_RAW, Block, Message, Record, present
from tracelake.decode.claude_lists import result_parts
from tracelake.decode.claude_types import attachment_head, context_text
from tracelake.decode.json_rules import timestamp_us
from tracelake.decode.parse import Decoded
from tracelake.decode.split import GO_SPACE
from tracelake.fold.attach import attachment_row
from tracelake.fold.bodies import text_bytes
from tracelake.fold.call_rows import Called, call_row
from tracelake.fold.calls import Calls, Result
from tracelake.fold.claude_entries import (
    NO_MESSAGE,
    FirstUser,
    block_rows,
    blocks_of,
    entry_row,
    undecoded_entry,
    user_text,
)
from tracelake.fold.claude_events import event_of
from tracelake.fold.claude_observers import OBSERVERS
from tracelake.fold.claude_usage import ProgressCopies, answer_key, usage_row
from tracelake.fold.counts import add_usage
from tracelake.fold.evidence import RawForm, fill_evidence
from tracelake.fold.facts import Facts
from tracelake.fold.guard import attempt, explained, spoil
from tracelake.fold.lifted import input_body, result_body
from tracelake.fold.place import Place
from tracelake.fold.responses import Responses
from tracelake.fold.rows import Rows
from tracelake.fold.turn import Turn, Turns
from tracelake.fold.verdicts import judge
from tracelake.sources.lines import Line
from tracelake.tables.rows import EventRow, MessageRow, ToolResultRow


class ClaudeFold:
    """Folds one file. Feed every line in order, then finish; rows arrive in `rows` as they are complete."""

    form = FORM

    def __init__(self, rows: Rows, is_agent_file: bool, wanted_calls: Set[str] = frozenset()) -> None:
        """Write to `rows`.

        `is_agent_file` says that the file is a sub-agent's by name or place; which of `wanted_calls` (tool-use
        ids) it makes is gathered in `found_calls`.
        """
        self.rows = rows
        self.facts = Facts()
        self._turns = Turns(rows.messages)
        self._calls = Calls(rows.tool_calls)
        self._first_user = FirstUser(is_agent_file)
        self._wanted_calls = wanted_calls
        self.found_calls: set[str] = set()
        self.on_full: Callable[[], None] = lambda: None
        self.keeps_raw: RawForm = "text"
        self._observers = [make() for make in OBSERVERS]
        self._judge = CallJudge()
        self._responses = (Responses(), Responses())
        self._copies = ProgressCopies()
        self._results = 0
        self._events = 0

    def rebind(self, rows: Rows) -> None:
        """Send the rows that follow to `rows`; state is kept."""
        self.rows = rows
        self._turns.out = rows.messages
        self._calls.out = rows.tool_calls

    def feed(self, line: Line, decoded: Decoded) -> str:
        """Take one physical line; return its status, which a value that cannot be folded makes graver."""
        facts = self.facts
        facts.status(line.line_no, decoded.status, decoded.error)
        entry = None
        faults: list[str] = []
        for record_no, record in enumerate(decoded.records):
            at = timestamp_us(record.timestamp)
            facts.lenient(record, at)
            if decoded.is_strict:
                facts.strict(record, at)
            place = Place(line, decoded, record_no, at)
            place.facts = facts
            if record_no == 0:
                opens = self._first_user.opens(record)
                entry = attempt(place.faults, entry_row, line, decoded, record, at, opens)
                place.entry_text = entry.text if entry is not None else None
            self._record(place, record)
            if place.faults:
                faults += explained(place.faults, decoded.values[record_no])
        entry = entry or undecoded_entry(line, decoded)
        if faults:
            spoil(entry, decoded, faults)
        self.rows.entries.append(entry)
        return entry.status

    def finish(self) -> Facts:
        """Close the open turn, emit pending calls, and return the facts of the file."""
        self._turns.close()
        self._calls.finish(self.on_full)
        for observer in self._observers:
            observer.finish(self.rows)
            self.facts.models.update(getattr(observer, "models", {}))
        return self.facts

    def _record(self, place: Place, record: Record) -> None:
        """Take one record; what fails for one table leaves the others alone."""
        attempt(place.faults, self._fold, place, record)
        for observer in self._observers:
            attempt(place.faults, observer.record, self.rows, place, record)

    def _fold(self, place: Place, record: Record) -> None:
        kind = record.type
        if kind == "assistant":
            self._assistant(place, record)
        elif kind == "user":
            self._user(place, record)
        elif kind == "system":
            self._system(place, record)
        elif kind == "attachment":
            self._attachment(place, record)
        elif kind == "progress":
            copied = self._copies.row(place, record)
            if copied is not None:
                add_usage(self.rows, self.facts, copied)

    # -- user lines ------------------------------------------------------------------------------

    def _user(self, place: Place, record: Record) -> None:
        message = record.message or NO_MESSAGE
        blocks = blocks_of(message)
        self.rows.blocks += block_rows(place.line.line_no, place.record_no, record, place.at)
        results = [(index, block) for index, block in enumerate(blocks) if block.type == "tool_result"]
        for index, block in results:
            given = record.tool_use_result if len(results) == 1 else NO_RAW
            place.results.append(self._result(place, record, index, block, given))
        if results:
            self._responses[bool(record.is_sidechain)].user()
        text = user_text(message)
        has_image = any(block.type == "image" for block in blocks)
        if text.strip(GO_SPACE) or has_image:
            role = "context" if record.is_meta or record.is_compact_summary else "user"
            if role == "user":
                self._responses[bool(record.is_sidechain)].user()
            row = self._start(role, place, record)
            row.content = text
            place.ordinal = row.ordinal
            self._turns.emit(row)
        for index, block in enumerate(blocks):
            if block.type in ("image", "document"):
                carrier = "user_image" if block.type == "image" else "document"
                self._blob(place, index, carrier, block.source, block.title)

    def _start(self, role: str, place: Place, record: Record) -> MessageRow:
        return self._turns.start(role, place.line.line_no, place.record_no, place.at, bool(record.is_sidechain))

    def _result(self, place: Place, record: Record, index: int, block: Block, evidence: Raw) -> ToolResultRow:
        raw, cuts = bytes(block.content), place.decoded.cuts
        body, size, sha256, media_type = result_body(raw, cuts, place.faults)
        line_no = place.line.line_no
        row = ToolResultRow()
        row.line_no = line_no
        row.record_no = place.record_no
        row.block_index = index
        row.seq = self._results
        row.tool_use_id = block.tool_use_id
        row.is_error = block.is_error
        row.body = body
        row.body_bytes = size
        row.body_sha256 = sha256
        row.media_type = media_type
        row.occurred_at = place.at
        row.is_sidechain = bool(record.is_sidechain)
        fill_evidence(row, evidence, body, self.keeps_raw, _plain_line(place))
        self.rows.tool_results.append(row)
        self._results += 1
        status = "error" if block.is_error else "ok"
        failed = bool(block.is_error) or row.exit_code not in (None, 0)
        result = Result(status, body, size, sha256, media_type, line_no, place.at, row.seq, failed)
        strict = place.decoded.is_strict and bool(record.uuid and record.message and record.message.list_valid)
        self._calls.settle(block.tool_use_id, result, judge(strict, bool(block.is_error), raw))
        if raw[:1] == b"[" and b'"source"' in raw:
            for part in result_parts(raw):
                if part.type in ("image", "document"):
                    self._blob(place, index, "tool_result_image", part.source, None)
        return row

    # -- assistant lines -------------------------------------------------------------------------

    def _assistant(self, place: Place, record: Record) -> None:
        message = record.message or NO_MESSAGE
        self.rows.blocks += block_rows(place.line.line_no, place.record_no, record, place.at)
        turn = self._turn(place, record, message)
        row = turn.row
        place.ordinal = row.ordinal
        row.last_line_no = place.line.line_no
        if message.model:
            row.model = message.model
        if isinstance(message.content, str):
            if message.content:
                turn.texts.append(message.content)
        else:
            for index, block in enumerate(blocks_of(message)):
                self._block(place, record, turn, index, block)
        if message.usage is not UNSET:
            self._usage(place, record, message, row.ordinal)

    def _turn(self, place: Place, record: Record, message: Message) -> Turn:
        turns = self._turns
        if turns.open is not None and message.id and turns.open.message_id == message.id:
            return turns.open
        turns.close()
        row = self._start("assistant", place, record)
        row.message_id = message.id
        turns.open = Turn(row, message.id)
        return turns.open

    def _block(self, place: Place, record: Record, turn: Turn, index: int, block: Block) -> None:
        kind, row, cuts = block.type, turn.row, place.decoded.cuts
        if kind == "tool_use":
            self._call(place, record, turn, index, block)
        elif kind == "text" or block.bare:
            if block.text:
                turn.texts.append(block.text)
        elif kind == "thinking":
            row.has_thinking = True
            row.thinking_plain_bytes += text_bytes(block.thinking, cuts)
            row.thinking_signature_bytes += text_bytes(block.signature, cuts)
            if block.thinking:
                turn.thoughts.append(block.thinking)
        elif kind == "redacted_thinking":
            row.has_thinking = True
            row.thinking_redacted_bytes += text_bytes(block.data, cuts)

    def _call(self, place: Place, record: Record, turn: Turn, index: int, block: Block) -> None:
        given = input_body(bytes(block.input), place.decoded.cuts)
        verdict = self._judge.judge(block.name, given.known, record.cwd)
        place.verdicts = {**(place.verdicts or {}), index: verdict}
        turn.row.has_tool_use = True
        called = Called(index, turn.row.ordinal, turn.calls, block.id, block.name)
        row = call_row(place, called, given, self.facts.first_cwd, bool(record.is_sidechain))
        row.attribution_agent = record.attribution_agent
        row.attribution_skill = record.attribution_skill
        row.attribution_plugin = record.attribution_plugin
        row.echo = verdict.echo
        row.reads_transcript_static = verdict.reads_transcript_static
        row.reads_transcript_live = verdict.reads_transcript_live
        turn.calls += 1
        self._calls.add(row)
        if block.id and block.id in self._wanted_calls:
            self.found_calls.add(block.id)

    def _usage(self, place: Place, record: Record, message: Message, ordinal: int) -> None:
        usage = message.usage if message.usage is not UNSET else None
        row = usage_row(place.line.line_no, place.record_no, place.line.byte_offset, record, message, usage)
        row.message_ordinal = ordinal
        row.occurred_at = place.at
        row.answer_key = answer_key(self._responses[bool(record.is_sidechain)], row, record)
        add_usage(self.rows, self.facts, row)

    # -- other lines -----------------------------------------------------------------------------

    def _system(self, place: Place, record: Record) -> None:
        event = event_of(record, place.faults)
        if event is None:
            return
        kind, attrs = event
        self.rows.events.append(
            EventRow(
                line_no=place.line.line_no,
                record_no=place.record_no,
                seq=self._events,
                kind=kind,
                attrs=attrs,
                message_ordinal=self._turns.anchor,
                occurred_at=place.at,
            )
        )
        self._events += 1

    def _attachment(self, place: Place, record: Record) -> None:
        head = attachment_head(record) if present(record.attachment) else None
        text = context_text(head) if head is not None else ""
        if text:
            row = self._start("context", place, record)
            row.content = text
            self._turns.emit(row)

    def _blob(self, place: Place, index: int, carrier: str, source: Any, filename: str | None) -> None:
        row = attachment_row(place, index, self._turns.anchor, carrier, source, filename)
        if row is not None:
            self.rows.attachments.append(row)


def _plain_line(place: Place) -> bytes:
    """Return the line as raw lines hold it; nothing for one that had to be repaired or cut."""
    return place.line.data or b"" if place.decoded.status == "ok" else b""
