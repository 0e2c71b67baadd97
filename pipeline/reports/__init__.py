"""Named reports: SQL texts over the views and the options they take; one module per report."""

from __future__ import annotations

from pipeline.errors import UsageError
from pipeline.reports.agents import AGENTS
from pipeline.reports.blocks import BLOCKS
from pipeline.reports.citations import CITATIONS
from pipeline.reports.cost import COST
from pipeline.reports.fallbacks import FALLBACKS
from pipeline.reports.model import Report
from pipeline.reports.quality import QUALITY
from pipeline.reports.sessions import SESSIONS
from pipeline.reports.thinking import THINKING
from pipeline.reports.tools import TOOLS
from pipeline.reports.usage import USAGE

_ALL = (COST, USAGE, SESSIONS, TOOLS, FALLBACKS, THINKING, BLOCKS, QUALITY, AGENTS, CITATIONS)
REPORTS: dict[str, Report] = {report.name: report for report in _ALL}
"""Every report by name."""


def find_report(name: str) -> Report:
    """Return the report of that name. Raises UsageError, naming the others, if there is none."""
    if name not in REPORTS:
        raise UsageError(f"there is no report {name!r}; there are {', '.join(REPORTS)}")
    return REPORTS[name]
