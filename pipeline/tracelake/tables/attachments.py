"""`attachments`: images and other blobs carried inside messages."""

from tracelake.schema import Column, Table
from tracelake.tables.common import LINE_NO, MESSAGE_ORDINAL, OCCURRED_AT, RECORD_NO

ATTACHMENTS = Table(
    "attachments",
    "image or other blob (every occurrence)",
    (
        LINE_NO,
        RECORD_NO,
        Column("block_index", "int32", "Position of the block that carries it.", "0-based"),
        MESSAGE_ORDINAL,
        Column("carrier", "string", "user_image, tool_result_image, generated_image or document.", few_values=True),
        Column("sha256", "string", "SHA-256 of the decoded bytes.", "hex", "parser.md 4.8"),
        Column("bytes", "int64", "Length of the decoded blob.", "bytes", "parser.md 4.8"),
        Column(
            "media_type",
            "string",
            "Media type read from the data itself, else as declared.",
            "",
            "parser.md 4.8",
            few_values=True,
        ),
        Column("filename", "string", "File name, where one is given.", "", "parser.md 4.8"),
        Column("byte_offset", "int64", "Position in the file of the encoded value, quotes excluded.", "bytes"),
        Column("byte_len", "int64", "Length of the encoded value in the file.", "bytes"),
        OCCURRED_AT,
    ),
)
