"""Named reports: SQL texts over the views and the options they take; one module per report."""

from __future__ import annotations

from tracelake.errors import UsageError
from tracelake.reports.agents import AGENTS
from tracelake.reports.blocks import BLOCKS
from tracelake.reports.citations import CITATIONS
from tracelake.reports.cost import COST
from tracelake.reports.fallbacks import FALLBACKS
from tracelake.reports.model import Report
from tracelake.reports.quality import QUALITY
from tracelake.reports.sessions import SESSIONS
from tracelake.reports.thinking import THINKING
from tracelake.reports.tools import TOOLS
from tracelake.reports.usage import USAGE

_ALL = (COST, USAGE, SESSIONS, TOOLS, FALLBACKS, THINKING, BLOCKS, QUALITY, AGENTS, CITATIONS)
REPORTS: dict[str, Report] = {report.name: report for report in _ALL}
"""Every report by name."""


def find_report(name: str) -> Report:
    """Return the report of that name. Raises UsageError, naming the others, if there is none."""
    if name not in REPORTS:
        raise UsageError(f"there is no report {name!r}; there are {', '.join(REPORTS)}")
    return REPORTS[name]
