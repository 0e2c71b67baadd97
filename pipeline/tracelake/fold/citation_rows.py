"""Rows of `citations`: a text, the reasons against it, and what a result says once its call is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tracelake.citations.answers import QUESTION_TOOL, AnswerData, Envelope
from tracelake.citations.calls import DELEGATION_TOOLS, OUTPUT_TOOL, CallVerdict
from tracelake.citations.harness_text import looks_like_transcript
from tracelake.fold.verdicts import is_hook_refusal
from tracelake.tables.rows import CitationRow

USER, TOOL_RESULT = "user", "tool_result"


class Origin(NamedTuple):
    """What all texts of one record share: where it stands, and why its user's or its tools' texts are excluded."""

    line_no: int
    record_no: int
    uuid: str | None
    occurred_at: int | None
    is_sidechain: bool
    user_reasons: tuple[str, ...]
    result_reasons: tuple[str, ...]
    is_user: bool


class ResultBody(NamedTuple):
    """One body of a tool result, before its call is known; `seq` leaves room for the answers in it."""

    origin: Origin
    seq: int
    call_id: str | None
    text: str
    result_seq: int | None
    """Number of the row of `tool_results` whose body the text is; None where none is."""
    found: Envelope | None
    by_seed: Envelope | None
    data: AnswerData | None

    @property
    def rows_at_most(self) -> int:
        """How many rows it may become."""
        answers = len(self.found.answers) if self.found else 0
        return 1 + max(answers, len(self.data.answers) + len(self.data.notes) if self.data else 0)


def text_row(
    origin: Origin, seq: int, pool: str, kind: str, text: str, reasons: Sequence[str], **more: Any
) -> CitationRow:
    """Return the row of one text; it is citable when there is no reason against it.

    Where another table holds the very text, `more` names the place and the row holds no text itself.
    """
    is_elsewhere = more.get("result_seq") is not None or more.get("entry_line_no") is not None
    return CitationRow(
        line_no=origin.line_no,
        record_no=origin.record_no,
        seq=seq,
        pool=pool,
        kind=kind,
        uuid=origin.uuid,
        occurred_at=origin.occurred_at,
        text=text,
        own_text=None if is_elsewhere else text,
        citable=not reasons,
        excluded_reason=reasons[0] if reasons else None,
        all_reasons=list(reasons) or None,
        is_sidechain=origin.is_sidechain,
        **{"seed_citable": not reasons, **more},
    )


def result_rows(body: ResultBody, call: CallVerdict | None, is_other: bool) -> list[CitationRow]:
    """Return the rows of a result's body and of the answers in it.

    `call` is the call it answers, None when the file's entries do not hold it; `is_other` says that some call of
    the file with its id is no question to the user (C-6).
    """
    answers, notes, source = ([], [], None) if is_other else _users_answers(body, call)
    seeds = body.by_seed.answers if body.by_seed else []
    reasons = [*body.origin.result_reasons, *_call_reasons(body.text, call)]
    name = call.name if call else None
    shared = {"tool_use_id": body.call_id, "tool_name": name}
    row = text_row(
        body.origin,
        body.seq,
        TOOL_RESULT,
        "envelope" if answers else "result",
        body.text,
        [*reasons, "answer_envelope"] if answers or seeds else reasons,
        wording_version=body.found.version if body.found else None,
        answers_from=source,
        seed_answers=seeds if body.by_seed else None,
        seed_citable=not reasons and not seeds,
        result_seq=body.result_seq,
        **shared,
    )
    if is_other and body.origin.is_user:
        answers = seeds
    against = [*body.origin.user_reasons, *(["forged_answer"] if is_other else [])]
    rows = [row]
    for kind, texts in (("answer", answers), ("note", notes)):
        for text in texts:
            credited = not against and text in seeds
            more = {"answers_from": source or "wording", "seed_citable": credited, **shared}
            rows.append(text_row(body.origin, body.seq + len(rows), USER, kind, text, against, **more))
    return rows


def _users_answers(body: ResultBody, call: CallVerdict | None) -> tuple[list[str], list[str], str | None]:
    """Return the user's answers, notes, and where they were read: as data where the result has them (C-7)."""
    if not body.origin.is_user:
        return [], [], None
    is_question = call is not None and call.name == QUESTION_TOOL
    if body.data and (is_question or (call is None and body.found is not None)):
        return body.data.answers, body.data.notes, "data"
    if body.found and body.found.answers:
        return body.found.answers, [], "wording"
    return [], [], None


def _call_reasons(text: str, call: CallVerdict | None) -> list[str]:
    """Return what keeps a result from being tool output, in the order of the hints (C-9 to C-13, C-19)."""
    reasons = ["hook_refusal"] if is_hook_refusal(text) else []
    if call is None:
        reasons.append("orphan_result")
    elif call.name in DELEGATION_TOOLS:
        reasons.append("subagent_reply")
    elif call.name == OUTPUT_TOOL:
        reasons.append("task_output")
    elif call.reads_transcript:
        reasons.append("read_transcript")
    if looks_like_transcript(text):
        reasons.append("transcript_text")
    if call is not None and call.echo:
        reasons.append("echo")
    return reasons
