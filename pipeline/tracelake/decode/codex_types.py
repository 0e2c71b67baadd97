"""Which kinds of lines Codex writes, as closed lists (parser.md 1.4, 8.1)."""

from __future__ import annotations

from tracelake.decode.codex import Payload

CONTROL_LINES = frozenset({"session_meta", "turn_context", "world_state"})

ITEM_TYPES = frozenset(
    {
        "message", "reasoning", "agent_message", "function_call", "function_call_output", "custom_tool_call",
        "custom_tool_call_output", "local_shell_call", "web_search_call", "tool_search_call", "tool_search_output",
        "image_generation_call", "compaction", "compaction_summary", "context_compaction",
    }
)  # fmt: skip
"""Items of the conversation with the model."""

OUTPUT_TYPES = frozenset({"function_call_output", "custom_tool_call_output"})
CALL_TYPES = frozenset(
    {
        "function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call",
        "image_generation_call",
    }
)  # fmt: skip

EVENT_TYPES = frozenset(
    {
        "token_count", "agent_message", "agent_reasoning", "agent_reasoning_raw_content",
        "agent_reasoning_section_break", "user_message", "task_started", "task_complete", "turn_started",
        "turn_complete", "turn_aborted", "turn.completed", "thread_settings_applied", "thread_goal_updated",
        "thread_rolled_back", "context_compacted", "item_started", "item_completed", "entered_review_mode",
        "exited_review_mode", "error", "warning", "stream_error", "web_search_begin", "web_search_end",
        "mcp_tool_call_begin", "mcp_tool_call_end", "exec_command_begin", "exec_command_end", "patch_apply_begin",
        "patch_apply_end", "image_generation_begin", "image_generation_end", "view_image_tool_call",
        "dynamic_tool_call_request", "dynamic_tool_call_response", "guardian_assessment", "sub_agent_activity",
        "collab_agent_spawn_begin", "collab_agent_spawn_end", "collab_agent_interaction_begin",
        "collab_agent_interaction_end", "collab_waiting_begin", "collab_waiting_end", "collab_close_begin",
        "collab_close_end", "undo_started", "undo_completed", "plan_update", "turn_diff",
        "account/rateLimits/updated",
    }
)  # fmt: skip
"""What the client reports beside the items; most of it repeats them and is read nowhere but in `entries`."""

OTHER: dict[str, str] = {
    "ghost_snapshot": "backup commit of the working tree",
    "tool_call": "a call in another program's format, without an id",
    "tool_result": "a result in another program's format, without an id",
    "codex/event/raw_item": "piece of a stream, its content is in the items",
    "inter_agent_communication_metadata": "bookkeeping between agents",
    "state": "bookkeeping of rollouts of early 2025",
}
"""Known bookkeeping that no table but `raw_lines` reads, with the reason."""

_ROLES = ("user", "assistant", "developer", "system")


def class_of(line_type: str, payload: Payload) -> str:
    """Return message, system, control, other or unknown."""
    kind = payload.type or ""
    if line_type in OTHER or kind in OTHER:
        return "other"
    if line_type in CONTROL_LINES or (line_type == "event_msg" and kind == "thread_name_updated"):
        return "control"
    if line_type == "response_item":
        return "message" if kind in ITEM_TYPES or (not kind and payload.role in _ROLES) else "unknown"
    known = line_type in ("compacted", "token_usage_record") or (line_type == "event_msg" and kind in EVENT_TYPES)
    return "system" if known else "unknown"


MARKERS = (
    "# AGENTS.md instructions for ",
    "<environment_context>",
    "<user_instructions>",
    "<recommended_plugins>",
)
"""Signs of text that the client put before the model; two different ones make a user item context (1.4)."""

_INJECTED = ("# AGENTS.md instructions", *MARKERS[1:], "<hook_prompt", "<skill>", "<subagent_notification>")


def is_context(text: str) -> bool:
    """Return whether a user item's text carries at least two different context markers."""
    return sum(marker in text for marker in MARKERS) >= 2


def user_kind_of(payload: Payload, text: str, opens_subagent: bool) -> str | None:
    """Return what an item on the user's side is; None for other items (parser.md 8.1)."""
    if payload.type in OUTPUT_TYPES:
        return "tool_result"
    if payload.type == "agent_message":
        return "peer"
    if payload.role != "user" or payload.type not in (None, "message"):
        return None
    if text.startswith(_INJECTED):
        return "meta"
    if text.startswith("<turn_aborted>"):
        return "interrupt"
    if text.startswith("<user_shell_command>"):
        return "command"
    return "subagent_prompt" if opens_subagent else "prompt"
