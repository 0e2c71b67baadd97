"""The tables of the lake, in the order data reaches them; one module per table."""

from pipeline.schema import Table
from pipeline.tables.agent_signals import AGENT_SIGNALS
from pipeline.tables.attachments import ATTACHMENTS
from pipeline.tables.blocks import BLOCKS
from pipeline.tables.citations import CITATIONS
from pipeline.tables.entries import ENTRIES
from pipeline.tables.events import EVENTS
from pipeline.tables.fallbacks import FALLBACKS
from pipeline.tables.files import FILES
from pipeline.tables.messages import MESSAGES
from pipeline.tables.raw_lines import RAW_LINES
from pipeline.tables.token_usage import TOKEN_USAGE
from pipeline.tables.tool_calls import TOOL_CALLS
from pipeline.tables.tool_results import TOOL_RESULTS

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
