"""Bodies that were lifted out of a transcript: their sentinels say what there is to know (parser.md 4.1).

A lifted body has its size, hash and media type, for inputs also file path and detail, but no text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from tracelake.bodies.sentinel import Sentinel, read_sentinel
from tracelake.decode.content import flatten_result, result_parts
from tracelake.decode.cuts import Cut
from tracelake.fold.bodies import measure_joined, measure_source
from tracelake.fold.guard import Faults
from tracelake.fold.inputs import NO_FACTS, InputFacts, input_facts


class InputBody(NamedTuple):
    """A JSON input as a call records it; `known` is JSON text that says as much of it as is known."""

    text: str | None
    size: int
    sha256: str | None
    media_type: str | None
    facts: InputFacts
    known: bytes


class ResultBody(NamedTuple):
    """A result as it is recorded; `text` is None when it was lifted."""

    text: str | None
    size: int
    sha256: str | None
    media_type: str


def input_body(raw: bytes, cuts: Mapping[str, Cut]) -> InputBody:
    """Return what an input's JSON value says, be it the input itself or a sentinel."""
    sentinel = read_sentinel(raw)
    if sentinel is not None:
        return lifted_input(sentinel)
    size, sha256 = measure_source(raw, cuts) if raw else (0, None)
    media_type = "application/json" if raw else None
    return InputBody(raw.decode() if raw else None, size, sha256, media_type, input_facts(raw), raw)


def lifted_input(sentinel: Sentinel) -> InputBody:
    """Return what a sentinel says of an input.

    Its detail is the command of a shell call, as far as it was not too long; other inputs have no `command`. An
    empty input is no body (parser.md 3.4).
    """
    if not sentinel.bytes:
        return InputBody(None, 0, None, None, NO_FACTS, b"")
    facts = InputFacts(sentinel.file_path, sentinel.detail, False)
    told = {"file_path": sentinel.file_path, "command": sentinel.detail}
    known = msgspec.json.encode({key: text for key, text in told.items() if text is not None})
    return InputBody(None, sentinel.bytes, sentinel.sha256 or None, sentinel.media_type or None, facts, known)


def result_body(raw: bytes, cuts: Mapping[str, Cut], faults: Faults) -> ResultBody:
    """Return a result flattened to text (parser.md 3.5), or what its sentinel says.

    One that is nested too deeply to be read keeps its source text, and `faults` says so.
    """
    sentinel = read_sentinel(raw)
    if sentinel is not None:
        return ResultBody(None, sentinel.bytes, sentinel.sha256 or None, sentinel.media_type or "text/plain")
    try:
        body, media_type = flatten_result(raw)
    except (msgspec.MsgspecError, RecursionError):
        faults.append("a result is nested too deeply to decode")
        return ResultBody(raw.decode(), *measure_source(raw, cuts), "application/json")
    if cuts and raw[:1] == b"{":
        return ResultBody(body, *measure_source(raw, cuts), media_type)
    parts = [part.text for part in result_parts(raw)] if cuts and raw[:1] == b"[" else []
    return ResultBody(body, *measure_joined(body, parts, cuts), media_type)
