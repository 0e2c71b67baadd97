"""The shortest quote that names one entry: of the fewest words, then of the fewest characters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tracelake.citations.at import require_entry
from tracelake.citations.errors import AmbiguousError, NotFoundError
from tracelake.citations.files import record_file, select, tree_of
from tracelake.citations.model import CitationMatch, SourceType

if TYPE_CHECKING:
    from tracelake.lake.connect import Connection

MAX_WORDS = 4_000
"""How many words at the beginning of each of the entry's texts are tried."""
_OWN = """
    SELECT coalesce(norm_text_unnumbered, norm_text) AS text FROM citable_texts
    WHERE path = $path AND line_no = $line AND list_contains($pools, pool) ORDER BY seq
"""
_OTHERS = """
    SELECT path, line_no, norm_text, norm_text_unnumbered FROM citable_texts
    WHERE ($paths IS NULL OR list_contains($paths, path)) AND list_contains($pools, pool)
        AND NOT (path = $path AND line_no = $line)
"""
_REASONS = """
    SELECT DISTINCT unnest(all_reasons) AS reason FROM citations
    WHERE path = $path AND line_no = $line AND list_contains($pools, pool) ORDER BY reason
"""


def shortest_quote(
    lake: Connection,
    path: str,
    line: int,
    pools: Sequence[SourceType] = tuple(SourceType),
    whole_lake: bool = False,
) -> str:
    """Return the shortest run of whole words that only the entry at `path`:`line` holds.

    Only its session is looked at, or all files with `whole_lake`. Raises NotFoundError when the entry has no text
    that may be cited, AmbiguousError when every quote of it also stands elsewhere, NoEntryAtLineError,
    RecordUnreadableError.
    """
    require_entry(lake, path, line)
    names = [str(pool) for pool in pools]
    own = [row["text"] for row in select(lake, _OWN, path=path, line=line, pools=names) if row["text"]]
    if not own:
        reasons = ", ".join(row["reason"] for row in select(lake, _REASONS, path=path, line=line, pools=names))
        raise NotFoundError(f"{path}:{line} has no text that may be cited{reasons and ': '}{reasons}")
    paths = None if whole_lake else tree_of(lake, record_file(lake, path).top)
    others = select(lake, _OTHERS, path=path, line=line, pools=names, paths=paths)
    quote = _shortest(own, _Haystack([text for row in others for text in _both(row)]))
    if quote is None:
        raise _repeated(path, line, own[0], others)
    return quote


def _both(row: Mapping[str, str | None]) -> Iterator[str]:
    yield from (text for text in (row["norm_text"], row["norm_text_unnumbered"]) if text)


class _Haystack:
    """Texts that a quote must not be in; runs of words that are in them are remembered by their number of words."""

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts
        self._words = [text.split(" ") for text in texts]

    def runs(self, size: int, wanted: set[str]) -> set[str]:
        """Return which of the wanted runs of `size` words are whole words of a text."""
        return {
            run
            for words in self._words
            for at in range(len(words) - size + 1)
            if (run := " ".join(words[at : at + size])) in wanted
        }

    def holds(self, quote: str) -> bool:
        """Return whether some text contains the quote, within words too."""
        return any(quote in text for text in self._texts)


def _shortest(own: list[str], others: _Haystack) -> str | None:
    words = [text.split(" ")[:MAX_WORDS] for text in own]
    for size in range(1, max(map(len, words)) + 1):
        runs = {" ".join(text[at : at + size]) for text in words for at in range(len(text) - size + 1)}
        rare = sorted(runs - others.runs(size, runs), key=lambda run: (len(run), run))
        found = next((run for run in rare if not others.holds(run)), None)
        if found is not None:
            return found
        if size == 1 and all(others.holds(text) for text in own):
            return None
    return None


def _repeated(path: str, line: int, text: str, others: list[dict[str, str]]) -> AmbiguousError:
    same = [CitationMatch(row["path"], int(row["line_no"])) for row in others if any(text in one for one in _both(row))]
    error = AmbiguousError(f"{path}:{line}: all of it also stands at {', '.join(map(str, same[:5]))}")
    error.matches = (CitationMatch(path, line), *same)
    return error
