"""StrictSignals: launches and ends of background agents by the exact rule of one file (B-1, B-2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from tracelake.decode.claude import Record
from tracelake.decode.json_rules import str_of
from tracelake.decode.lenient import members
from tracelake.fold.inputs import input_facts
from tracelake.fold.notices import OPENING, signal_key, strict_end
from tracelake.fold.verdicts import text_bodies

AGENT_TOOLS = frozenset({"Agent", "Task"})
_RECEIPT = re.compile(r"agentId:[\t\n\f\r ]*([A-Za-z0-9_-]+)")


class Signal(NamedTuple):
    """One fact about a background agent: kind is launched or ended; status is empty for a launch."""

    kind: str
    agent_id: str
    status: str
    key: str


class Placed(NamedTuple):
    """A signal and the block it comes from; -1 where the record has no blocks."""

    block_index: int
    signal: Signal


NONE: Sequence[Placed] = ()


class StrictSignals:
    """Takes the records of lines with status ok in file order; `waiting` holds the calls without an answer."""

    def __init__(self, waiting: Sequence[str] = ()) -> None:
        """Start with the calls that earlier lines left waiting."""
        self.waiting = set(waiting)

    def record(self, record: Record) -> Sequence[Placed]:
        """Return the signals of one record."""
        kind = record.type
        if kind == "assistant":
            self._calls(record)
        elif kind == "user":
            return self._user(record)
        elif kind == "attachment" and b"task-notification" in bytes(record.attachment):
            prompt = queued_notice(bytes(record.attachment))
            return self._notice(record, prompt, -1) if prompt is not None else NONE
        return NONE

    def _calls(self, record: Record) -> None:
        message = record.message
        if message is None or not isinstance(message.content, list) or not message.list_valid:
            return
        for block in message.content:
            if block.type == "tool_use" and block.name in AGENT_TOOLS and in_background(bytes(block.input)):
                self.waiting.add(block.id or "")

    def _user(self, record: Record) -> Sequence[Placed]:
        message = record.message
        content = message.content if message is not None else None
        if isinstance(content, str):
            return self._notice(record, content, -1)
        if not content or message is None or not message.list_valid:
            return NONE
        found: list[Placed] = []
        for index, block in enumerate(content):
            if block.type == "text":
                found += self._notice(record, block.text or "", index)
            elif block.type == "tool_result" and self.waiting and (block.tool_use_id or "") in self.waiting:
                self.waiting.discard(block.tool_use_id or "")
                agent_id = None if block.is_error else receipt(bytes(block.content))
                if agent_id is not None:
                    found.append(Placed(index, Signal("launched", agent_id, "", f"{record.uuid or ''}:{agent_id}")))
        return found

    def _notice(self, record: Record, text: str, index: int) -> Sequence[Placed]:
        end = strict_end(text) if OPENING in text else None
        if end is None:
            return NONE
        agent_id, status = end
        return (Placed(index, Signal("ended", agent_id, status, signal_key(record.uuid, text, agent_id))),)


def in_background(raw_input: bytes) -> bool:
    """Return whether an input has `run_in_background` true, or the string "true" (B-1)."""
    return b"run_in_background" in raw_input and input_facts(raw_input).run_in_background


def receipt(content: bytes) -> str | None:
    """Return the agent id in the first body that says `launched` and names one (B-1)."""
    for body in text_bodies(content):
        match = _RECEIPT.search(body) if "launched" in body else None
        if match is not None:
            return match[1]
    return None


def queued_notice(attachment: bytes) -> str | None:
    """Return the prompt of a queued command of mode task-notification, when it is a string (B-1)."""
    found = members(attachment)
    kind, mode = (str_of(found.get(key, b"null")) for key in ("type", "commandMode"))
    prompt = found.get("prompt", b"")
    if kind != "queued_command" or mode != "task-notification" or prompt[:1] != b'"':
        return None
    return str_of(prompt)
