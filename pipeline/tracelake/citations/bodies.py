"""The texts of a message and of a tool result as citations read them (C-3, C-8, T-4)."""

from __future__ import annotations

from typing import Any

import msgspec

from tracelake.decode.claude import Message


class _Body(msgspec.Struct, gc=False):
    text: str | None = None


class _Queued(msgspec.Struct, gc=False):
    type: str | None = None
    command_mode: str | None = msgspec.field(default=None, name="commandMode")
    prompt: msgspec.Raw = msgspec.Raw(b"")


_decode_str = msgspec.json.Decoder(str).decode
_decode_bodies = msgspec.json.Decoder(list[_Body | None]).decode
_decode_queued = msgspec.json.Decoder(_Queued).decode
REFUSALS = (msgspec.MsgspecError, RecursionError)


def bodies_any(content: bytes) -> list[str]:
    """Return the bodies of a tool result's content (JSON text; T-4, `bodies_any`).

    A string is one body, null one empty body, of a list every element's text that is not empty. A list with an
    element of the wrong type counts as empty; so does any other value.
    """
    first = content[:1]
    if first == b'"':
        return [_decode_str(content)]
    if content == b"null":
        return [""]
    if first != b"[":
        return []
    try:
        return [body.text for body in _decode_bodies(content) if body is not None and body.text]
    except REFUSALS:
        return []


def message_texts(message: Message, record: bytes) -> list[str]:
    """Return the texts of a user message, in order (C-3 without C-4); `record` is the record's JSON text.

    In a list each element is judged by itself, also where a strict reader takes the list as empty.
    """
    content = message.content
    if isinstance(content, str):
        return [content] if content else []
    if content is None:
        return []
    if message.list_valid:
        return [block.text for block in content if block.type == "text" and block.text]
    return [text for element in _elements(record) if (text := _element_text(element))]


def _elements(record: bytes) -> list[Any]:
    try:
        content = msgspec.json.decode(record)["message"]["content"]
    except (*REFUSALS, KeyError, TypeError):
        return []
    return content if isinstance(content, list) else []


def _element_text(element: Any) -> str | None:
    if isinstance(element, dict):
        element = element.get("text") if element.get("type") == "text" else None
    return element if isinstance(element, str) else None


def queued_text(attachment: bytes) -> tuple[str, bool] | None:
    """Return a queued command's text and whether a person sent it (C-8); None for other attachments."""
    if b"queued_command" not in attachment:
        return None
    try:
        queued = _decode_queued(attachment)
        if queued.type != "queued_command":
            return None
        prompt = msgspec.json.decode(queued.prompt) if bytes(queued.prompt) else None
    except REFUSALS:
        return None
    if isinstance(prompt, list):
        texts = [_element_text(element) for element in prompt if isinstance(element, dict)]
        prompt = "\n\n".join(text for text in texts if text)
    return (prompt, queued.command_mode == "prompt") if isinstance(prompt, str) and prompt else None
