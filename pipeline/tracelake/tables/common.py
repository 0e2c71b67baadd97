"""Columns that several tables share, declared once so that they mean the same everywhere."""

from tracelake.schema import Column

LINE_NO = Column("line_no", "int64", "Physical line the row comes from (the first where several).", "1-based", "E-1")
RECORD_NO = Column(
    "record_no",
    "int32",
    "Which of the JSON objects glued on the line the row comes from; 0 on an ordinary line.",
    "0-based",
)
MESSAGE_ORDINAL = Column(
    "message_ordinal",
    "int64",
    "Ordinal of the folded message the row belongs to; NULL where none was open.",
    "0-based within the file",
    "parser.md 1.1",
)
OCCURRED_AT = Column(
    "occurred_at", "timestamp", "Time of the line the row comes from; NULL where it has none.", "UTC", "J9"
)
IS_SIDECHAIN = Column("is_sidechain", "bool", "The line belongs to a sub-agent's own conversation.", "", "E-10")
TOOL_USE_ID = Column("tool_use_id", "string", "The agent's id of the tool call.", "", "T-2")
