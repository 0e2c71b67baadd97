"""Verdicts: did a tool call run, or does its result only say that it was not allowed to (T-5, T-6)."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

_HOOK_START, _HOOK_MIDDLE = "PreToolUse:", " hook error: "

_FORMS: tuple[tuple[str, str, str], ...] = (
    ("N1", _HOOK_START, _HOOK_MIDDLE),
    ("N2", "Tool call blocked by a PreToolUse hook: ", ""),
    ("N3", "The user doesn't want to ", ""),
    ("N4", "Permission to use ", " has been denied"),
    ("N5", "Claude requested permissions to use ", ""),
    ("N6", "This command requires approval", ""),
    ("N7", "This Bash command contains multiple operations. The following part requires approval: ", ""),
    ("N8", "Tool permission request ", ""),
    ("N9", "[Request interrupted by user for tool use]", ""),
    ("N10", "<tool_use_error>", ""),
    ("N11", "Contains brace with quote character", ""),
    (
        "ext:parts_require_approval",
        "This Bash command contains multiple operations. The following parts require approval: ",
        "",
    ),
    ("ext:parts_require_approval", "The following parts require approval: ", ""),
    ("ext:permissions_requested", "Claude requested permissions to ", ""),
    ("ext:prompt_aborted", "Permission prompt was aborted", ""),
    ("ext:control_characters", "Contains control characters", ""),
    ("ext:unicode_whitespace", "Contains Unicode whitespace", ""),
    ("ext:backslash_whitespace", "Contains backslash-escaped whitespace", ""),
    ("ext:newline_hash", "Newline followed by #", ""),
)
"""Form, how the body starts, and what must follow somewhere after; `ext:` forms go beyond T-5."""


class Verdict(NamedTuple):
    """What the results of one call say so far.

    `ran` is T-5 exactly; `ran_extended` also believes results on lines that strict readers skip and knows the
    `ext:` forms. `form` is the first not-run notice, `refusal` the first reason of a hook.
    """

    ran: bool
    ran_extended: bool
    form: str | None = None
    refusal: str | None = None


RAN = Verdict(True, True)
"""The ordinary case; nothing that comes later can change it."""
NO_RESULT = Verdict(False, False)
_RAN_LENIENTLY = Verdict(False, True)


class _Text(msgspec.Struct, gc=False):
    type: str | None = None
    text: str | None = None


_decode_texts = msgspec.json.Decoder(list[_Text | None]).decode


def text_bodies(content: bytes) -> list[str]:
    """Return the bodies of a tool result's content (JSON source): a string, or the texts of its text elements.

    A list with an element of the wrong type counts as empty (T-4, `bodies_text`).
    """
    if content[:1] == b'"':
        return [msgspec.json.decode(content, type=str)]
    if content[:1] != b"[":
        return []
    try:
        parts = _decode_texts(content)
    except (msgspec.MsgspecError, RecursionError):
        return []
    return [part.text or "" for part in parts if part is not None and part.type == "text"]


def judge(is_strict: bool, is_error: bool, content: bytes) -> Verdict:
    """Return what one result says.

    `is_strict` says that the seed's readers see the result: an entry on a line with status ok, in a valid list.
    """
    usual = RAN if is_strict else _RAN_LENIENTLY
    if not is_error and b"PreToolUse:" not in (content[:16] if content[:1] == b'"' else content):
        return usual
    bodies = text_bodies(content)
    form = not_run_form(bodies) if is_error else None
    refusal = next((reason for body in bodies if (reason := hook_refusal_reason(body)) is not None), None)
    if form is None and refusal is None:
        return usual
    runs = is_strict and (form is None or form.startswith("ext:"))
    return Verdict(runs, form is None, form, refusal)


def merge(earlier: Verdict, later: Verdict) -> Verdict:
    """Return what two results of the same call say together: it ran if one of them says so."""
    return Verdict(
        earlier.ran or later.ran,
        earlier.ran_extended or later.ran_extended,
        earlier.form or later.form,
        later.refusal if earlier.refusal is None else earlier.refusal,
    )


def apply(row: object, verdict: Verdict) -> None:
    """Write a verdict into a ToolCallRow."""
    row.ran = verdict.ran  # type: ignore[attr-defined]
    row.ran_extended = verdict.ran_extended  # type: ignore[attr-defined]
    row.not_run_form = None if verdict.ran and verdict.ran_extended else verdict.form  # type: ignore[attr-defined]
    row.hook_refusal_reason = verdict.refusal  # type: ignore[attr-defined]


def not_run_form(bodies: list[str]) -> str | None:
    """Return the form of the not-run notice that one of the bodies is (T-5), None when none is."""
    for body in bodies:
        for form, start, middle in _FORMS:
            if body.startswith(start) and middle in body[len(start) :]:
                return form
    return None


def is_hook_refusal(body: str) -> bool:
    """Return whether a result's body is the refusal of a PreToolUse hook; is_error plays no role (T-6)."""
    return body.startswith(_HOOK_START) and _HOOK_MIDDLE in body


def hook_refusal_reason(body: str) -> str | None:
    """Return what follows the first ` hook error: ` of a refusal, untrimmed; None for other bodies (T-6)."""
    return body.split(_HOOK_MIDDLE, 1)[1] if is_hook_refusal(body) else None
