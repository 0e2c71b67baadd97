"""What `tracelake cite` writes: `<path>:<line>` for people and scripts, whole records in the other formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tracelake.cli.command import fail, note
from tracelake.cli.grid import Answer, Grid, Section
from tracelake.cli.options import Format, Settings
from tracelake.cli.output import destination, emit

if TYPE_CHECKING:
    from tracelake.citations.errors import AmbiguousError, CitationError, ResolutionError
    from tracelake.citations.model import Citation

COLUMNS = ("quote", "sourceTypes", "path", "line", "message", "call")


def emit_citation(citation: Citation, settings: Settings) -> None:
    """Write the entry found."""
    record = citation.to_dict()
    if settings.format is Format.TABLE:
        write_lines([f"{citation.path}:{citation.line}"], settings)
        return
    row = [record.get(name, "") for name in COLUMNS]
    emit(Answer(Grid(COLUMNS, (row,)), record), settings)


def emit_matches(error: AmbiguousError, settings: Settings) -> None:
    """Write every entry that holds an ambiguous quote."""
    if settings.format is Format.TABLE:
        write_lines([str(match) for match in error.matches], settings)
        return
    matches = [{"path": match.path, "line": match.line, "uuid": match.uuid} for match in error.matches]
    document = {"matches": matches, "sameEntry": error.same_entry}
    emit(Answer(_grid(("path", "line", "uuid"), matches), document), settings)


def emit_explained(
    citation: Citation | None, error: ResolutionError | None, texts: list[dict[str, Any]], settings: Settings
) -> None:
    """Write every text that holds the quote, with what became of the request."""
    names = ("path", "line_no", "pool", "kind", "citable", "reasons", "tool_name", "excerpt")
    document = {
        "citation": citation.to_dict() if citation else None,
        "problem": str(error) if error else None,
        "hints": [str(hint) for hint in error.hints] if error else [],
        "texts": texts,
    }
    shown = [{**text, "reasons": ", ".join(text["reasons"])} for text in texts]
    emit(Answer(_grid(names, texts), document, (Section(_grid(names, shown)),)), settings)


def emit_quote(quote: str, path: str, line: int, settings: Settings) -> None:
    """Write the quote that names an entry."""
    if settings.format is Format.TABLE:
        write_lines([quote], settings)
        return
    emit(Answer(Grid(("quote", "path", "line"), ((quote, path, line),)), _document(quote, path, line)), settings)


def _document(quote: str, path: str, line: int) -> dict[str, Any]:
    return {"quote": quote, "path": path, "line": line}


def report_unresolved(error: CitationError, settings: Settings) -> None:
    """Say on stderr why a quote does not resolve, and what is known about it."""
    fail(str(error))
    for hint in getattr(error, "hints", ()):
        note(settings, getattr(hint, "text", str(hint)))


def write_lines(lines: list[str], settings: Settings) -> None:
    """Write plain lines to stdout or `--output`."""
    with destination(settings.output) as out:
        for line in lines:
            out.write(line.encode("utf-8", "backslashreplace") + b"\n")


def _grid(names: tuple[str, ...], rows: list[dict[str, Any]]) -> Grid:
    return Grid(names, tuple(tuple(row[name] for name in names) for row in rows))
