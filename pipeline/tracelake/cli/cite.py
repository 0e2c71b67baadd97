"""`tracelake cite`: a quote resolved to the one entry that holds it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tracelake.cli.cite_output import emit_citation, emit_explained, emit_matches, emit_quote, report_unresolved
from tracelake.cli.command import command
from tracelake.cli.options import Settings
from tracelake.errors import UsageError

if TYPE_CHECKING:
    from tracelake.citations.model import Citation, CitationRequest, SourceType
    from tracelake.lake.connect import Connection

FAILED = 64
"""Exit code of wrong usage and of what cannot be read; 0 to 3 say how the quote resolved."""


@partial(command, failed=FAILED)
def cite(
    settings: Settings,
    quote: Annotated[str | None, typer.Argument(help="The words to look for.", show_default=False)] = None,
    from_: Annotated[
        str | None,
        typer.Option("--from", help="Transcript file or session the quote is asked from; without it, the whole lake."),
    ] = None,
    pool: Annotated[
        list[str] | None, typer.Option(help="user, tool_result or both, separated by commas; default user.")
    ] = None,
    as_subagent: Annotated[bool, typer.Option("--as-subagent", help="The caller is a sub-agent.")] = False,
    across: Annotated[bool, typer.Option("--across", help="Go on to the project's other sessions.")] = False,
    at: Annotated[
        str | None, typer.Option(metavar="PATH:LINE", help="Print the shortest quote that names this entry.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="List every text that holds the quote, and why some are excluded.")
    ] = False,
) -> int:
    """Resolve a quote to the one entry that holds it, and print <path>:<line>.

    Exit codes: 0 one entry, 1 none, 2 several, 3 asked of a sub-agent, 64 wrong usage or unreadable.
    """
    from tracelake.citations.errors import ResolutionError, SubagentUnlinkedError
    from tracelake.lake.connect import open_lake

    check(quote, from_, at, as_subagent, across, explain)
    with open_lake(settings.lake) as lake:
        try:
            if at is not None:
                return name_entry(lake, settings, at, from_, pool)
            return resolve(lake, settings, request_of(quote or "", pool), from_, as_subagent, across, explain)
        except (ResolutionError, SubagentUnlinkedError) as error:
            report_unresolved(error, settings)
            return error.exit_code


def check(quote: str | None, from_: str | None, at: str | None, as_subagent: bool, across: bool, explain: bool) -> None:
    """Refuse options that contradict each other. Raises UsageError."""
    if (quote is None) == (at is None):
        raise UsageError('give one quote: tracelake cite "...", or an entry: --at PATH:LINE')
    if at is not None and (as_subagent or across or explain):
        raise UsageError("--at goes with --pool and --from only")
    if from_ is None and (as_subagent or across):
        raise UsageError("--as-subagent and --across need --from PATH or SESSION")
    if as_subagent and across:
        raise UsageError("--as-subagent and --across contradict each other")


def resolve(
    lake: Connection,
    settings: Settings,
    request: CitationRequest,
    from_: str | None,
    as_subagent: bool,
    across: bool,
    explain: bool,
) -> int:
    """Resolve one request and print the answer. Raises CitationError."""
    from tracelake.citations.errors import AmbiguousError, ResolutionError
    from tracelake.citations.explain import explain as texts_of

    path = record_path(lake, from_) if from_ is not None else None
    unresolved: ResolutionError | None = None
    citation: Citation | None = None
    try:
        citation = _citation(lake, request, path, as_subagent, across)
    except ResolutionError as error:
        unresolved = error
    if explain:
        emit_explained(citation, unresolved, texts_of(lake, request.quote, None if across else path), settings)
    elif citation is not None:
        emit_citation(citation, settings)
    elif isinstance(unresolved, AmbiguousError):
        emit_matches(unresolved, settings)
    if unresolved is not None:
        raise unresolved
    return 0


def _citation(
    lake: Connection, request: CitationRequest, path: str | None, as_subagent: bool, across: bool
) -> Citation:
    from tracelake.citations.files import record_file
    from tracelake.citations.resolve import resolve_citation, resolve_subagent_citation
    from tracelake.citations.sessions import project_dir_of, resolve_citation_across_sessions

    if path is None:
        return resolve_citation(lake, None, request)
    if across:
        return resolve_citation_across_sessions(lake, path, project_dir_of(record_file(lake, path)), request)
    return resolve_subagent_citation(lake, path, request) if as_subagent else resolve_citation(lake, path, request)


def name_entry(lake: Connection, settings: Settings, at: str, from_: str | None, pools: list[str] | None) -> int:
    """Print the shortest quote that names one entry. Raises CitationError."""
    from tracelake.citations.model import SourceType
    from tracelake.citations.shortest import shortest_quote

    place, _, number = at.rpartition(":")
    if not place or not number.isdecimal():
        raise UsageError(f"--at takes PATH:LINE, not {at!r}")
    if from_ is not None:
        raise UsageError("--at names the file itself; leave out --from")
    path = record_path(lake, place)
    wanted = sources_of(pools) if pools else tuple(SourceType)
    emit_quote(shortest_quote(lake, path, int(number), wanted), path, int(number), settings)
    return 0


def request_of(quote: str, pools: list[str] | None) -> CitationRequest:
    """Return the request as typed. Raises UsageError on an unknown pool."""
    from tracelake.citations.model import CitationRequest

    return CitationRequest(quote, sources_of(pools or ["user"]))


def sources_of(pools: list[str]) -> tuple[SourceType, ...]:
    """Return the pools named, each once, in order. Raises UsageError on an unknown one (C-14)."""
    from tracelake.citations.model import parse_source_type

    names = dict.fromkeys(name.strip() for pool in pools for name in pool.split(","))
    found = []
    for name in names:
        source = parse_source_type(name)
        if source is None:
            raise UsageError(f"no pool {name!r}; pools are user and tool_result")
        found.append(source)
    return tuple(found)


def record_path(lake: Connection, named: str) -> str:
    """Return the file that a path or a session id names; of a session its main file. Raises UsageError."""
    from tracelake.citations.files import TRANSCRIPTS, select

    paths = [named, str(Path(named).expanduser().absolute())]
    sql = f"""
        SELECT path FROM files WHERE {TRANSCRIPTS} AND list_contains($paths, path)
        UNION ALL
        SELECT path FROM files WHERE kind = 'main' AND session_id = $named
    """
    found: list[dict[str, Any]] = select(lake, sql, paths=paths, named=named)
    if len(found) == 1:
        return str(found[0]["path"])
    if found:
        raise UsageError(f"{named} names {len(found)} files: {', '.join(row['path'] for row in found[:5])}")
    raise UsageError(f"{named} is neither a transcript nor a session of this lake")
