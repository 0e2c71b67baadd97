"""`events`: compactions, turn ends, API errors and stop hooks in file order."""

from tracelake.schema import Column, Table
from tracelake.tables.common import LINE_NO, MESSAGE_ORDINAL, OCCURRED_AT, RECORD_NO

EVENTS = Table(
    "events",
    "event",
    (
        LINE_NO,
        RECORD_NO,
        Column("seq", "int64", "Running number of the event.", "0-based within the file", "parser.md 1.3"),
        Column(
            "kind", "string", "compaction, turn_end, api_error, stop_hook, ...", "", "parser.md 1.3", few_values=True
        ),
        Column("attrs", "string", "Details of the event, keys sorted.", "JSON", "parser.md 1.3"),
        MESSAGE_ORDINAL,
        OCCURRED_AT,
    ),
)
