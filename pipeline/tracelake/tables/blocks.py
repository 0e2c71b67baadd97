"""`blocks`: one row per element of a message's content list."""

from tracelake.schema import Column, Table
from tracelake.tables.common import IS_SIDECHAIN, LINE_NO, OCCURRED_AT, RECORD_NO, TOOL_USE_ID

BLOCKS = Table(
    "blocks",
    "content block",
    (
        LINE_NO,
        RECORD_NO,
        Column("block_index", "int32", "Position in the content list.", "0-based"),
        Column("role", "string", "user or assistant: the type of the line.", few_values=True),
        Column("type", "string", "Block type as written; NULL for a bare string.", few_values=True),
        Column(
            "text", "string", "Text of a text or thinking block; NULL for tool bodies, which have tables of their own."
        ),
        TOOL_USE_ID,
        Column("tool_name", "string", "Tool name of a tool_use block.", "", "T-2", few_values=True),
        Column("is_error", "bool", "is_error of a tool_result block; NULL when absent.", "", "parser.md 8.5"),
        Column("signature_bytes", "int64", "Length of a thinking block's signature.", "bytes", "parser.md 2"),
        Column("data_bytes", "int64", "Length of a redacted_thinking block's data.", "bytes", "parser.md 2"),
        Column(
            "list_valid",
            "bool",
            "All elements of the list are objects with the right types; strict readers take others as empty.",
            "",
            "transcript.md 2",
        ),
        IS_SIDECHAIN,
        OCCURRED_AT,
    ),
)
