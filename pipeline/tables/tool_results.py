"""`tool_results`: one row per tool_result block."""

from pipeline.schema import Column, Table
from pipeline.tables.common import IS_SIDECHAIN, LINE_NO, OCCURRED_AT, RECORD_NO, TOOL_USE_ID

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
    ),
)
ToolResultRow = TOOL_RESULTS.row_type
