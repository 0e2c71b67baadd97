"""`raw_lines`: the exact bytes of every physical line, in chunks for long ones."""

from tracelake.schema import Column, Table
from tracelake.tables.common import LINE_NO

RAW_LINES = Table(
    "raw_lines",
    "physical line, or chunk of a long one",
    (
        LINE_NO,
        Column("chunk_no", "int32", "Position of the chunk within the line; 0 for all but very long lines.", "0-based"),
        Column(
            "raw",
            "binary",
            "The line's exact bytes without its LF (a CR before it is kept).",
            "bytes",
            "E-1",
        ),
    ),
)
