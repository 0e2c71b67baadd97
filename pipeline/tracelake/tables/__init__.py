"""The tables of the lake, in the order data reaches them; one module per table."""

from tracelake.schema import Table, schema_stamp
from tracelake.tables.agent_signals import AGENT_SIGNALS
from tracelake.tables.attachments import ATTACHMENTS
from tracelake.tables.blocks import BLOCKS
from tracelake.tables.citations import CITATIONS
from tracelake.tables.entries import ENTRIES
from tracelake.tables.events import EVENTS
from tracelake.tables.fallbacks import FALLBACKS
from tracelake.tables.files import FILES
from tracelake.tables.messages import MESSAGES
from tracelake.tables.raw_lines import RAW_LINES
from tracelake.tables.token_usage import TOKEN_USAGE
from tracelake.tables.tool_calls import TOOL_CALLS
from tracelake.tables.tool_results import TOOL_RESULTS

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        FILES,
        ENTRIES,
        RAW_LINES,
        BLOCKS,
        MESSAGES,
        TOOL_CALLS,
        TOOL_RESULTS,
        CITATIONS,
        TOKEN_USAGE,
        FALLBACKS,
        AGENT_SIGNALS,
        EVENTS,
        ATTACHMENTS,
    )
}
"""Every table by name."""
EXTRACTOR_VERSION = 6
"""Raised whenever the rows made from the same bytes change; files read by another version are read again."""
SCHEMA = schema_stamp(TABLES.values())
"""What segments written now are stamped with."""
