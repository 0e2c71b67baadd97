"""`citations`: one row per text that can be cited, or is excluded with the reason."""

from tracelake.schema import Column, Table
from tracelake.tables.common import IS_SIDECHAIN, LINE_NO, OCCURRED_AT, RECORD_NO

CITATIONS = Table(
    "citations",
    "text that can be cited, or is excluded",
    (
        LINE_NO,
        RECORD_NO,
        Column("seq", "int32", "Position of the text among those of its line; numbers may be left out.", "0-based"),
        Column("pool", "string", "Whose text it is or would be: user or tool_result.", "", "C-14", few_values=True),
        Column(
            "kind",
            "string",
            "typed (message text), queued (sent mid-turn), answer (to a question), note (typed beside an answer), "
            "envelope (the whole result that holds answers) or result (what a tool printed).",
            "",
            "C-3 to C-9",
            few_values=True,
        ),
        Column("uuid", "string", "Id of the entry; forks repeat it.", "", "E-5"),
        OCCURRED_AT,
        Column("text", "string", "The text as written.", computed=True),
        Column("own_text", "string", "The text, where no other table holds it.", hidden=True),
        Column("result_seq", "int64", "`tool_results.seq` of the body that is the text.", hidden=True),
        Column("entry_line_no", "int64", "Line of the entry whose text it is.", "1-based", hidden=True),
        Column(
            "norm_text",
            "string",
            "The text with each run of white space as one blank, none at the ends.",
            "",
            "C-1",
            computed=True,
        ),
        Column(
            "norm_text_unnumbered",
            "string",
            "The same of a tool result without the line numbers Read puts first; NULL where that is no different.",
            "",
            "C-2",
            computed=True,
        ),
        Column("citable", "bool", "A quote may resolve to it.", "", "C-3 to C-13"),
        Column(
            "excluded_reason",
            "string",
            "First reason that keeps it from being cited; NULL where citable. The line: not_strict, no_uuid, "
            "list_invalid, not_user_entry. The user's pool: subagent_record, injected, meta, sidechain, "
            "compact_summary, transcript_only, not_a_prompt, forged_answer. Results: hook_refusal, orphan_result, "
            "subagent_reply, task_output, read_transcript, transcript_text, echo, answer_envelope.",
            "",
            "C-4 to C-6, C-8 to C-13, C-19",
            few_values=True,
        ),
        Column("all_reasons", "list<string>", "Every reason that applies, the first first; NULL where citable."),
        Column("tool_use_id", "string", "The tool call whose result holds the text; NULL for typed text.", "", "C-6"),
        Column("tool_name", "string", "Tool of that call; NULL where the file does not hold it.", "", few_values=True),
        Column(
            "wording_version",
            "int32",
            "Version of the wording that opens an answer envelope in the result; NULL where no known one occurs.",
            "",
            "C-7",
        ),
        Column(
            "answers_from",
            "string",
            "data or wording: where the answers of an envelope, answer or note were read; NULL for other texts.",
            "",
            "C-7",
            few_values=True,
        ),
        Column(
            "seed_answers",
            "list<string>",
            "On a result: the answers that the Go package's two wordings alone extract; NULL where neither occurs.",
            "",
            "C-7",
        ),
        Column(
            "seed_citable",
            "bool",
            "The Go package's two wordings alone would make this very text citable in this pool.",
            "",
            "C-7, C-9",
        ),
        IS_SIDECHAIN,
    ),
)
