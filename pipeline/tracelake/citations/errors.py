"""Everything that keeps a citation from being resolved; the exit codes are those of `tracelake cite`.

CitationError                   exit 64   the request or the file cannot be read
├── CitationRequestError                  no quote, no pool, an unknown pool
├── RecordUnreadableError                 the file is not in the lake, or could not be read when it was extracted
├── NoEntryAtLineError                    the line holds no entry
├── AgentNotCitableError                  a transcript of a program whose texts cannot be judged
├── SubagentUnlinkedError       exit 3    a sub-agent of a program whose sub-agents cannot be tied to their session
└── ResolutionError                       the quote was looked for and does not resolve
    ├── NotFoundError           exit 1    in no entry
    ├── AmbiguousError          exit 2    in several entries
    └── NoSessionRootError      exit 3    the user's words asked of a sub-agent without a root
"""

from __future__ import annotations

from tracelake.citations.model import CitationMatch
from tracelake.errors import TracelakeError


class CitationError(TracelakeError):
    """Base of all of them."""

    exit_code = 64


class CitationRequestError(CitationError):
    """The request itself is wrong (C-16)."""


class RecordUnreadableError(CitationError):
    """The file asked about is not in the lake, or reading it failed."""


class NoEntryAtLineError(CitationError):
    """The line is past the end of the file, or holds no entry (C-21)."""


class AgentNotCitableError(CitationError):
    """A refusal to judge: the program's transcripts do not say who wrote a text, so nothing was looked for."""


class SubagentUnlinkedError(CitationError):
    """A refusal to judge, never a verdict: the quote was not looked for."""

    exit_code = 3


class ResolutionError(CitationError):
    """A citation that was read and does not resolve; `hints` say what is known about why (C-19)."""

    hints: tuple[str, ...] = ()


class NotFoundError(ResolutionError):
    """No entry of the pools holds the quote."""

    exit_code = 1


class AmbiguousError(ResolutionError):
    """Several entries hold the quote: `matches`. With `same_entry` they are one entry that forks repeat."""

    exit_code = 2
    matches: tuple[CitationMatch, ...] = ()
    same_entry: bool = False


class NoSessionRootError(ResolutionError):
    """The user's words were asked of a sub-agent's file whose session's main file is not known."""

    exit_code = 3
