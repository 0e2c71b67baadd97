"""`tool_calls`: one row per tool call, its result patched in."""

from tracelake.schema import Column, Table
from tracelake.tables.common import IS_SIDECHAIN, LINE_NO, MESSAGE_ORDINAL, OCCURRED_AT, RECORD_NO, TOOL_USE_ID

TOOL_CALLS = Table(
    "tool_calls",
    "tool call",
    (
        LINE_NO,
        RECORD_NO,
        Column("block_index", "int32", "Position of the call's block in the content list.", "0-based"),
        MESSAGE_ORDINAL,
        Column("call_index", "int32", "Position of the call within its message.", "0-based", "parser.md 3.1"),
        TOOL_USE_ID,
        Column("tool_name", "string", "Tool name as written.", few_values=True),
        Column("category", "string", "read, write, edit, bash, search or empty.", "", "parser.md 3.2", few_values=True),
        Column(
            "file_path", "string", "file_path of the input, when a string of at most 4,096 bytes.", "", "parser.md 3.3"
        ),
        Column(
            "file_rel_path", "string", "The same relative to the session's cwd; NULL outside it.", "", "parser.md 3.7"
        ),
        Column(
            "detail",
            "string",
            "First of command, pattern, url, query, description, skill that is a short string; Codex: also the command line "
            "of `cmd` or of a list of words.",
            "",
            "parser.md 3.4",
        ),
        Column(
            "input_json",
            "string",
            "Exact source text of the input; for Codex the decoded text, which need not be JSON; NULL when there is none.",
            "JSON",
            "parser.md 3.4",
        ),
        Column("input_bytes", "int64", "Length of the input.", "UTF-8 bytes", "parser.md 3.4"),
        Column("input_sha256", "string", "SHA-256 of the input's bytes.", "hex", "parser.md 4.5"),
        Column("input_media_type", "string", "Media type of the input.", few_values=True),
        Column(
            "patch_paths",
            "list<string>",
            "Files named by the headers of an apply_patch body in the input, as written (Codex, pi); NULL without a patch.",
        ),
        OCCURRED_AT,
        Column(
            "status", "string", "ok, error, or pending while no result is known.", "", "parser.md 3.5", few_values=True
        ),
        Column(
            "failed",
            "bool",
            "The result is an error, states an exit code other than 0 or says that a script failed, whatever the agent "
            "calls it; NULL while no result is known, and in Codex where its text was lifted out.",
        ),
        Column(
            "result_text", "string", "Body of the first result with the call's id.", "", "parser.md 3.5", computed=True
        ),
        Column("result_seq", "int64", "`tool_results.seq` of that result.", "0-based within the file", hidden=True),
        Column("result_bytes", "int64", "Length of that body.", "UTF-8 bytes", "parser.md 3.5"),
        Column("result_sha256", "string", "SHA-256 of that body.", "hex", "parser.md 4.5"),
        Column("result_media_type", "string", "Media type of that body.", few_values=True),
        Column("result_line_no", "int64", "Line of that result.", "1-based"),
        Column("result_at", "timestamp", "Time of the line of that result.", "UTC"),
        Column(
            "ran",
            "bool",
            "A result of the call, in an entry on a line with status ok, is no not-run notice; false without a result.",
            "",
            "T-5",
        ),
        Column(
            "ran_extended",
            "bool",
            "The same with results on any line, while the `ext:` forms count as notices too.",
            "",
            "T-5",
        ),
        Column(
            "not_run_form",
            "string",
            "Form of the not-run notice, N1 to N11 or `ext:<name>`; NULL when the call ran or has no result.",
            "",
            "T-5",
            few_values=True,
        ),
        Column(
            "hook_refusal_reason",
            "string",
            "What a PreToolUse hook said when it refused the call; NULL when none did.",
            "",
            "T-6",
        ),
        Column("echo", "bool", "A Bash call whose output may be text the agent wrote itself.", "", "C-13"),
        Column(
            "reads_transcript_static",
            "bool",
            "A path in the input names an agent's transcript by its wording: below a `projects` folder, or an agent's "
            "output file.",
            "",
            "C-11",
        ),
        Column(
            "reads_transcript_live",
            "bool",
            "A path in the input was a transcript on the machine that extracted, when it did (`files.extracted_at`).",
            "",
            "C-11",
        ),
        Column("run_in_background", "bool", 'The input asks for a background run (true or "true").', "", "B-1"),
        Column("attribution_agent", "string", "attributionAgent of the line.", "", "parser.md 3.1", few_values=True),
        Column("attribution_skill", "string", "attributionSkill of the line.", "", "parser.md 3.1", few_values=True),
        Column("attribution_plugin", "string", "attributionPlugin of the line.", "", "parser.md 3.1", few_values=True),
        IS_SIDECHAIN,
    ),
)
