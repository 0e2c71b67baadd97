"""Codex: the records of one rollout -> rows of every table (parser.md 1.4).

A turn is everything from the first item on the assistant's side until the next user item; context and system rows
close it too, messages of other agents do not. Most events repeat items and are read in `entries` only.
"""

from __future__ import annotations

from collections.abc import Callable, Set

from tracelake.decode.codex import FORM, Named, Payload, Record, payload_of, subagent_of
from tracelake.decode.codex_types import is_context
from tracelake.decode.content import Source, content_parts
from tracelake.decode.json_rules import str_of
from tracelake.decode.lenient import lenient_decode
from tracelake.decode.parse import REFUSALS
from tracelake.decode.raws import string_of
from tracelake.fold.bodies import text_bytes
from tracelake.fold.codex_calls import CodexCalls
from tracelake.fold.codex_entries import Chain, block_rows, entry_row, item_text, reasoning_texts
from tracelake.fold.codex_events import event_of
from tracelake.fold.codex_opening import Opening
from tracelake.fold.codex_results import exit_code_of, says_failed
from tracelake.fold.codex_usage import TokenCounter, Where
from tracelake.fold.facts import Facts, Spawn
from tracelake.fold.line_fold import LineFold, joined_bytes
from tracelake.fold.place import Place
from tracelake.fold.rows import Rows
from tracelake.fold.turn import Turn
from tracelake.tables.rows import EntryRow, TokenUsageRow

Handler = Callable[["CodexFold", Place, Payload], None]


class CodexFold(LineFold):
    """Folds one rollout."""

    form = FORM

    def __init__(self, rows: Rows, is_agent_file: bool, wanted_calls: Set[str] = frozenset()) -> None:
        """Write to `rows`; whether the thread is a sub-agent's is what its header says."""
        super().__init__(rows, False, wanted_calls)
        self._opening = Opening(self.turns)
        self._counter = TokenCounter()
        self._chain = Chain()
        self._tools = CodexCalls(self)
        self._model: str | None = None
        self._service_tier: str | None = None
        self._began = False
        self._seen_user = False
        self._texts: dict[str, str] = {}

    def finish(self) -> Facts:
        """Emit what is held back, open or pending, and return the facts of the file."""
        self._opening.settle("")
        return super().finish()

    def outcome(self, text: str | None) -> tuple[int | None, bool | None]:
        """Return the exit code that the text of a result states, and whether it says that its call failed."""
        if text is None:
            return None, None
        exit_code = exit_code_of(text)
        return exit_code, says_failed(text, exit_code)

    def record(self, place: Place, record: Record) -> EntryRow:
        """Take one line."""
        value = place.decoded.values[place.record_no]
        self._counter.first_line(value)
        line_type, payload = payload_of(record, value)
        if line_type == "session_meta":
            self._header(payload)
        opens = self.is_sidechain and not self._seen_user
        row = entry_row(place, record, line_type, payload, self.is_sidechain, opens)
        row.uuid, row.parent_uuid = self._chain.link(line_type, payload)
        self._seen_user = self._seen_user or row.user_kind in ("prompt", "subagent_prompt")
        if payload.model and not (payload.type or "").startswith("collab_"):
            self._model = payload.model
        handle = _LINES.get(line_type)
        if handle is not None:
            handle(self, place, payload)
        return row

    def turn(self, place: Place) -> Turn:
        """Return the open turn; one is opened where there is none."""
        turn = self.turns.open
        if turn is None:
            self._opening.settle("assistant")
            turn = self.turns.open = Turn(self.start("assistant", place), None)
            turn.row.model = self._model
        place.ordinal = turn.row.ordinal
        turn.row.last_line_no = place.line.line_no
        return turn

    # -- headers and contexts --------------------------------------------------------------------

    def _header(self, payload: Payload) -> None:
        """The first header tells whose thread it is; those that follow are copies."""
        self._counter.header(payload)
        if self._began:
            return
        self._began = True
        spawn = subagent_of(payload)
        self.is_sidechain = spawn is not None
        if spawn is not None:
            named = (spawn.agent_path or "").rpartition("/")[2]
            name = named if named not in ("", "root") else spawn.agent_nickname
            self.facts.spawn = Spawn(spawn.parent_thread_id, spawn.agent_role or name, name, spawn.depth)

    def _session_meta(self, place: Place, payload: Payload) -> None:
        self._changed("system", place, "base_instructions", _text_or_string(bytes(payload.base_instructions)))

    def _turn_context(self, place: Place, payload: Payload) -> None:
        self._counter.turn(payload.turn_id)
        self._service_tier = payload.service_tier
        settings = payload.collaboration_mode.settings if payload.collaboration_mode else None
        self._changed("context", place, "developer_instructions", settings.developer_instructions if settings else None)

    def _world_state(self, place: Place, payload: Payload) -> None:
        text = _text_or_string(bytes(payload.state.agents_md)) if payload.state else None
        self._changed("context", place, "agents_md", text)

    def _changed(self, role: str, place: Place, name: str, text: str | None) -> None:
        """Emit a row for a text that stands before the model, when it is another than before."""
        if text and self._texts.get(name) != text:
            self._texts[name] = text
            self._emit(role, place, text)

    def _emit(self, role: str, place: Place, text: str) -> None:
        row = self.start(role, place)
        row.content = text
        if role == "user":
            self._opening.emit_user(row)
        else:
            self._opening.settle(role)
            self.turns.emit(row)

    def _compacted(self, place: Place, payload: Payload) -> None:
        self.event(place, "compaction", {})

    # -- items -----------------------------------------------------------------------------------

    def _item(self, place: Place, payload: Payload) -> None:
        handle = _ITEMS.get(payload.type or "") or _ROLES.get(payload.role or "")
        if handle is not None:
            handle(self, place, payload)
        self.rows.blocks += block_rows(place, payload, self.is_sidechain)

    def _user(self, place: Place, payload: Payload) -> None:
        self._opening.user_item()
        text = item_text(payload)
        if is_context(text):
            self._emit("context", place, text)
            return
        self._emit("user", place, text)
        for index, part in enumerate(content_parts(bytes(payload.content))):
            self.blob(place, index, "user_image", Source(data=part.image_url))

    def _assistant(self, place: Place, payload: Payload) -> None:
        turn = self.turn(place)
        text = item_text(payload)
        if text:
            turn.texts.append(text)
        turn.row.model = self._model or turn.row.model
        turn.row.message_id = turn.row.message_id or payload.id

    def _agent_message(self, place: Place, payload: Payload) -> None:
        """A message of another agent: a context row of its own beside the open turn."""
        text = item_text(payload)
        if text:
            self._opening.settle("context")
            row = self.start("context", place)
            row.content = text
            self.turns.out.append(row)

    def _reasoning(self, place: Place, payload: Payload) -> None:
        turn, cuts = self.turn(place), place.decoded.cuts
        turn.row.has_thinking = True
        texts = reasoning_texts(payload)
        turn.row.thinking_plain_bytes += joined_bytes(texts, cuts)
        turn.row.thinking_encrypted_bytes += text_bytes(payload.encrypted_content, cuts)
        if texts:
            turn.thoughts.append("\n".join(texts))

    def _call(self, place: Place, payload: Payload) -> None:
        self._tools.call(place, payload)

    def _output(self, place: Place, payload: Payload) -> None:
        self._tools.output(place, payload)

    def _searched(self, place: Place, payload: Payload) -> None:
        if string_of(payload.status) == "completed":
            self._tools.search_completed(place)

    def _generated(self, place: Place, payload: Payload) -> None:
        self.turn(place).row.has_tool_use = True
        self._tools.generated_image(place, payload)

    # -- events ----------------------------------------------------------------------------------

    def _event(self, place: Place, payload: Payload) -> None:
        handle = _EVENTS.get(payload.type or "")
        if handle is not None:
            handle(self, place, payload)
            return
        event = event_of(payload)
        if event is not None:
            self.event(place, *event)

    def _token_count(self, place: Place, payload: Payload) -> None:
        if payload.info is not None:
            self._add_usage(self._counter.count(place, payload.info, self._where()))

    def _usage_record(self, place: Place, payload: Payload) -> None:
        self._add_usage(self._counter.record(place, payload, self._where()))

    def _where(self) -> Where:
        open_turn = self.turns.open
        ordinal = open_turn.row.ordinal if open_turn is not None else None
        return Where(self._model, ordinal, self.is_sidechain, self._service_tier)

    def _add_usage(self, row: TokenUsageRow | None) -> None:
        if row is not None:
            self.usage(row)

    def _turn_begins(self, place: Place, payload: Payload) -> None:
        self._counter.turn(payload.turn_id)

    def _settings(self, place: Place, payload: Payload) -> None:
        """A change of the thread's settings; a turn that follows repeats it."""
        if payload.thread_settings is not None:
            self._service_tier = payload.thread_settings.service_tier

    def _streamed(self, place: Place, payload: Payload) -> None:
        if not payload.text:
            return
        turn = self.turn(place)
        turn.row.has_thinking = True
        turn.streamed.append(payload.text)

    def _search_end(self, place: Place, payload: Payload) -> None:
        self._tools.search_end(place, payload)

    def _mcp_end(self, place: Place, payload: Payload) -> None:
        self._tools.mcp_end(place, payload)

    def _image_event(self, place: Place, payload: Payload) -> None:
        self._tools.event_images(place, payload)


