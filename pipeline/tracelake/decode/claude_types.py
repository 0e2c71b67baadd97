"""Which kinds of lines Claude Code writes, as closed lists (parser.md 8.1, 8.2)."""

from __future__ import annotations

import msgspec

from tracelake.decode.claude import Block, Record, any_value, present

CONTROL_TYPES = frozenset(
    {
        "mode", "permission-mode", "ai-title", "custom-title", "agent-name", "last-prompt",
        "bridge-session", "queue-operation", "pr-link",
    }
)  # fmt: skip
"""Lines that set a property of the session; their payloads are columns of `entries`."""

OTHER_TYPES: dict[str, str] = {
    "summary": "title of a conversation branch",
    "file-history-snapshot": "backup state of edited files",
    "file-history-delta": "backup state of edited files",
    "progress": "progress of a hook, tool or sub-agent; carries copies, never counted again",
    "worktree-state": "state of a git worktree",
    "relocated": "the session moved to another folder",
    "frame-link": "link to a rendered frame",
    "atis-latch": "client bookkeeping",
    "cost-state": "the client's own running total",
    "attribution-snapshot": "client bookkeeping",
    "content-replacement": "client bookkeeping",
    "artifact-update": "state of an artifact",
    "artifact-link": "link to an artifact",
    "continued-in": "names the session that goes on from this one",
    "fork-context-ref": "names the conversation that a fork's sub-agent began with",
    "topic": "title detection",
    "result": "closing line of a stream-json export, or of a workflow step",
    "started": "opening line of a workflow step",
    "tool_use": "a tool call outside a message",
    "tool_result": "a tool result outside a message",
    "function_call": "a call in another program's format",
}
"""Known lines that are neither messages nor settings of the session, with the reason.

A line without a type is one as well: no client writes it, so there is nothing to keep apart.
"""

TYPED_OTHER = frozenset({"summary", "progress", "file-history-snapshot", "file-history-delta"})
"""Those whose whole record is not repeated in `entries.value`: shown by other columns, or many and large."""

SYSTEM_SUBTYPES: dict[str, str] = {
    "agents_killed": "background agents were killed",
    "api_error": "an API call failed; an event",
    "api_metrics": "timing of API calls",
    "api_refusal": "the API refused to answer",
    "away_summary": "what happened while the user was away; in content",
    "bridge_status": "state of the bridge to another client",
    "compact_boundary": "the context was compacted; an event",
    "error": "an error that the client showed; in content",
    "informational": "a note that the client showed; in content",
    "init": "opening line of a stream-json export",
    "local_command": "output of a slash command; in content",
    "memory_saved": "the client saved a memory",
    "microcompact_boundary": "tool results were dropped from the context",
    "model_refusal_fallback": "another model answered; a row of fallbacks",
    "permission_retry": "a permission was granted and the call retried",
    "scheduled_task_fire": "a scheduled prompt ran",
    "session_start": "a session started; in content",
    "stop_hook_summary": "stop hooks ran; an event",
    "turn_duration": "a turn ended; an event",
}
"""Known subtypes of system lines, with the reason; older clients write none. Lines of others keep their record."""

INJECTED_COMMAND = ("<command-name>", "<command-message>", "<command-args>", "<local-command")


def class_of(record: Record) -> str:
    """Return message, system, attachment, control, other or unknown."""
    kind = record.type
    if kind in ("user", "assistant"):
        return "message"
    if kind in ("system", "attachment"):
        return str(kind)
    if kind in CONTROL_TYPES:
        return "control"
    return "other" if kind is None or kind in OTHER_TYPES else "unknown"


def shows_payload_raw(record: Record) -> bool:
    """Return whether the whole record is kept in `entries.value`, because no other column shows its payload."""
    kind = record.type
    if kind == "system":
        return bool(record.subtype) and record.subtype not in SYSTEM_SUBTYPES
    return kind not in TYPED_OTHER and class_of(record) in ("other", "unknown")


class _Typed(msgspec.Struct, gc=False):
    type: str | None = None


_decode_typed = msgspec.json.Decoder(_Typed).decode


def progress_type(record: Record) -> str | None:
    """Return what kind of progress a line reports, where it says so as a string."""
    try:
        return _decode_typed(record.data).type
    except (msgspec.MsgspecError, RecursionError):
        return None


class _Origin(msgspec.Struct, gc=False):
    kind: str | None = None


