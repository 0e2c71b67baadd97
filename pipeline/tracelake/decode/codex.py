"""The records of a Codex rollout as typed Structs.

A line is `{timestamp, type, payload}`; one Struct holds the members of all payloads, as none of them means two
things. Members whose type varies are captured as source text. Rollouts of early 2025 have no payload: their first
line is a bare header, the others are bare items; `payload_of` reads those as what they became later.
"""

from __future__ import annotations

import msgspec
from msgspec import Raw

from tracelake.decode.lenient import lenient_decode
from tracelake.decode.parse import REFUSALS, Form
from tracelake.decode.raws import NO_RAW, Int64


class Git(msgspec.Struct, gc=False):
    """State of the repository when the session began."""

    branch: str | None = None


class Settings(msgspec.Struct, gc=False):
    """Settings of a collaboration mode."""

    developer_instructions: str | None = None


class CollaborationMode(msgspec.Struct, gc=False):
    """How the agent works with the user."""

    mode: str | None = None
    settings: Settings | None = None


class SandboxPolicy(msgspec.Struct, gc=False):
    """What commands may touch."""

    type: str | None = None


class State(msgspec.Struct, gc=False):
    """What the client told the model of its surroundings."""

    agents_md: Raw = NO_RAW


class Named(msgspec.Struct, gc=False):
    """An object of which only a text is of interest."""

    text: str | None = None


class Counts(msgspec.Struct, gc=False):
    """Token counts; input includes what was read from the cache and written to it, output the reasoning."""

    input_tokens: Int64 | None = None
    cached_input_tokens: Int64 | None = None
    cache_write_input_tokens: Int64 | None = None
    output_tokens: Int64 | None = None
    reasoning_output_tokens: Int64 | None = None
    total_tokens: Int64 | None = None


class TokenInfo(msgspec.Struct, gc=False):
    """Counts of the last response and of the thread so far."""

    last_token_usage: Counts | None = None
    total_token_usage: Counts | None = None
    model: str | None = None


class Invocation(msgspec.Struct, gc=False):
    """A call of an MCP tool."""

    server: str | None = None
    tool: str | None = None
    arguments: Raw = NO_RAW


class Passthrough(msgspec.Struct, gc=False):
    """What an item carries along for the client."""

    turn_id: str | None = None


class ThreadSpawn(msgspec.Struct, gc=False):
    """Who started a sub-agent's thread."""

    parent_thread_id: str | None = None
    depth: Int64 | None = None
    agent_path: str | None = None
    agent_nickname: str | None = None
    agent_role: str | None = None


class Subagent(msgspec.Struct, gc=False):
    """The `subagent` member of a thread's source, where it is an object."""

    thread_spawn: ThreadSpawn | None = None
    other: str | None = None


class ThreadSettings(msgspec.Struct, gc=False):
    """The part of a thread's settings that prices depend on."""

    service_tier: str | None = None


class Payload(msgspec.Struct, gc=False):
    """The members of all kinds of payloads, as far as any table needs them."""

    type: str | None = None
    role: str | None = None
    id: str | None = None
    call_id: str | None = None
    name: str | None = None
    model: str | None = None
    content: Raw = NO_RAW
    summary: Raw = NO_RAW
    encrypted_content: str | None = None
    arguments: Raw = NO_RAW
    input: Raw = NO_RAW
    output: Raw = NO_RAW
    result: Raw = NO_RAW
    saved_path: str | None = None
    turn_id: str | None = None
    status: Raw = NO_RAW
    internal_chat_message_metadata_passthrough: Passthrough | None = None
    # events
    info: TokenInfo | None = None
    text: str | None = None
    message: Raw = NO_RAW
    images: Raw = NO_RAW
    action: Raw = NO_RAW
    query: Raw = NO_RAW
    results: Raw = NO_RAW
    invocation: Invocation | None = None
    error: Raw = NO_RAW
    reason: str | None = None
    kind: Raw = NO_RAW
    agent_thread_id: str | None = None
    duration_ms: Raw = NO_RAW
    time_to_first_token_ms: Raw = NO_RAW
    thread_name: str | None = None
    # records of one request
    response_id: str | None = None
    usage: Counts | None = None
    thread_token_usage: Counts | None = None
    # headers and contexts
    cwd: str | None = None
    cli_version: str | None = None
    git: Git | None = None
    base_instructions: Raw = NO_RAW
    forked_from_id: str | None = None
    parent_thread_id: str | None = None
    thread_source: str | None = None
    source: Raw = NO_RAW
    agent_nickname: str | None = None
    agent_path: str | None = None
    agent_role: str | None = None
    collaboration_mode: CollaborationMode | None = None
    service_tier: str | None = None
    thread_settings: ThreadSettings | None = None
    sandbox_policy: SandboxPolicy | None = None
    state: State | None = None


