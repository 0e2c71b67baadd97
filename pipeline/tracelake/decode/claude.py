"""The records of a Claude Code transcript as typed Structs.

Strict decoding fills them straight from the bytes; `tracelake.decode.lenient` fills the same Structs by the
J rules when a value has another type than the one declared here. Unknown keys are skipped: the exact
bytes of every line are in `raw_lines`.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET, Raw, UnsetType

from tracelake.decode.content import Source
from tracelake.decode.lenient import lenient_decode
from tracelake.decode.parse import Form
from tracelake.decode.raws import NO_RAW as NO_RAW
from tracelake.decode.raws import Int64 as Int64
from tracelake.decode.raws import any_value as any_value
from tracelake.decode.raws import present as present
from tracelake.decode.raws import text_of as text_of


class Block(msgspec.Struct, gc=False):
    """One element of a message's content list; a bare string is a BareText."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    data: str | None = None
    id: str | None = None
    name: str | None = None
    input: Raw = NO_RAW
    tool_use_id: str | None = None
    is_error: bool | None = None
    content: Raw = NO_RAW
    source: Source | None = None
    title: str | None = None
    from_model: Raw = msgspec.field(default=NO_RAW, name="from")
    to: Raw = NO_RAW
    trigger: Raw = NO_RAW

    @property
    def bare(self) -> bool:
        """Whether the element is a string that stands for a text block."""
        return False


class BareText(Block, gc=False):
    """A bare string in a content list, its text in `text`; made by lenient decoding only."""

    @property
    def bare(self) -> bool:
        """Return True."""
        return True


class InvalidList(list[Block]):
    """Content that a strict reader takes as an empty list; made by lenient decoding only."""


class CacheCreation(msgspec.Struct, gc=False):
    """Cache writes by lifetime."""

    ephemeral_5m_input_tokens: Int64 | None = None
    ephemeral_1h_input_tokens: Int64 | None = None

    def after_lenient(self, found: dict[str, bytes]) -> None:
        """Take a value for one hour that is no integer as not reported (parser.md 8.5)."""
        if not found.get("ephemeral_1h_input_tokens", b"").removeprefix(b"-").isdigit():
            self.ephemeral_1h_input_tokens = None


class ServerToolUse(msgspec.Struct, gc=False):
    """Requests the server made for its own tools."""

    web_search_requests: Int64 | None = None
    web_fetch_requests: Int64 | None = None


class OutputDetails(msgspec.Struct, gc=False):
    """Parts of the output."""

    thinking_tokens: Int64 | None = None


class Iteration(msgspec.Struct, gc=False):
    """One attempt or side call behind a usage record."""

    type: str | None = None
    model: str | None = None
    input_tokens: Int64 | None = None
    output_tokens: Int64 | None = None
    cache_read_input_tokens: Int64 | None = None
    cache_creation_input_tokens: Int64 | None = None
    cache_creation: CacheCreation | None = None


class Usage(msgspec.Struct, gc=False):
    """Token counts of one API response."""

    input_tokens: Int64 | None = None
    output_tokens: Int64 | None = None
    cache_read_input_tokens: Int64 | None = None
    cache_creation_input_tokens: Int64 | None = None
    cache_creation: CacheCreation | None = None
    output_tokens_details: OutputDetails | None = None
    server_tool_use: ServerToolUse | None = None
    iterations: list[Iteration] | None = None
    speed: str | None = None
    service_tier: str | None = None
    inference_geo: str | None = None


class Message(msgspec.Struct, gc=False):
    """One model message."""

    id: str | None = None
    role: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    content: str | list[Block] | None = None
    usage: Usage | None | UnsetType = UNSET

    @property
    def list_valid(self) -> bool:
        """Whether a strict reader takes the content list as it is, not as empty."""
        return not isinstance(self.content, InvalidList)

    def after_lenient(self, found: dict[str, bytes]) -> None:
        """Repair what the generic rules cannot: bare strings and the strictness of the list."""
        from tracelake.decode.claude_lists import repair_content

        repair_content(self, found.get("content", b"null"))


