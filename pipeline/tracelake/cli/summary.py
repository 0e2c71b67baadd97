"""The summary of an extraction as an answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from tracelake.cli.grid import Answer, Grid, Section
from tracelake.run.summary import Summary

NAMES = ("section", "name", "count", "text")
"""Columns of the flat form: a count or a text, by section and name."""


def describe(summary: Summary) -> Answer:
    """Return the summary: flat rows for csv, jsonl and parquet, the whole structure for json, blocks for people."""
    rows = tuple(flat(summary))
    document = {**msgspec.to_builtins(summary), "exit_code": summary.exit_code}
    document["failures"] = [{"path": path, "reason": reason} for path, reason in summary.failures]
    return Answer(Grid(NAMES, rows), document, tuple(sections(summary)))


def flat(summary: Summary) -> Iterator[tuple[str, str, int | None, str | None]]:
    """Yield every fact of the summary as (section, name, count, text)."""
    yield "run", "lake", None, summary.lake
    yield "run", "dry_run", int(summary.dry_run), None
    for source in summary.sources:
        yield "source", source, None, None
    for name in ("sessions_seen", "sessions_changed", "sessions_failed", "vanished", "lines", "bytes"):
        yield "run", name, getattr(summary, name), None
    for name in ("seconds", "mb_per_second"):
        yield "run", name, None, f"{getattr(summary, name):.3f}"
    for section, counts in (("files", summary.files), ("rows", summary.rows), ("lines", summary.statuses)):
        for name, count in counts.items():
            yield section, name, count, None
    for reason, count in summary.not_read.items():
        yield "not_read", reason, count, None
    for path, reason in summary.failures:
        yield "failure", path, None, reason
    for problem in summary.problems:
        yield "problem", problem, None, None


def sections(summary: Summary) -> Iterator[Section]:
    """Yield the blocks a person reads: the run, then counts side by side, then what went wrong."""
    yield Section(Grid(("run", ""), tuple(headline(summary))))
    for title, counts in (("files", summary.files), ("rows", summary.rows), ("lines", summary.statuses)):
        if counts:
            yield Section(Grid((f"{title} by {_KEYS[title]}", "count"), tuple(counts.items())))
    if summary.not_read:
        yield Section(Grid(("not read", "count"), tuple(shown_reasons(summary.not_read))))
    if summary.failures:
        yield Section(Grid(("failed", "reason"), tuple(summary.failures)))
    if summary.problems:
        yield Section(Grid(("problem",), tuple((problem,) for problem in summary.problems)))


REASONS_SHOWN = 20
"""Reasons quote what they found, so there can be thousands; a person sees the most frequent."""


def shown_reasons(counts: dict[str, int]) -> Iterator[tuple[str, int]]:
    """Yield the most frequent reasons with their counts, and the rest as one."""
    yield from list(counts.items())[:REASONS_SHOWN]
    rest = list(counts.values())[REASONS_SHOWN:]
    if rest:
        yield f"{len(rest):,} other reasons (--json has all)", sum(rest)


_KEYS = {"files": "kind", "rows": "table", "lines": "status"}


def headline(summary: Summary) -> Iterator[tuple[str, Any]]:
    """Yield what the run as a whole came to."""
    yield "lake", summary.lake
    for source in summary.sources:
        yield "source", source
    changed = "would be read" if summary.dry_run else "changed"
    failed = f", {summary.sessions_failed:,} failed" if summary.sessions_failed else ""
    yield "sessions", f"{summary.sessions_seen:,} seen, {summary.sessions_changed:,} {changed}{failed}"
    if summary.vanished:
        yield (
            "vanished",
            f"{summary.vanished:,} {'file is' if summary.vanished == 1 else 'files are'} gone; their rows stay",
        )
    if summary.lines_gone:
        lines = f"{summary.lines_gone:,} {'line' if summary.lines_gone == 1 else 'lines'}"
        yield "rewritten", f"{lines} gone from files that were rewritten; what their calls cost still counts"
    if summary.moved:
        yield "moved", f"{summary.moved:,} {'file' if summary.moved == 1 else 'files'} found under another path"
    yield "read", f"{summary.lines:,} lines, {summary.bytes / 1e6:,.1f} MB"
    yield "time", f"{summary.seconds:.2f} s, {summary.mb_per_second:,.1f} MB/s"