class Record(msgspec.Struct, gc=False):
    """One line; the members beside type and payload are those by which a bare line of early 2025 is known."""

    type: str | None = None
    timestamp: str | None = None
    payload: Payload | None = None
    record_type: str | None = None
    role: str | None = None
    id: str | None = None


FORM = Form(Record, {"type": "string", "timestamp": "string"})
"""How Codex spells its records."""

LINE_TYPES = frozenset(
    {
        "session_meta", "turn_context", "world_state", "compacted", "response_item", "event_msg", "token_usage_record",
    }
)  # fmt: skip
NO_PAYLOAD = Payload()
_decode_payload = msgspec.json.Decoder(Payload).decode


def payload_of(record: Record, value: bytes) -> tuple[str, Payload]:
    """Return the kind of a line and its payload; `value` is the record's source text.

    Bare lines give `session_meta`, `response_item` or `state`; anything else without a payload its own type.
    """
    if record.payload is not None:
        return record.type or "", record.payload
    if record.record_type is not None:
        return record.record_type, NO_PAYLOAD
    if record.role is not None or (record.type and record.type not in LINE_TYPES):
        return "response_item", _bare(value)
    if record.type is None and record.id and record.timestamp:
        return "session_meta", _bare(value)
    return record.type or "", NO_PAYLOAD


def _bare(value: bytes) -> Payload:
    try:
        return _decode_payload(value)
    except REFUSALS:
        pass
    try:
        payload: Payload = lenient_decode(value, Payload)
    except REFUSALS:
        return NO_PAYLOAD
    return payload


def subagent_of(payload: Payload) -> ThreadSpawn | None:
    """Return what a session_meta says of its sub-agent's start; None when the thread is the user's own."""
    source = bytes(payload.source)
    found = _subagent(source)
    if found is None and payload.thread_source != "subagent":
        return None
    spawn = found or ThreadSpawn()
    return ThreadSpawn(
        parent_thread_id=payload.parent_thread_id or spawn.parent_thread_id,
        depth=spawn.depth,
        agent_path=payload.agent_path or spawn.agent_path,
        agent_nickname=payload.agent_nickname or spawn.agent_nickname,
        agent_role=payload.agent_role or spawn.agent_role,
    )


class _Source(msgspec.Struct, gc=False):
    subagent: Raw = NO_RAW


def _subagent(source: bytes) -> ThreadSpawn | None:
    """Read the `subagent` member of a source: a plain name such as "review", or an object."""
    if source[:1] != b"{":
        return None
    try:
        raw = bytes(lenient_decode(source, _Source).subagent)
        if raw[:1] == b'"':
            return ThreadSpawn(agent_role=msgspec.json.decode(raw, type=str))
        if raw[:1] != b"{":
            return None
        found: Subagent = lenient_decode(raw, Subagent)
    except REFUSALS:
        return None
    return found.thread_spawn or ThreadSpawn(agent_role=found.other)
