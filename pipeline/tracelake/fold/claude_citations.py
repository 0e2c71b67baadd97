"""Observer: the records of one Claude Code file -> rows of `citations` (transcript.md 6).

Whether a result may be cited is up to its call, which may come after it, and of calls with the same id the last
one counts. So results wait for the end of the file; beyond HELD_CHARACTERS those whose call is known no longer do.
"""

from __future__ import annotations

from collections import deque

from tracelake.citations.answers import QUESTION_TOOL, SEED_VERSION, answer_data, envelope_of
from tracelake.citations.bodies import bodies_any, message_texts, queued_text
from tracelake.citations.calls import CallJudge, CallVerdict
from tracelake.citations.harness_text import is_injected
from tracelake.decode.claude import Block, Record
from tracelake.fold.citation_rows import USER, Origin, ResultBody, result_rows, text_row
from tracelake.fold.claude_entries import NO_MESSAGE, blocks_of
from tracelake.fold.place import Place
from tracelake.fold.rows import Rows
from tracelake.tables.rows import CitationRow

HELD_CHARACTERS = 16 * 1024 * 1024
"""How much text of results waits for the end of the file."""

_FLAGS = (
    ("is_meta", "meta"),
    ("is_sidechain", "sidechain"),
    ("is_compact_summary", "compact_summary"),
    ("is_visible_in_transcript_only", "transcript_only"),
)


class CitationObserver:
    """Takes every record of one file."""

    def __init__(self) -> None:
        """Start a file."""
        self._judge = CallJudge()
        self._calls: dict[str, CallVerdict] = {}
        self._others: set[str] = set()
        self._held: deque[ResultBody] = deque()
        self._held_characters = 0

    def record(self, rows: Rows, place: Place, record: Record) -> None:
        """Take one record."""
        if record.type == "attachment":
            self._queued(rows, place, record)
            return
        if record.message is None:
            return
        blocks = blocks_of(record.message)
        kinds = [block.type for block in blocks]
        if "tool_use" in kinds:
            self._note_calls(place, record, blocks)
        is_user = record.type == "user"
        if is_user or "tool_result" in kinds:
            self._texts(rows, place, record, blocks, is_user)
        if self._held_characters > HELD_CHARACTERS:
            self._release(rows, only_known=True)

    def finish(self, rows: Rows) -> None:
        """Emit the results that waited."""
        self._release(rows, only_known=False)

    def _note_calls(self, place: Place, record: Record, blocks: list[Block]) -> None:
        """Remember the calls of an entry: those of other tools than questions (C-6), and whose they are (C-10)."""
        if not _is_entry(place, record):
            return
        counts = record.type == "assistant" and (record.message or NO_MESSAGE).list_valid
        for index, block in enumerate(blocks):
            if block.type != "tool_use" or not block.id:
                continue
            if block.name != QUESTION_TOOL:
                self._others.add(block.id)
            if counts:
                known = place.verdicts.get(index) if place.verdicts else None
                self._calls[block.id] = known or self._judge.judge(block.name, bytes(block.input), record.cwd)

    def _texts(self, rows: Rows, place: Place, record: Record, blocks: list[Block], is_user: bool) -> None:
        message = record.message or NO_MESSAGE
        origin = _origin(place, record, message.list_valid)
        seq = 0
        if is_user:
            for text in message_texts(message, place.decoded.values[place.record_no]):
                rows.citations.append(_typed(origin, seq, text, place))
                seq += 1
        results = [block for block in blocks if block.type == "tool_result"]
        for number, block in enumerate(results):
            folded = place.results[number] if number < len(place.results) else None
            for text in bodies_any(bytes(block.content)):
                result_seq = folded.seq if folded is not None and folded.body == text else None
                body = _body(origin, seq, block, text, result_seq)
                if len(results) == 1:
                    body = body._replace(data=answer_data(bytes(record.tool_use_result), place.faults))
                self._held.append(body)
                self._held_characters += len(text)
                seq += body.rows_at_most

    def _queued(self, rows: Rows, place: Place, record: Record) -> None:
        queued = queued_text(bytes(record.attachment))
        if queued is not None:
            text, is_prompt = queued
            origin = _origin(place, record, True)
            reasons = [*origin.user_reasons, *([] if is_prompt else ["not_a_prompt"])]
            rows.citations.append(text_row(origin, 0, USER, "queued", text, reasons))

    def _release(self, rows: Rows, only_known: bool) -> None:
        kept: deque[ResultBody] = deque()
        while self._held:
            body = self._held.popleft()
            call = self._calls.get(body.call_id or "")
            if only_known and call is None:
                kept.append(body)
                continue
            rows.citations += result_rows(body, call, (body.call_id or "") in self._others)
        self._held, self._held_characters = kept, 0


def _is_entry(place: Place, record: Record) -> bool:
    return place.decoded.is_strict and bool(record.uuid)


def _typed(origin: Origin, seq: int, text: str, place: Place) -> CitationRow:
    line = [reason for reason in origin.user_reasons if reason in ("not_strict", "no_uuid", "subagent_record")]
    rest = [reason for reason in origin.user_reasons if reason not in line]
    reasons = [*line, "injected", *rest] if is_injected(text) else origin.user_reasons
    is_entry_text = place.record_no == 0 and place.entry_text == text
    line_no = place.line.line_no if is_entry_text else None
    return text_row(origin, seq, USER, "typed", text, reasons, entry_line_no=line_no)


def _origin(place: Place, record: Record, list_valid: bool) -> Origin:
    line = [] if place.decoded.is_strict else ["not_strict"]
    if not record.uuid:
        line.append("no_uuid")
    user = list(line)
    if place.facts is not None and place.facts.is_subagent_record:
        user.append("subagent_record")
    user += [reason for name, reason in _FLAGS if getattr(record, name)]
    result = [*line, *([] if list_valid else ["list_invalid"]), *([] if record.type == "user" else ["not_user_entry"])]
    return Origin(
        place.line.line_no,
        place.record_no,
        record.uuid or None,
        place.at,
        bool(record.is_sidechain),
        tuple(user),
        tuple(result),
        record.type == "user" and list_valid,
    )


def _body(origin: Origin, seq: int, block: Block, text: str, result_seq: int | None) -> ResultBody:
    found = envelope_of(text)
    by_seed = envelope_of(text, SEED_VERSION) if found else None
    return ResultBody(origin, seq, block.tool_use_id, text, result_seq, found, by_seed, None)
