"""The typed lines of one transcript (parser.md 8.1 to 8.5); a value that is absent is None.

Values that have no fixed type are kept as the bytes of their JSON source.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec

from tracelake.decode import claude
from tracelake.decode.content import flatten_result
from tracelake.decode.lenient import elements
from tracelake.decode.parse import Form, decode_record
from tracelake.fold.claude_entries import assistant_text, user_text
from tracelake.transcripts.evidence import ResultEvidence, decode_result_evidence

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MESSAGE = Form(claude.Message, {})


class Usage(msgspec.Struct, gc=False, frozen=True):
    """Token counts of one reply: four disjoint counters, and what is said beside them (parser.md 8.5).

    `cache_write_1h` is a part of `cache_creation_input_tokens`, None where the transcript does not say; `speed` is
    as written.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_input_tokens: int = 0
    cache_read_input_tokens: int = 0
    cache_write_1h: int | None = None
    speed: str | None = None


class Block(msgspec.Struct, gc=False, frozen=True):
    """One element of a message's content list; `text` of a thinking block is its thinking."""

    type: str | None
    text: str | None
    id: str | None
    name: str | None
    input: bytes
    tool_use_id: str | None
    is_error: bool | None
    content: bytes
    raw: bytes

    @property
    def result_text(self) -> str:
        """The text of a tool result; empty for other blocks."""
        return flatten_result(self.content)[0] if self.type == "tool_result" else ""


class Message(msgspec.Struct, gc=False, frozen=True):
    """One model message; `content` is the JSON source of its content, empty where it has none."""

    id: str | None
    role: str | None
    model: str | None
    stop_reason: str | None
    usage: Usage | None
    content: bytes

    @property
    def decoded(self) -> claude.Message:
        """The content decoded, by the lenient rules where strict ones refuse it."""
        made: claude.Message = decode_record(b'{"content":' + (self.content or b"null") + b"}", [], _MESSAGE)
        return made

    @property
    def blocks(self) -> list[Block]:
        """The elements of the content list; none where the content is a string or absent."""
        content = self.decoded.content
        if not isinstance(content, list):
            return []
        return [_block(block, raw) for block, raw in zip(content, elements(self.content), strict=True)]


def _block(block: claude.Block, raw: bytes) -> Block:
    return Block(
        type=block.type,
        text=block.thinking if block.type == "thinking" else block.text,
        id=block.id,
        name=block.name,
        input=bytes(block.input),
        tool_use_id=block.tool_use_id,
        is_error=block.is_error,
        content=bytes(block.content),
        raw=raw,
    )


class Control(msgspec.Struct, gc=False, frozen=True):
    """The union of what lines say that are neither messages nor attachments (parser.md 8.2).

    `value` is the whole record where no other field shows its payload.
    """

    mode: str | None = None
    permission_mode: str | None = None
    ai_title: str | None = None
    custom_title: str | None = None
    agent_name: str | None = None
    leaf_uuid: str | None = None
    last_prompt: str | None = None
    bridge_session_id: str | None = None
    last_sequence_num: int | None = None
    operation: str | None = None
    content: str | None = None
    summary: str | None = None
    pr_number: int | None = None
    pr_url: str | None = None
    pr_repository: str | None = None
    value: bytes | None = None


class Attachment(msgspec.Struct, gc=False, frozen=True):
    """An attachment: type and payload of all, the others of a queued command only (parser.md 8.3)."""

    type: str | None
    payload: bytes
    prompt: str | None = None
    command_mode: str | None = None
    origin: bytes | None = None
    timestamp: datetime | None = None


class Line(msgspec.Struct, gc=False, frozen=True, kw_only=True):
    """One physical line, classified and decoded as far as it can be (parser.md 8.1).

    `ordinal` counts from 1, blank and damaged lines too; `status` and `error` say what is wrong with a line (E-1 to
    E-3) and `class_` is None where nothing could be decoded. `raw` is the line without its LF, None in a Reading and
    for a line over 16 MiB. Further objects on the same line are in `glued`.
    """

    ordinal: int
    byte_offset: int
    status: str
    error: str | None = None
    class_: str | None = None
    type: str | None = None
    subtype: str | None = None
    user_kind: str | None = None
    raw: bytes | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    session_id: str | None = None
    agent_id: str | None = None
    prompt_id: str | None = None
    request_id: str | None = None
    timestamp_us: int | None = None
    is_sidechain: bool = False
    is_meta: bool = False
    cwd: str | None = None
    git_branch: str | None = None
    version: str | None = None
    prompt_source: str | None = None
    origin: bytes | None = None
    tool_denial_kind: str | None = None
    tool_use_result: bytes | None = None
    message: Message | None = None
    control: Control | None = None
    attachment: Attachment | None = None
    glued: tuple[Line, ...] = ()

    @property
    def timestamp(self) -> datetime | None:
        """The line's time in UTC; None where it has none that is RFC 3339."""
        return utc(self.timestamp_us)

    @property
    def text(self) -> str:
        """Assistant prose, or the text of a user line; empty for other lines (T-1)."""
        if self.message is None:
            return ""
        message = self.message.decoded
        return (assistant_text(message) or "") if self.type == "assistant" else user_text(message)

    @property
    def evidence(self) -> ResultEvidence:
        """What the line's structured result says about the tool that ran (parser.md 8.6).

        Where the line has exactly one tool result, its text may name the exit code.
        """
        blocks = self.message.blocks if self.message is not None else []
        bodies = [block.result_text for block in blocks if block.type == "tool_result"]
        return decode_result_evidence(self.tool_use_result, bodies[0] if len(bodies) == 1 else None)


def utc(microseconds: int | None) -> datetime | None:
    """Return microseconds since 1970 as a time in UTC."""
    return None if microseconds is None else _EPOCH + timedelta(microseconds=microseconds)
