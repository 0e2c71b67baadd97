"""`messages`: one row per folded turn."""

from tracelake.schema import Column, Table
from tracelake.tables.common import IS_SIDECHAIN, LINE_NO, RECORD_NO

MESSAGES = Table(
    "messages",
    "folded turn",
    (
        LINE_NO,
        RECORD_NO,
        Column("last_line_no", "int64", "Last line that contributed to the turn.", "1-based", required=True),
        Column(
            "ordinal",
            "int64",
            "Number of the turn in order of its start.",
            "0-based within the file",
            "parser.md 1.1",
            required=True,
        ),
        Column(
            "role", "string", "user, assistant, system or context.", "", "parser.md 1.1", few_values=True, required=True
        ),
        Column("content", "string", "Text fragments of the turn joined by LF.", "", "parser.md 1.1", required=True),
        Column("thinking_text", "string", "Thinking that was kept in the clear, joined by LF.", "", "parser.md 2"),
        Column(
            "thinking_bytes",
            "int64",
            "Weight of all thinking of the turn: the sum of the four parts.",
            "UTF-8 bytes",
            "parser.md 2",
            required=True,
        ),
        Column("thinking_plain_bytes", "int64", "Part in plain text.", "UTF-8 bytes", "parser.md 2", required=True),
        Column("thinking_signature_bytes", "int64", "Part in signatures.", "UTF-8 bytes", "parser.md 2", required=True),
        Column(
            "thinking_redacted_bytes",
            "int64",
            "Part in redacted_thinking data.",
            "UTF-8 bytes",
            "parser.md 2",
            required=True,
        ),
        Column(
            "thinking_encrypted_bytes",
            "int64",
            "Part in encrypted_content (Codex).",
            "UTF-8 bytes",
            "parser.md 2",
            required=True,
        ),
        Column(
            "has_thinking",
            "bool",
            "A thinking block was present, whether or not its text was kept.",
            "",
            "parser.md 2",
            required=True,
        ),
        Column("has_tool_use", "bool", "The turn called a tool.", "", "parser.md 1.2", required=True),
        Column("model", "string", "Last non-empty model of the turn.", "", "parser.md 1.2", few_values=True),
        Column("message_id", "string", "API message id of the turn."),
        Column("timestamp", "timestamp", "Time of the turn's first line.", "UTC", "parser.md 1.2"),
        IS_SIDECHAIN,
    ),
)
