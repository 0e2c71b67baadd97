"""Whether a tool call reads an agent's own transcript (C-11): asked of the disk (live), and of names (static).

The live answer is that of the machine and the moment of extraction.
"""

from __future__ import annotations

import io
import os
import re
import stat
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from posixpath import dirname, expanduser, join

from tracelake import config
from tracelake.citations.harness_text import is_record_line
from tracelake.sources.opening import open_regular

SNIFFED_LINES = 20
MAX_SNIFFED_LINE = 4 * 1024 * 1024
_TOKEN = re.compile(r"""#[^\n]*|(?:'[^']*(?:'|\Z)|"[^"]*(?:"|\Z)|\\(?:.|\Z)|[^ \t\n'"\\]+)+""", re.DOTALL)
_PIECE = re.compile(r"""'([^']*)(?:'|\Z)|"([^"]*)(?:"|\Z)|\\(.|\Z)|([^'"\\]+)""", re.DOTALL)
_GLOB = re.compile(r"[*?\[]")
_PROJECTS = re.compile(r"/\.claude/projects(?:/|\Z)|/\.config/claude/projects(?:/|\Z)|/projects/-[^/]*(?:/|\Z)")
_TASK_OUTPUT = re.compile(r"(?:^|/)tasks/[^/]+\.output\Z")


def command_paths(command: str) -> Iterator[str]:
    """Yield the words of a command that look like paths (C-11)."""
    if not _may_be_path(command):
        return
    for token in _TOKEN.findall(command):
        if token[0] == "#":
            continue
        if "'" in token or '"' in token or "\\" in token:
            token = "".join(piece for parts in _PIECE.findall(token) for piece in parts)
        if _may_be_path(token):
            path = _path_in(token)
            if "/" in path or path.endswith((".jsonl", ".output")):
                yield path


def _may_be_path(text: str) -> bool:
    return "/" in text or ".jsonl" in text or ".output" in text


def _path_in(word: str) -> str:
    word = word.strip("();|&`")
    start = max(word.rfind("<"), word.rfind(">"))
    word = word[start + 1 :]
    if not word.startswith("-"):
        return word
    return word.partition("=")[2]


class TranscriptReads:
    """Answers for paths; what the disk said is remembered for as long as this object lives."""

    def __init__(self, homes: Sequence[Path] | None = None) -> None:
        """Take the agent homes below which `projects` holds transcripts, by default the configured ones."""
        self._homes = homes
        self._live: dict[str, bool] = {}

    @cached_property
    def _roots(self) -> list[str]:
        homes = config.claude_homes() if self._homes is None else self._homes
        return [str(home / "projects") for home in homes]

    @cached_property
    def _resolved(self) -> list[str]:
        return [os.path.realpath(root) for root in self._roots]

    def live(self, path: str, cwd: str | None) -> bool:
        """Return whether `path` is a transcript on this disk now (C-11)."""
        absolute = _absolute(path, cwd)
        if absolute is None:
            return False
        known = self._live.get(absolute)
        if known is None:
            known = self._live[absolute] = self._is_transcript(absolute)
        return known

    def in_projects(self, path: str, cwd: str | None) -> bool:
        """Return whether `path` lies, by its name, below a folder that holds transcripts."""
        absolute = _absolute(path, cwd)
        if absolute is None or "projects" not in absolute:
            return False
        absolute = os.path.normpath(absolute)
        return bool(_PROJECTS.search(absolute)) or _is_inside(absolute, self._roots)

    def _is_transcript(self, path: str) -> bool:
        wild = _GLOB.search(path)
        try:
            if wild:
                return _is_inside(os.path.realpath(dirname(path[: wild.start()])), self._resolved)
            mode = os.stat(path).st_mode  # noqa: PTH116 - asked for every path of every call, most are gone
            resolved = os.path.realpath(path)
        except (OSError, ValueError):
            return False
        return _is_inside(resolved, self._resolved) or (stat.S_ISREG(mode) and _holds_records(resolved))


def is_task_output(path: str) -> bool:
    """Return whether `path` is named like the output of a background task: of an agent, or just as well of a shell."""
    return path.endswith(".output") and _TASK_OUTPUT.search(path) is not None


def _absolute(path: str, cwd: str | None) -> str | None:
    if path.startswith("~/"):
        path = expanduser(path)
    if path.startswith("/"):
        return path
    return join(cwd, path) if cwd else None


def _is_inside(path: str, folders: Sequence[str]) -> bool:
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


def _holds_records(path: str) -> bool:
    """Return whether one of the first 20 lines of a regular file is a record of an agent program."""
    try:
        with io.BufferedReader(open_regular(path)) as stream:  # type: ignore[type-var]
            for _ in range(SNIFFED_LINES):
                line = stream.readline(MAX_SNIFFED_LINE + 1)
                if not line or len(line) > MAX_SNIFFED_LINE:
                    return False
                if is_record_line(line.removesuffix(b"\n")):
                    return True
    except OSError:
        pass
    return False
