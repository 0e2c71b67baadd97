"""Claude Code records -> rows of `agent_signals`: the exact rule (B-1, B-2), and everything beyond it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec
from msgspec import Raw

from tracelake.decode.claude import Block, Record
from tracelake.decode.claude_lists import flatten_result
from tracelake.decode.json_rules import str_of
from tracelake.decode.lenient import elements, members
from tracelake.fold import notices, teammates
from tracelake.fold.answer_texts import FOREIGN, TOOLS, signals_of
from tracelake.fold.answers import TASK_KINDS, Answer, Found, first_string
from tracelake.fold.place import Place
from tracelake.fold.rows import Rows
from tracelake.fold.signal_rows import About, SignalRows


class _Call(NamedTuple):
    """A tool call that waits for its result."""

    name: str
    input: Raw


_OTHER = _Call("", Raw(b""))
"""Any call whose result says nothing about background tasks."""


class SignalObserver:
    """Looks for signals in the records of one file; memory holds the calls that wait for their results."""

    def __init__(self) -> None:
        """Start with no calls."""
        self._rows = SignalRows()
        self._calls: dict[str, _Call] = {}
        self._readers: dict[str | None, Callable[[Record], None]] = {
            "assistant": self._assistant,
            "user": self._user,
            "attachment": self._attachment,
            "queue-operation": self._queue,
        }

    def record(self, rows: Rows, place: Place, record: Record) -> None:
        """Take one record of a line."""
        read = self._readers.get(record.type)
        if read is not None:
            self._rows.begin(rows, place, record)
            read(record)
            self._rows.end()

    def finish(self, rows: Rows) -> None:
        """Emit nothing: no signal is held back."""

    # -- records ---------------------------------------------------------------------------------

    def _assistant(self, record: Record) -> None:
        content = record.message.content if record.message is not None else None
        if not isinstance(content, list):
            return
        for block in content:
            if block.type == "tool_use" and block.id:
                name = block.name or ""
                wanted = name in TOOLS or name.startswith(FOREIGN)
                self._calls[block.id] = _Call(name, block.input) if wanted else _OTHER

    def _user(self, record: Record) -> None:
        content = record.message.content if record.message is not None else None
        if isinstance(content, str):
            self._text(record, content, "user_text")
            return
        for index, block in enumerate(content or ()):
            if block.type == "tool_result":
                self._result(record, index, block)
            elif block.type == "text" and block.text:
                self._text(record, block.text, "user_block", index)

    def _attachment(self, record: Record) -> None:
        raw = bytes(record.attachment)
        if b"-notification" in raw:
            found = _object(raw)
            mode = first_string(found, ("commandMode",))
            if first_string(found, ("type",)) == "queued_command" and mode == "task-notification":
                for text in _texts(found.get("prompt", b"")):
                    self._text(record, text, "queued_command")
        elif b'"task_status"' in raw:
            self._task_status(_object(raw))

    def _task_status(self, found: dict[str, bytes]) -> None:
        status, task = first_string(found, ("status",)), first_string(found, ("taskId",))
        if first_string(found, ("type",)) == "task_status" and status in notices.TERMINAL and task:
            kind = TASK_KINDS.get(first_string(found, ("taskType",)))
            about = About(description=first_string(found, ("description",)) or None)
            self._rows.emit(Found("ended", kind, task, status, "task_status"), about)

    def _queue(self, record: Record) -> None:
        raw = bytes(record.content)
        if b"-notification" in raw:
            for text in _texts(raw):
                self._text(record, text, "queue_operation")

    def _text(self, record: Record, text: str, carrier: str, index: int = -1) -> None:
        if notices.MARK in text:
            for notice in notices.ends(text):
                key = notices.signal_key(record.uuid, text, notice.agent_id)
                about = About(index, key, notice.tool_use_id, None, notice.notice_key, notice.summary)
                self._rows.emit(Found("ended", notice.target_kind, notice.agent_id, notice.status, carrier), about)
        elif teammates.OPENING in text:
            for name in teammates.ended_teammates(text):
                mate = self._rows.teammate(name)
                self._rows.emit(Found("ended", "teammate", mate, "stopped", "teammate_message"), About(index))

    # -- results ---------------------------------------------------------------------------------

    def _result(self, record: Record, index: int, block: Block) -> None:
        call = self._calls.pop(block.tool_use_id or "", None)
        if call is _OTHER:
            return
        evidence, content = bytes(record.tool_use_result), bytes(block.content)
        if _says_nothing(call, evidence, content):
            return
        answer = Answer(
            call.name if call else None,
            bool(block.is_error),
            _object(bytes(call.input)) if call else {},
            _object(evidence) if _results_on_line(record) == 1 else {},
            flatten_result(content)[0],
        )
        description = answer.says("description") or answer.asks("description", "name") or None
        for found in signals_of(answer):
            key = f"{record.uuid or block.tool_use_id or ''}:{found.agent_id}"
            self._rows.emit(found, About(index, key, block.tool_use_id, answer.tool_name, None, description))


def _results_on_line(record: Record) -> int:
    content = record.message.content if record.message is not None else None
    return sum(block.type == "tool_result" for block in content) if isinstance(content, list) else 0


def _says_nothing(call: _Call | None, evidence: bytes, content: bytes) -> bool:
    """Return whether a result can be passed over without decoding it."""
    if call is None:
        return evidence[:1] != b"{"
    if call.name == "Bash":
        return b'"backgroundTaskId"' not in evidence and not content.startswith(b'"Command ')
    return call.name.startswith(FOREIGN) and b"moved to the background" not in content


def _object(raw: bytes) -> dict[str, bytes]:
    try:
        return members(raw)
    except (msgspec.MsgspecError, RecursionError):
        return {}


def _texts(raw: bytes) -> Iterator[str]:
    """Yield a JSON string, or the texts of a list of text blocks."""
    if raw[:1] == b'"':
        yield str_of(raw) or ""
    elif raw[:1] == b"[":
        for element in elements(raw):
            if text := first_string(_object(element), ("text",)):
                yield text