def _text_or_string(raw: bytes) -> str | None:
    """Return the `text` of an object, or a string itself."""
    if raw[:1] == b'"':
        return str_of(raw)
    if raw[:1] != b"{":
        return None
    try:
        found: Named = lenient_decode(raw, Named)
    except REFUSALS:
        return None
    return found.text


_LINES: dict[str, Handler] = {
    "session_meta": CodexFold._session_meta,
    "turn_context": CodexFold._turn_context,
    "world_state": CodexFold._world_state,
    "compacted": CodexFold._compacted,
    "response_item": CodexFold._item,
    "event_msg": CodexFold._event,
    "token_usage_record": CodexFold._usage_record,
}
_ITEMS: dict[str, Handler] = {
    "function_call": CodexFold._call,
    "custom_tool_call": CodexFold._call,
    "function_call_output": CodexFold._output,
    "custom_tool_call_output": CodexFold._output,
    "image_generation_call": CodexFold._generated,
    "web_search_call": CodexFold._searched,
    "reasoning": CodexFold._reasoning,
    "agent_message": CodexFold._agent_message,
}
_ROLES: dict[str, Handler] = {"user": CodexFold._user, "assistant": CodexFold._assistant}
_EVENTS: dict[str, Handler] = {
    "token_count": CodexFold._token_count,
    "task_started": CodexFold._turn_begins,
    "turn_started": CodexFold._turn_begins,
    "thread_settings_applied": CodexFold._settings,
    "agent_reasoning": CodexFold._streamed,
    "web_search_end": CodexFold._search_end,
    "mcp_tool_call_end": CodexFold._mcp_end,
    "image_generation_end": CodexFold._image_event,
    "user_message": CodexFold._image_event,
}
