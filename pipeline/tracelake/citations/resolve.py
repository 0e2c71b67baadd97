"""Quotes resolved to the one entry that holds each (C-14 to C-16); the search itself is the macro `cite_requests`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tracelake.citations.errors import (
    AmbiguousError,
    CitationRequestError,
    NoSessionRootError,
    NotFoundError,
    RecordUnreadableError,
)
from tracelake.citations.files import RecordFile, record_file, require_available, require_citable, select
from tracelake.citations.hints import unresolved_hints
from tracelake.citations.model import Citation, CitationMatch, CitationRequest, SourceType
from tracelake.citations.normal import fold_spaces
from tracelake.citations.render import rendered

if TYPE_CHECKING:
    from tracelake.lake.connect import Connection

Asked = tuple[str | None, CitationRequest]
"""The file a request is asked from (None for the whole lake), and the request."""

_OUTCOMES = """
    SELECT * FROM cite_requests($requests::STRUCT(
        request_id BIGINT, quote VARCHAR, pools VARCHAR[], from_path VARCHAR, as_subagent BOOLEAN)[])
    ORDER BY request_id
"""
_ONE_FILE = """
    SELECT DISTINCT line_no FROM citations
    WHERE path = $path AND list_contains($pools, pool)
        AND (citable OR all_reasons = ['subagent_record'])
        AND (contains(norm_text, $wanted) OR contains(norm_text_unnumbered, $wanted))
    ORDER BY line_no
"""


def outcomes(lake: Connection, asked: Sequence[Asked], as_subagent: bool = False) -> list[dict[str, Any]]:
    """Return the row of `cite_requests` for every request, in order, from one query."""
    requests = [
        {
            "request_id": number,
            "quote": request.quote,
            "pools": [str(source) for source in request.source_types],
            "from_path": path,
            "as_subagent": as_subagent,
        }
        for number, (path, request) in enumerate(asked)
    ]
    return select(lake, _OUTCOMES, requests=requests) if requests else []


def resolve_citation(lake: Connection, path: str | None, request: CitationRequest) -> Citation:
    """Return the one entry that holds the quote, in the session of the file at `path` (C-15, C-16).

    Without a path the whole lake is searched. Raises CitationRequestError, RecordUnreadableError,
    SubagentUnlinkedError, NotFoundError, AmbiguousError or NoSessionRootError.
    """
    return resolve_citations(lake, path, [request])[0]


def resolve_subagent_citation(lake: Connection, path: str, request: CitationRequest) -> Citation:
    """Return the same for a caller known to be a sub-agent: its own file is never the root (C-15). Raises likewise."""
    return resolve_citations(lake, path, [request], as_subagent=True)[0]


def resolve_citations(
    lake: Connection,
    path: str | None,
    requests: Sequence[CitationRequest],
    as_subagent: bool = False,
) -> list[Citation]:
    """Return a citation for every request, in order; the first that does not resolve fails all (C-16)."""
    file = record_file(lake, path) if path is not None else None
    if file is not None:
        require_available(file, as_subagent)
    found = outcomes(lake, [(path, request) for request in requests], as_subagent)
    return [citation_of(lake, file, request, row, as_subagent) for request, row in zip(requests, found, strict=True)]


def citation_of(
    lake: Connection,
    file: RecordFile | None,
    request: CitationRequest,
    row: dict[str, Any],
    as_subagent: bool = False,
) -> Citation:
    """Return the citation that one outcome stands for, or raise what it stands for."""
    outcome = row["outcome"]
    if outcome == "invalid":
        raise CitationRequestError(f"{request}: {row['reason']}")
    if outcome == "refused":
        raise NoSessionRootError(f"{request}: {row['reason']}; a sub-agent's file holds none of them")
    if outcome == "none":
        raise not_found(lake, file, request, as_subagent)
    if outcome == "several":
        raise ambiguous(request, row)
    return _resolved(lake, request, row)


def _resolved(lake: Connection, request: CitationRequest, row: dict[str, Any]) -> Citation:
    sources = tuple(SourceType(name) for name in row["source_types"])
    session_id = record_file(lake, row["path"]).session_id
    message, call = rendered(lake, session_id, row["path"], row["line_no"], sources)
    return Citation(request.quote, sources, row["path"], row["line_no"], message, call)


def not_found(lake: Connection, file: RecordFile | None, request: CitationRequest, as_subagent: bool) -> NotFoundError:
    """Return the error of a quote that no entry holds, with its hints."""
    place = f"the session of {file.path}" if file else "the lake"
    error = NotFoundError(f"{request}: no entry of {place} holds it{unsearched(lake, file)}")
    if file is not None:
        hints = unresolved_hints(lake, file.path, request.quote, request.source_types, as_subagent)
        error.hints = tuple(hints)
    return error


_LONG_LINES = """
    SELECT path, line_no FROM entries
    WHERE status = 'oversize' AND ($session_id IS NULL OR session_id = $session_id) ORDER BY path, line_no
