"""Whether a report can be asked this."""

from __future__ import annotations

from dataclasses import fields

from tracelake.errors import UsageError
from tracelake.reports.model import Options, Report

AGENTS = ("claude", "codex", "pi")


def check(report: Report, options: Options) -> None:
    """Raise UsageError, one line, for an option the report does not take or a value it cannot have."""
    given = [field.name for field in fields(options) if getattr(options, field.name) is not None]
    for name in given:
        if name not in report.options:
            raise UsageError(f"report {report.name} has no --{name}")
    if options.by is not None and options.by not in report.by:
        raise UsageError(f"report {report.name} has no --by {options.by}; choose from {', '.join(report.by)}")
    if options.agent is not None and options.agent not in AGENTS:
        raise UsageError(f"there is no agent {options.agent!r}; choose from {', '.join(AGENTS)}")
    check_days(options)


def check_days(options: Options) -> None:
    """Raise UsageError, one line, where the first day is after the last."""
    if options.since and options.until and options.since > options.until:
        raise UsageError(f"--since {options.since} is after --until {options.until}")
