"""`token_usage`: one row per line that carries a usage object, every copy included."""

from tracelake.schema import Column, Table
from tracelake.tables.common import IS_SIDECHAIN, LINE_NO, MESSAGE_ORDINAL, OCCURRED_AT, RECORD_NO

TOKEN_USAGE = Table(
    "token_usage",
    "line with a usage object",
    (
        LINE_NO,
        RECORD_NO,
        MESSAGE_ORDINAL,
        Column("message_id", "string", "API message id."),
        Column("request_id", "string", "API request id."),
        Column(
            "dedup_key",
            "string",
            "message id and request id joined by a colon, the message id alone without a request id. Codex writes "
            "neither: there it is the thread and its running total, or the response id where the line names one. "
            "pi: the response id, else the entry's, and the time. NULL when the line has none of these.",
            "",
            "accounting.md 1",
        ),
        Column("uuid", "string", "Id of the entry (of a copy on a progress line: that of the copied entry)."),
        Column(
            "answer_key",
            "string",
            "Of a record without a request id: uuid of the line on which its answer began, else that line's number; "
            "lines of one message id are one answer while each continues the other. Also on records with a request id "
            "that continue such a line.",
            "",
            "accounting.md 1",
        ),
        Column(
            "forked_from_session_id",
            "string",
            "Session that the line was copied from, where the line says so (forkedFrom).",
            "",
            "accounting.md 1",
            few_values=True,
        ),
        Column(
            "replay_of",
            "list<string>",
            "Codex: threads whose counts the file may begin with: the one that its header names as parent or origin, "
            "then those that the copied headers name; NULL where none is named.",
            "",
            "accounting.md 1",
        ),
        Column(
            "counts_key",
            "string",
            "Codex: running total and last usage of a token count as text, by which a replay is known; NULL on other "
            "records.",
            "",
            "accounting.md 1",
        ),
        Column(
            "carrier",
            "string",
            "message; progress: a copy of a sub-agent's message on a progress line, which counts where the sub-agent's "
            "own file is missing; usage_record: Codex's record of one request, whose numbers count.",
            "",
            "accounting.md 1",
            few_values=True,
        ),
        Column(
            "source_index", "int32", "Position among several usage records of one line.", "0-based", "parser.md 6.1"
        ),
        Column("byte_offset", "int64", "Position of the line's first byte in the file.", "bytes", "parser.md 6.1"),
        Column("model", "string", "Model of the line as written.", few_values=True),
        OCCURRED_AT,
        IS_SIDECHAIN,
        Column(
            "prompt_id",
            "string",
            "Id of the prompt that the call answers, as the line or the last user line before it says; Codex: turn id.",
        ),
        Column(
            "cwd", "string", "Working directory of the line, else of the last line that names one.", few_values=True
        ),
        Column("git_branch", "string", "Git branch, found likewise.", few_values=True),
        Column(
            "usage_final",
            "bool",
            "The line carries a stop reason, so its output count is final; without one it may be partial.",
            "",
            "accounting.md 5",
        ),
        Column(
            "input_tokens",
            "int64",
            "Uncached prompt tokens; here and below NULL where the count is negative or absurd.",
            "tokens",
            "accounting.md 2",
        ),
        Column("output_tokens", "int64", "Output tokens, thinking included.", "tokens", "accounting.md 2"),
        Column("cache_read_tokens", "int64", "Prompt tokens read from the cache.", "tokens", "accounting.md 2"),
        Column("cache_write_tokens", "int64", "Prompt tokens written to the cache.", "tokens", "accounting.md 2"),
        Column(
            "cache_write_5m_tokens",
            "int64",
            "Part written for five minutes; all of it where the split is absent.",
            "tokens",
            "accounting.md 2",
        ),
        Column(
            "cache_write_1h_tokens",
            "int64",
            "Part written for one hour; NULL where not reported.",
            "tokens",
            "accounting.md 2",
        ),
        Column(
            "thinking_tokens",
            "int64",
            "Thinking part of the output; NULL where not reported.",
            "tokens",
            "accounting.md 2",
        ),
        Column(
            "speed", "string", "standard or fast as written; NULL when absent.", "", "parser.md 8.5", few_values=True
        ),
        Column("service_tier", "string", "Service tier as written.", "", "accounting.md 2", few_values=True),
        Column("inference_geo", "string", "Inference region as written.", "", "accounting.md 2", few_values=True),
        Column(
            "web_search_requests",
            "int64",
            "Web searches the server made; NULL where not reported.",
            "requests",
            "accounting.md 2",
        ),
        Column(
            "web_fetch_requests",
            "int64",
            "Web fetches the server made; NULL where not reported.",
            "requests",
            "accounting.md 2",
        ),
        Column(
            "iterations",
            "iterations",
            "The attempts and side calls behind the record; NULL when absent.",
            "",
            "accounting.md 2",
        ),
        Column(
            "reported_cost_usd",
            "decimal",
            "Cost the client itself wrote on the line (old versions of Claude Code; pi: cost.total).",
            "USD",
            "accounting.md 5",
        ),
        Column(
            "superseded_at",
            "timestamp",
            "When an extraction found that the file had been rewritten without this record; its tokens were spent and "
            "count, its line is gone. NULL for records that stand in the file.",
            "UTC",
            "accounting.md 1",
        ),
        Column(
            "superseded_line_no",
            "int64",
            "Line that a superseded record stood on; line_no is NULL then.",
            "1-based",
            "accounting.md 1",
        ),
    ),
)
