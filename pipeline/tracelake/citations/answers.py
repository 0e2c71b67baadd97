"""The user's answers inside a tool result: by wording (C-7), or as the data beside it.

The wordings are in answer_wordings.csv. Version 1 holds those of the Go package; a later version adds to the
earlier ones, and every row that rests on a wording says which version knew it.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

SEED_VERSION = 1
"""The wordings that the Go package knows."""
QUESTION_TOOL = "AskUserQuestion"


class Wordings(NamedTuple):
    """Prefixes and trailers in the order they are tried, prefixes with the version that brought them."""

    prefixes: tuple[tuple[str, int], ...]
    trailers: tuple[str, ...]


class Envelope(NamedTuple):
    """A body that a wording opens: the wording's version and the answers in it, maybe none."""

    version: int
    answers: list[str]


@cache
def wordings(version: int | None = None) -> Wordings:
    """Return the wordings up to a version, all of them by default."""
    with Path(__file__).with_name("answer_wordings.csv").open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if version is None or int(row["version"]) <= version]
    return Wordings(
        tuple((row["text"], int(row["version"])) for row in rows if row["part"] == "prefix"),
        tuple(row["text"] for row in rows if row["part"] == "trailer"),
    )


def envelope_of(body: str, version: int | None = None) -> Envelope | None:
    """Return what the wordings up to `version` find in a body; None when none of their prefixes occurs (C-7)."""
    known = wordings(version)
    for prefix, brought_by in known.prefixes:
        start = body.find(prefix)
        if start >= 0:
            return Envelope(brought_by, _answers(_cut(body[start + len(prefix) :], known.trailers)))
    return None


def _cut(rest: str, trailers: tuple[str, ...]) -> str:
    for trailer in trailers:
        end = rest.find(trailer)
        if end >= 0:
            return rest[:end]
    return rest


def _answers(rest: str) -> list[str]:
    found: list[str] = []
    while True:
        _, separator, rest = rest.partition('"="')
        if not separator:
            return found
        end = rest.find('", "')
        if end < 0 or rest.find('"="', end + 3) < 0:
            last = rest.rfind('"')
            found.append(rest if last < 0 else rest[:last])
            return found
        found.append(rest[:end])
        rest = rest[end + 3 :]


class _Data(msgspec.Struct):
    answers: dict[str, msgspec.Raw] | None = None
    annotations: dict[str, msgspec.Raw] | None = None


class _Annotation(msgspec.Struct):
    notes: str | None = None


class AnswerData(NamedTuple):
    """What a result says of the answers as data: the answers, and the notes typed beside them."""

    answers: list[str]
    notes: list[str]


def answer_data(tool_use_result: bytes, faults: list[str]) -> AnswerData | None:
    """Return the answers that a line's `toolUseResult` carries; None when it carries none.

    A multi-select answer that is a list becomes one text per label. Answers that cannot be read are named in `faults`.
    """
    if tool_use_result[:1] != b"{" or b'"answers"' not in tool_use_result:
        return None
    try:
        data = msgspec.json.decode(tool_use_result, type=_Data)
    except (msgspec.MsgspecError, RecursionError):
        return None
    answers = [text for raw in (data.answers or {}).values() for text in _texts(raw, faults)]
    if not answers:
        return None
    return AnswerData(answers, [note for raw in (data.annotations or {}).values() if (note := _note(raw))])


def _texts(raw: msgspec.Raw, faults: list[str]) -> list[str]:
    try:
        value = msgspec.json.decode(raw)
    except (msgspec.MsgspecError, RecursionError) as error:
        faults.append(f"an answer cannot be read: {error}")
        return []
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, str)]


def _note(raw: msgspec.Raw) -> str | None:
    try:
        return msgspec.json.decode(raw, type=_Annotation).notes
    except (msgspec.MsgspecError, RecursionError):
        return None