_decode_origin = msgspec.json.Decoder(_Origin).decode


def origin_kind(record: Record) -> str | None:
    """Return the kind of a user line's origin, when it is an object that has one."""
    if not present(record.origin):
        return None
    try:
        return _decode_origin(record.origin).kind
    except msgspec.MsgspecError:
        return None


def user_kind_of(record: Record, blocks: list[Block], text: str, opens_agent_file: bool) -> str:
    """Return what a user line is; the first that matches (parser.md 8.1)."""
    if any(block.type == "tool_result" for block in blocks):
        return "tool_result"
    if record.is_compact_summary:
        return "compact_summary"
    if record.is_meta:
        return "meta"
    kind = origin_kind(record)
    if kind == "task-notification" or text.startswith("<task-notification>"):
        return "task_notification"
    if kind in ("peer", "coordinator"):
        return kind
    if text.startswith(INJECTED_COMMAND):
        return "command"
    if text.startswith("[Request interrupted by user"):
        return "interrupt"
    return "subagent_prompt" if opens_agent_file else "prompt"


class AttachmentHead(msgspec.Struct):
    """The type of an attachment, and the members of it that become columns or text."""

    type: str | None = None
    prompt: msgspec.Raw = msgspec.Raw(b"")
    command_mode: msgspec.Raw = msgspec.field(default=msgspec.Raw(b""), name="commandMode")
    origin: msgspec.Raw = msgspec.Raw(b"")
    timestamp: msgspec.Raw = msgspec.Raw(b"")
    content: msgspec.Raw = msgspec.Raw(b"")
    path: msgspec.Raw = msgspec.Raw(b"")
    added_blocks: msgspec.Raw = msgspec.field(default=msgspec.Raw(b""), name="addedBlocks")
    added_lines: msgspec.Raw = msgspec.field(default=msgspec.Raw(b""), name="addedLines")
    added_names: msgspec.Raw = msgspec.field(default=msgspec.Raw(b""), name="addedNames")
    allowed_tools: msgspec.Raw = msgspec.field(default=msgspec.Raw(b""), name="allowedTools")
    skills: msgspec.Raw = msgspec.Raw(b"")


_decode_head = msgspec.json.Decoder(AttachmentHead).decode


def attachment_head(record: Record) -> AttachmentHead | None:
    """Return the attachment's type and captured members; None when it is no object of a named type."""
    try:
        return _decode_head(record.attachment)
    except (msgspec.MsgspecError, RecursionError):
        return None


def _strings(raw: msgspec.Raw) -> list[str]:
    found = any_value(raw)
    return [item for item in found if isinstance(item, str) and item] if isinstance(found, list) else []


def _string(raw: msgspec.Raw) -> str:
    found = any_value(raw)
    return found if isinstance(found, str) else ""


def _labelled(label: str, body: str) -> str:
    return label + body if body else ""


def _memory(head: AttachmentHead) -> str:
    content = any_value(head.content)
    body = content.get("content") if isinstance(content, dict) else None
    path = _string(head.path)
    return _labelled(f"Memory from {path}:\n\n" if path else "", body if isinstance(body, str) else "")


def _skills(head: AttachmentHead) -> str:
    found = any_value(head.skills)
    bodies = [item.get("content") for item in found if isinstance(item, dict)] if isinstance(found, list) else []
    return "\n\n".join(body for body in bodies if isinstance(body, str) and body)


_CONTEXT_TEXTS = {
    "skill_listing": lambda head: _labelled("Available skills:\n", _string(head.content)),
    "mcp_instructions_delta": lambda head: _labelled(
        "MCP server instructions:\n\n", "\n\n".join(_strings(head.added_blocks))
    ),
    "agent_listing_delta": lambda head: _labelled("Available agents:\n", "\n".join(_strings(head.added_lines))),
    "deferred_tools_delta": lambda head: _labelled("Deferred tools available: ", ", ".join(_strings(head.added_names))),
    "nested_memory": _memory,
    "command_permissions": lambda head: _labelled("Allowed tools: ", ", ".join(_strings(head.allowed_tools))),
    "invoked_skills": _skills,
}


def context_text(head: AttachmentHead) -> str:
    """Return the text an attachment puts before the model; empty for the kinds that make no row (1.2)."""
    make = _CONTEXT_TEXTS.get(head.type or "")
    return make(head) if make is not None else ""
