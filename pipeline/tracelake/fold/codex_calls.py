"""Codex: calls, their results and images (parser.md 3.4 to 3.6, 4.8)."""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING

from tracelake.bodies.facts import MAX_DETAIL_BYTES
from tracelake.bodies.sentinel import read_sentinel
from tracelake.decode.codex import Payload
from tracelake.decode.content import Source, result_parts
from tracelake.decode.json_rules import str_of
from tracelake.decode.lenient import elements, members
from tracelake.decode.parse import REFUSALS
from tracelake.decode.raws import NO_RAW, present
from tracelake.fold.bodies import measure, measure_source
from tracelake.fold.calls import Result
from tracelake.fold.codex_results import command_line
from tracelake.fold.line_fold import Input
from tracelake.fold.patches import patch_paths
from tracelake.fold.place import Place

if TYPE_CHECKING:
    from tracelake.fold.codex import CodexFold


_MOST_SEARCHES = 1000
"""Open searches that are remembered."""


class CodexCalls:
    """Adds the calls of one rollout; some are known by their end event only."""

    def __init__(self, fold: CodexFold) -> None:
        """Add rows through `fold`."""
        self._fold = fold
        self._seen: set[str] = set()
        self._searches: deque[str] = deque(maxlen=_MOST_SEARCHES)

    def call(self, place: Place, payload: Payload) -> None:
        """Take a function_call or custom_tool_call item."""
        custom = payload.type == "custom_tool_call"
        raw = bytes(payload.input if custom else payload.arguments) or b"null"
        text = str_of(raw)
        media_type = "text/plain" if custom else "application/json"
        given = Input(text, media_type, patch_paths(text) if text else None, read_sentinel(raw))
        given.detail = None if custom else command_line(text, MAX_DETAIL_BYTES)
        self._add(place, payload.call_id, payload.name, given)

    def output(self, place: Place, payload: Payload) -> None:
        """Take the result of a call; Codex marks none as an error, but its text may say so."""
        raw = bytes(payload.output)
        self._fold.result(place, payload.call_id, raw, None)
        if raw[:1] == b"[" and b'"image_url"' in raw:
            for index, part in enumerate(result_parts(raw)):
                self._fold.blob(place, index, "tool_result_image", Source(data=part.image_url))

    def search_end(self, place: Place, payload: Payload) -> None:
        """Take a web_search_end event: the only trace of a search that has its query and results."""
        if not self._is_new(payload):
            return
        given = [(b'"action":', payload.action), (b'"query":', payload.query)]
        parts = [key + bytes(raw) for key, raw in given if present(raw)]
        text = (b"{" + b",".join(parts) + b"}").decode()
        self._add(place, payload.call_id, "web_search", Input(text))
        if present(payload.results):
            self._settle(place, payload, bytes(payload.results), None)
        elif payload.call_id:
            self._searches.append(payload.call_id)

    def search_completed(self, place: Place) -> None:
        """Take the item that says that a search is done: the oldest one open, as the item bears no id."""
        if self._searches:
            done = Result("ok", None, 0, None, None, place.line.line_no, place.at, None, False)
            self._fold.calls.settle(self._searches.popleft(), done)

    def mcp_end(self, place: Place, payload: Payload) -> None:
        """Take an mcp_tool_call_end event; a result with an `Err` member is an error."""
        if not self._is_new(payload):
            return
        made = payload.invocation
        arguments = bytes(made.arguments).decode() if made and made.arguments is not NO_RAW else None
        name = f"mcp__{made.server or ''}__{made.tool or ''}" if made else "mcp____"
        self._add(place, payload.call_id, name, Input(arguments))
        if present(payload.result):
            raw = bytes(payload.result)
            self._settle(place, payload, raw, _has_error(raw))

    def generated_image(self, place: Place, payload: Payload) -> None:
        """Take the image that an item or event of image generation carries."""
        raw = bytes(payload.result)
        name = re.split(r"[/\\]", payload.saved_path)[-1] if payload.saved_path else None
        if _is_image(raw):
            self._fold.blob(place, 0, "generated_image", Source(data=str_of(raw)), name)

    def event_images(self, place: Place, payload: Payload) -> None:
        """Take the images of an event; they belong to the present message, or to a turn that begins with them."""
        images = [raw for raw in elements(bytes(payload.images) or b"null") if _is_image(raw)]
        generated = payload.type == "image_generation_end" and _is_image(bytes(payload.result))
        if not (images or generated):
            return
        if self._fold.turns.anchor is None:
            self._fold.turn(place)
        if generated:
            self.generated_image(place, payload)
        for index, raw in enumerate(images):
            self._fold.blob(place, index, "user_image", Source(data=str_of(raw)))

    def _is_new(self, payload: Payload) -> bool:
        return bool(payload.call_id) and payload.call_id not in self._seen

    def _add(self, place: Place, call_id: str | None, name: str | None, given: Input) -> None:
        if call_id:
            self._seen.add(call_id)
        turn = self._fold.turn(place)
        self._fold.call(place, turn, 0, call_id, name, given)

    def _settle(self, place: Place, payload: Payload, raw: bytes, is_error: bool | None) -> None:
        """Store a result as it stands, not flattened: a string decoded, anything else as JSON."""
        cuts = place.decoded.cuts
        if raw[:1] == b'"':
            text, media_type = str_of(raw) or "", "text/plain"
            size, sha256 = measure(text, cuts)
            made = Result("", text, size, sha256, media_type, place.line.line_no, place.at)
        else:
            length, digest = measure_source(raw, cuts)
            made = Result("", raw.decode(), length, digest, "application/json", place.line.line_no, place.at)
        self._fold.settle(place, payload.call_id, is_error, made)


def _is_image(raw: bytes) -> bool:
    """Return whether a value may be an image: text, or the sentinel of one that was lifted out."""
    return raw[:1] == b'"' or read_sentinel(raw) is not None


def _has_error(raw: bytes) -> bool:
    try:
        return "Err" in members(raw)
    except REFUSALS:
        return False
