"""Hints: why a quote was not found, where the lake can tell (C-19)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from tracelake.citations.files import RecordFile, record_file, select, tree_of
from tracelake.citations.model import SourceType
from tracelake.citations.normal import fold_spaces

if TYPE_CHECKING:
    from tracelake.lake.connect import Connection

SUBAGENT_USER_ADVICE = (
    "You are a sub-agent: the user never wrote to you, and the prompt you were given is your dispatcher's. "
    "Cite the user's words as they stand in the main session, or leave the citation to the main agent."
)
"""Said to a sub-agent whose citation of the user's words does not resolve."""


class Hint(StrEnum):
    """What is known about a quote that was not found; `text` says it in a sentence."""

    DISPATCH_PROMPT = "DISPATCH_PROMPT"
    SUBAGENT_CANNOT_CITE_USER_FROM_PROMPT = "SUBAGENT_CANNOT_CITE_USER_FROM_PROMPT"
    ORPHAN_RESULT = "ORPHAN_RESULT"
    SUBAGENT_REPLY = "SUBAGENT_REPLY"
    TASK_OUTPUT = "TASK_OUTPUT"
    READ_TRANSCRIPT = "READ_TRANSCRIPT"
    ECHO = "ECHO"
    IS_USER_ANSWER = "IS_USER_ANSWER"

    @property
    def text(self) -> str:
        """The hint as a sentence."""
        return _SENTENCES[self]


_SENTENCES = {
    Hint.DISPATCH_PROMPT: "The quote is in the prompt that a sub-agent was dispatched with; an agent wrote that.",
    Hint.SUBAGENT_CANNOT_CITE_USER_FROM_PROMPT: SUBAGENT_USER_ADVICE,
    Hint.ORPHAN_RESULT: "The quote is in a tool result whose call is not in the same file, so its source is unknown.",
    Hint.SUBAGENT_REPLY: "The quote is in a sub-agent's reply, which a model wrote; cite the tool output it rests on.",
    Hint.TASK_OUTPUT: "The quote is in a background task's output as TaskOutput shows it; cite the task's own file.",
    Hint.READ_TRANSCRIPT: "The quote is in a result that shows an agent's transcript; cite the entry it was read from.",
    Hint.ECHO: "The quote is in the output of a command that prints text the agent may have written itself.",
    Hint.IS_USER_ANSWER: "The quote is in the user's answer to a question; cite it from the user pool.",
}
_BY_REASON = {
    "orphan_result": Hint.ORPHAN_RESULT,
    "subagent_reply": Hint.SUBAGENT_REPLY,
    "task_output": Hint.TASK_OUTPUT,
    "read_transcript": Hint.READ_TRANSCRIPT,
    "transcript_text": Hint.READ_TRANSCRIPT,
    "echo": Hint.ECHO,
    "answer_envelope": Hint.IS_USER_ANSWER,
}
_HOLDS = "(contains(norm_text, $wanted) OR contains(norm_text_unnumbered, $wanted))"
_NOT_ENTRIES = "['not_strict', 'no_uuid', 'list_invalid', 'not_user_entry']"
_PROMPTS = """
    SELECT 1 FROM citations
    WHERE list_contains($paths, path) AND pool = 'user' AND kind = 'typed' AND contains(norm_text, $wanted)
        AND NOT list_has_any(coalesce(all_reasons, []), ['not_strict', 'no_uuid', 'injected', 'meta'])
    LIMIT 1
"""
_RESULTS = f"""
    SELECT excluded_reason FROM citations
    WHERE list_contains($paths, path) AND pool = 'tool_result' AND NOT citable AND {_HOLDS}
        AND NOT list_has_any(all_reasons, {_NOT_ENTRIES})
    ORDER BY list_position($paths, path), line_no, seq
    LIMIT 1
"""


def unresolved_hints(
    lake: Connection, path: str, quote: str, sources: Sequence[SourceType], as_subagent: bool = False
) -> list[Hint]:
    """Return what is known about a quote found in none of `sources`, asked from the file at `path`.

    Raises RecordUnreadableError.
    """
    file, wanted = record_file(lake, path), fold_spaces(quote)
    if not wanted:
        return []
    hints = _user_hints(lake, file, wanted, as_subagent) if SourceType.USER in sources else []
    if SourceType.TOOL_RESULT in sources:
        found = select(lake, _RESULTS, paths=tree_of(lake, file.top), wanted=wanted)
        hint = _BY_REASON.get(found[0]["excluded_reason"]) if found else None
        hints += [hint] if hint else []
    return hints


def unresolved_user_hints(lake: Connection, path: str, quote: str, as_subagent: bool = False) -> list[Hint]:
    """Return what is known about a quote that is not in the user's pool. Raises RecordUnreadableError."""
    return unresolved_hints(lake, path, quote, [SourceType.USER], as_subagent)


def _user_hints(lake: Connection, file: RecordFile, wanted: str, as_subagent: bool) -> list[Hint]:
    paths = tree_of(lake, file.top)[0 if file.root_path is None else 1 :]
    hints = [Hint.DISPATCH_PROMPT] if select(lake, _PROMPTS, paths=paths, wanted=wanted) else []
    if as_subagent or file.is_subagent:
        hints.append(Hint.SUBAGENT_CANNOT_CITE_USER_FROM_PROMPT)
    return hints
