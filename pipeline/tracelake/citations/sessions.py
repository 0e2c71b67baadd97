"""A quote looked for in a project's sessions, the current one first, then from the newest back (C-20)."""

from __future__ import annotations

from posixpath import dirname
from typing import TYPE_CHECKING, Any

from tracelake.citations.errors import CitationRequestError, NotFoundError, RecordUnreadableError
from tracelake.citations.files import TRANSCRIPTS, RecordFile, record_file, require_available, select
from tracelake.citations.model import Citation, CitationRequest, SourceType
from tracelake.citations.resolve import NOT_SEARCHED, citation_of, not_found, outcomes, unsearched
from tracelake.sources.layout import session_dir_of

if TYPE_CHECKING:
    from tracelake.lake.connect import Connection

_OTHERS = f"""
    SELECT path, read_error FROM files
    WHERE {TRANSCRIPTS} AND starts_with(path, $folder) AND path LIKE '%.jsonl'
        AND NOT contains(path[length($folder) + 1 :], '/') AND path <> $current
    ORDER BY mtime DESC, path
"""


def resolve_citation_across_sessions(
    lake: Connection, current: str | None, project_dir: str | None, request: CitationRequest
) -> Citation:
    """Return the entry that holds the quote in the first session that has it at all (C-20).

    `current` is the file of the session asked first, `project_dir` the folder of the project's others; either may be
    None. Sessions are taken by the modification time their files had when they were extracted. Raises like
    resolve_citation; what could not be read is named when nothing is found.
    """
    if not request.quote.strip():
        raise CitationRequestError(f"{request}: an empty quote names nothing")
    paths, unreadable = _candidates(lake, current, project_dir)
    asked = request if request.source_types else CitationRequest(request.quote, (SourceType.USER,))
    rows = outcomes(lake, [(path, asked) for path in paths])
    for path, row in zip(paths, rows, strict=True):
        if row["outcome"] == "invalid":
            raise CitationRequestError(f"{request}: {row['reason']}")
        if row["outcome"] not in ("one", "several"):
            continue
        if not request.source_types:
            raise CitationRequestError(f"{request}: no pool is named")
        return citation_of(lake, record_file(lake, path), asked, row)
    if current in paths:
        raise _named(not_found(lake, record_file(lake, current), asked, False), unreadable)
    raise _named(NotFoundError(f"{request}: no session of the project holds it{_unsearched(lake, paths)}"), unreadable)


def _candidates(lake: Connection, current: str | None, project_dir: str | None) -> tuple[list[str], list[str]]:
    """Return the files to ask in order, and those that could not be read."""
    paths: list[str] = []
    unreadable: list[str] = []
    if current:
        try:
            require_available(record_file(lake, current))
            paths.append(current)
        except RecordUnreadableError:
            unreadable.append(current)
    others: list[dict[str, Any]] = []
    if project_dir:
        others = select(lake, _OTHERS, folder=project_dir.rstrip("/") + "/", current=current or "")
    paths += [row["path"] for row in others if not row["read_error"]]
    unreadable += [row["path"] for row in others if row["read_error"]]
    return paths, unreadable


def _unsearched(lake: Connection, paths: list[str]) -> str:
    """Return which lines of the files asked were not looked at, as the end of a sentence."""
    named = [unsearched(lake, record_file(lake, path)).removeprefix(NOT_SEARCHED) for path in paths]
    return NOT_SEARCHED + ", ".join(filter(None, named)) if any(named) else ""


def _named(error: NotFoundError, unreadable: list[str]) -> NotFoundError:
    if not unreadable:
        return error
    named = NotFoundError(f"{error}; could not be read: {', '.join(unreadable)}")
    named.hints = error.hints
    return named


def project_dir_of(file: RecordFile) -> str:
    """Return the folder that holds the main files of a file's project (I-6)."""
    folder = session_dir_of(file.top)
    return dirname(folder or file.top)
