"""`tool_results`: one row per tool_result block."""

from tracelake.schema import Column, Table
from tracelake.tables.common import IS_SIDECHAIN, LINE_NO, OCCURRED_AT, RECORD_NO, TOOL_USE_ID

TOOL_RESULTS = Table(
    "tool_results",
    "result body",
    (
        LINE_NO,
        RECORD_NO,
        Column("block_index", "int32", "Position of the result's block in the content list.", "0-based"),
        Column("seq", "int64", "Running number of the result.", "0-based within the file"),
        TOOL_USE_ID,
        Column("is_error", "bool", "is_error as written; NULL when absent.", "", "parser.md 8.5"),
        Column("body", "string", "The flattened body.", "", "parser.md 3.5"),
        Column("body_bytes", "int64", "Length of the body.", "UTF-8 bytes", "parser.md 3.5"),
        Column("body_sha256", "string", "SHA-256 of the body.", "hex", "parser.md 4.5"),
        Column("media_type", "string", "text/plain or application/json.", "", "parser.md 3.5", few_values=True),
        OCCURRED_AT,
        IS_SIDECHAIN,
        Column(
            "present",
            "bool",
            "The line carries a structured result (toolUseResult) for this block alone.",
            "",
            "parser.md 8.6",
        ),
        Column("text", "string", "The structured result where it is a string.", "", "parser.md 8.6"),
        Column("stdout", "string", "stdout of a shell.", "", "parser.md 8.6"),
        Column("stderr", "string", "stderr of a shell.", "", "parser.md 8.6"),
        Column("interrupted", "bool", "A shell was interrupted; NULL where not said.", "", "parser.md 8.6"),
        Column(
            "exit_code",
            "int64",
            "Exit code, from the structured result or a text that begins with it; NULL where none is told.",
            "",
            "parser.md 8.6",
        ),
        Column("result_file_path", "string", "File an edit, write or read was about.", "", "parser.md 8.6"),
        Column("structured_patch", "string", "Hunks of an edit.", "JSON", "parser.md 8.6"),
        Column("start_line", "int64", "First line of a read.", "1-based", "parser.md 8.6"),
        Column("num_lines", "int64", "Lines of a read.", "lines", "parser.md 8.6"),
        Column("result_agent_id", "string", "Sub-agent that the call started.", "", "parser.md 8.6"),
        Column("resumed_agent_id", "string", "Sub-agent that the call woke up again.", "", "parser.md 8.6"),
        Column("result_status", "string", "status of the structured result.", "", "parser.md 8.6", few_values=True),
        Column(
            "raw",
            "string",
            "The whole structured result; NULL in a lake extracted without raw lines.",
            "JSON",
            "parser.md 8.6",
            computed=True,
        ),
        Column(
            "raw_own", "string", "The structured result where it is no stretch of the raw line.", "JSON", hidden=True
        ),
        Column("raw_offset", "int64", "Where the structured result begins on the raw line.", "bytes", hidden=True),
        Column("raw_bytes", "int64", "Length of the structured result on the raw line.", "bytes", hidden=True),
    ),
)