"""
NOT_SEARCHED = "; not searched: "
_OTHER_AGENTS = "SELECT DISTINCT agent FROM files WHERE agent <> 'claude' AND kind = 'main' ORDER BY agent"


def unsearched(lake: Connection, file: RecordFile | None) -> str:
    """Return what was not looked at, as the end of a sentence; empty where everything was."""
    lines = select(lake, _LONG_LINES, session_id=file.session_id if file else None)
    named = [f"{row['path']}:{row['line_no']} (over 16 MiB)" for row in lines]
    if file is None:
        named += [f"transcripts of {row['agent']}" for row in select(lake, _OTHER_AGENTS)]
    return NOT_SEARCHED + ", ".join(named) if named else ""


def ambiguous(request: CitationRequest, row: dict[str, Any]) -> AmbiguousError:
    """Return the error of a quote that several entries hold, with all of them."""
    matches = tuple(CitationMatch(match["path"], match["line_no"], match["uuid"]) for match in row["matches"])
    kind = "one entry that forks repeat stands" if row["same_entry"] else "different entries stand"
    error = AmbiguousError(f"{request}: {kind} at {len(matches)} places")
    error.matches, error.same_entry = matches, row["same_entry"]
    return error


def cite(lake: Connection, path: str, quote: str) -> list[CitationMatch]:
    """Return the entries of one file where the user's words hold the quote (C-14). Raises RecordUnreadableError."""
    return cite_with_sources(lake, path, quote)


def cite_with_sources(
    lake: Connection, path: str, quote: str, sources: Sequence[SourceType] = ()
) -> list[CitationMatch]:
    """Return the entries of one file that hold the quote in any of the pools, in order of lines (C-14).

    No sources means the user's pool. The file's own words count even if it is a sub-agent's. Raises
    RecordUnreadableError.
    """
    file, wanted = record_file(lake, path), fold_spaces(quote)
    require_citable(file)
    if not wanted:
        return []
    pools = [str(source) for source in sources or (SourceType.USER,)]
    return [
        CitationMatch(file.path, row["line_no"])
        for row in select(lake, _ONE_FILE, path=path, pools=pools, wanted=wanted)
    ]


def cite_in_session(lake: Connection, path: str, quote: str, sources: Sequence[SourceType] = ()) -> list[CitationMatch]:
    """Return the entries of a file's session that hold the quote, root first (C-15); no sources means the user's.

    Raises RecordUnreadableError, SubagentUnlinkedError or NoSessionRootError.
    """
    require_available(record_file(lake, path))
    if not fold_spaces(quote):
        return []
    request = CitationRequest(quote, tuple(sources) or (SourceType.USER,))
    row = outcomes(lake, [(path, request)])[0]
    if row["outcome"] == "refused":
        raise NoSessionRootError(f"{request}: {row['reason']}")
    if row["outcome"] == "invalid":
        raise RecordUnreadableError(f"{path}: {row['reason']}")
    return [CitationMatch(match["path"], match["line_no"], match["uuid"]) for match in row["matches"]]