class Record(msgspec.Struct, rename="camel", gc=False):
    """One JSON object of a transcript, as far as any table needs it."""

    type: str | None = None
    subtype: str | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    logical_parent_uuid: str | None = None
    timestamp: str | None = None
    session_id: str | None = None
    stream_session_id: str | None = msgspec.field(default=None, name="session_id")
    is_sidechain: bool | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_visible_in_transcript_only: bool | None = None
    agent_id: str | None = None
    request_id: str | None = None
    prompt_id: str | None = None
    prompt_source: str | None = None
    origin: Raw = NO_RAW
    tool_denial_kind: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    version: str | None = None
    message: Message | None = None
    attachment: Raw = NO_RAW
    tool_use_result: Raw = NO_RAW
    data: Raw = NO_RAW
    attribution_agent: str | None = None
    attribution_skill: str | None = None
    attribution_plugin: str | None = None
    cost_usd: Raw = msgspec.field(default=NO_RAW, name="costUSD")
    hook_errors: list[str] | None = None
    tool_use_id: str | None = msgspec.field(default=None, name="toolUseID")
    parent_tool_use_id: str | None = msgspec.field(default=None, name="parentToolUseID")
    # system lines
    compact_metadata: Raw = NO_RAW
    duration_ms: Raw = NO_RAW
    message_count: Raw = NO_RAW
    error: Raw = NO_RAW
    retry_attempt: Raw = NO_RAW
    max_retries: Raw = NO_RAW
    hook_count: Raw = NO_RAW
    prevented_continuation: Raw = NO_RAW
    stop_reason: str | None = None
    trigger: str | None = None
    original_model: str | None = None
    fallback_model: str | None = None
    api_refusal_category: str | None = None
    api_refusal_explanation: str | None = None
    # control lines
    mode: str | None = None
    permission_mode: str | None = None
    ai_title: str | None = None
    custom_title: str | None = None
    agent_name: str | None = None
    leaf_uuid: str | None = None
    last_prompt: str | None = None
    bridge_session_id: str | None = None
    last_sequence_num: Int64 | None = None
    operation: str | None = None
    content: Raw = NO_RAW
    summary: str | None = None
    pr_number: Int64 | None = None
    pr_url: str | None = None
    pr_repository: str | None = None
    continued_in_session_id: str | None = None
    forked_from: Raw = NO_RAW
    # the program's own cost: cost-state lines, then result lines
    running_cost_usd: Raw = msgspec.field(default=NO_RAW, name="totalCostUSD")
    has_unknown_model_cost: bool | None = None
    total_cost_usd: Raw = msgspec.field(default=NO_RAW, name="total_cost_usd")
    model_usage: Raw = NO_RAW

    @property
    def own_session_id(self) -> str | None:
        """The session id the record names, in either spelling."""
        return self.session_id or self.stream_session_id

    @property
    def forked_from_session_id(self) -> str | None:
        """The session that the line says it was copied from."""
        if self.forked_from is NO_RAW:
            return None
        raw = bytes(self.forked_from)
        return lenient_decode(raw, Origin).session_id if raw[:1] == b"{" else None


class Origin(msgspec.Struct, rename="camel", gc=False):
    """Where a copied line comes from."""

    session_id: str | None = None


class Copied(msgspec.Struct, rename="camel", gc=False):
    """The record of a sub-agent that a progress line repeats."""

    uuid: str | None = None
    parent_uuid: str | None = None
    timestamp: str | None = None
    request_id: str | None = None
    message: Message | None = None


class Progress(msgspec.Struct, gc=False):
    """The payload of a progress line."""

    message: Copied | None = None


KEPT_TYPES: dict[str, str] = {
    "type": "string",
    "uuid": "string",
    "timestamp": "string",
    "sessionId": "string",
    "cwd": "string",
    "subtype": "string",
    "parentUuid": "string",
    "logicalParentUuid": "string",
    "isSidechain": "boolean",
    "isMeta": "boolean",
    "isCompactSummary": "boolean",
    "isVisibleInTranscriptOnly": "boolean",
    "hookErrors": "list of strings",
}
"""Fields whose type strict reading insists on (E-3)."""

FORM = Form(Record, KEPT_TYPES)
"""How Claude Code spells its records."""
