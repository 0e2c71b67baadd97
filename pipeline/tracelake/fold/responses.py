"""Responses: which lines of a file are one answer, where the lines name no request (accounting.md 1).

A message id alone is no identity: gateways give every answer the same one.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import NamedTuple

_REMEMBERED = 64
"""Message ids, and lines of each, that are kept in mind: an answer is written within a few lines of its beginning."""


class AnswerLine(NamedTuple):
    """What a line says of the answer it belongs to; `prompt_tokens` is the size of the prompt, 0 where not said."""

    message_id: str
    request_id: str | None
    line_no: int
    uuid: str | None
    parent_uuid: str | None
    prompt_tokens: int


class _Answer:
    __slots__ = ("has_unnamed_line", "key", "prompt_tokens", "request_id", "user_lines", "uuids")

    def __init__(self, key: str) -> None:
        self.key = key
        self.request_id: str | None = None
        self.has_unnamed_line = False
        self.prompt_tokens = 0
        self.user_lines = 0
        self.uuids: deque[str] = deque(maxlen=_REMEMBERED)


class Responses:
    """Follows the answers of one conversation, line by line."""

    def __init__(self) -> None:
        """Start before the first line."""
        self._answers: OrderedDict[str, _Answer] = OrderedDict()
        self._user_lines = 0

    def user(self) -> None:
        """Take a typed prompt or a line with a tool result: what follows is another answer, unless it says not."""
        self._user_lines += 1

    def key(self, line: AnswerLine) -> str | None:
        """Take a line of an answer and return the answer's key: uuid of its first line, else that line's number.

        A line goes on with the last answer of its message id where its parent is a line of it or no user line lies
        between, unless they name different requests or prompts of different size. Returns None where the line's own
        request id says all there is to know.
        """
        answer = self._answers.get(line.message_id)
        if answer is None or not self._continues(answer, line):
            answer = self._answers[line.message_id] = _Answer(line.uuid or str(line.line_no))
        self._answers.move_to_end(line.message_id)
        if len(self._answers) > _REMEMBERED:
            self._answers.popitem(last=False)
        answer.user_lines = self._user_lines
        answer.prompt_tokens = line.prompt_tokens or answer.prompt_tokens
        answer.request_id = line.request_id or answer.request_id
        answer.has_unnamed_line = answer.has_unnamed_line or not line.request_id
        if line.uuid:
            answer.uuids.append(line.uuid)
        return answer.key if answer.has_unnamed_line or not line.uuid else None

    def _continues(self, answer: _Answer, line: AnswerLine) -> bool:
        if line.request_id and answer.request_id and line.request_id != answer.request_id:
            return False
        if line.prompt_tokens > 0 and answer.prompt_tokens > 0 and line.prompt_tokens != answer.prompt_tokens:
            return False
        return answer.user_lines == self._user_lines or line.parent_uuid in answer.uuids
