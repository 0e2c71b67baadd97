"""Questions about single transcript files on disk, asked of the files themselves (I-7 to I-14, S-6, S-8).

Whole trees are answered from the lake; these functions are for a program that holds one path and wants to know where it
belongs, before or without an extraction. All read only as far as the answer needs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path

from tracelake.config import claude_config_dir, current_session_id, named_transcript
from tracelake.decode.claude import FORM, Record
from tracelake.decode.parse import decode_line
from tracelake.errors import TracelakeError
from tracelake.fold.facts import resolve_work_dir
from tracelake.sources.lines import LineReader, open_counting
from tracelake.sources.opening import open_regular

__all__ = [
    "NoPathError",
    "NotAnAgentIdError",
    "belongs_to_session",
    "belongs_to_tree",
    "current_session_path",
    "descendant_subagent_paths",
    "encode_project_dir",
    "project_dir",
    "relocate_record",
    "resolve_work_dir",
    "subagent_paths",
    "subagent_transcript_path",
    "subagents_linkable",
]

_LONGEST_NAME = 255
_NOT_ALPHANUMERIC = re.compile(r"[^A-Za-z0-9]")


class NoPathError(TracelakeError):
    """A question about a file was asked without a path."""


class NotAnAgentIdError(TracelakeError):
    """An id that could lead out of its folder; it is refused, never repaired (S-8)."""


def _records(path: str | Path) -> Generator[Record, None, None]:
    """Yield the strictly parseable records of a file. Raises OSError, also at a line over 16 MiB (E-2)."""
    with open_regular(os.path.realpath(path)) as raw:
        _, buffered = open_counting(raw)
        for line in LineReader(buffered):
            if line.data is None:
                raise OSError(f"line {line.line_no} is over 16 MiB")
            decoded = decode_line(line.data, line.has_lf, FORM)
            if decoded.is_strict:
                yield from decoded.records


def belongs_to_session(path: str | Path, session_id: str) -> str | None:
    """Return None where a guessed file may be the session's, else the first foreign session id (I-7).

    Accepted: an empty `session_id`, a record that names it, no record that names any, or a file that cannot be read to
    a decision.
    """
    if not session_id:
        return None
    foreign: str | None = None
    try:
        with closing(_records(path)) as records:
            for record in records:
                named = record.session_id or record.stream_session_id
                if named == session_id:
                    return None
                foreign = foreign or named
    except OSError:
        return None
    return foreign


def belongs_to_tree(path: str | Path, cwd: str) -> str | None:
    """Return None where a file's work was in or below `cwd`, else the first foreign working directory (I-8).

    Both sides have their symlinks resolved; accepted are also an empty `cwd`, a file that names no directory, and one
    that cannot be read to a decision.
    """
    if not cwd:
        return None
    wanted = resolve_work_dir(cwd)
    foreign: str | None = None
    try:
        with closing(_records(path)) as records:
            for record in records:
                if not record.cwd:
                    continue
                found = resolve_work_dir(record.cwd)
                if found == wanted or found.startswith(wanted + "/"):
                    return None
                foreign = foreign or record.cwd
    except OSError:
        return None
    return foreign


def encode_project_dir(path: str) -> str:
    """Return the folder name Claude Code gives a working directory: `-` for all but ASCII letters and digits (I-10)."""
    return _NOT_ALPHANUMERIC.sub("-", path)


def project_dir(cwd: str, config: Path | None = None) -> str:
    """Return where the sessions of a working directory lie; empty without a configuration folder (I-12)."""
    home = claude_config_dir() if config is None else config
    return f"{home}/projects/{encode_project_dir(resolve_work_dir(cwd))}" if home and str(home) != "." else ""


_relocated: dict[tuple[str, str], str] = {}
"""Relocations that were found; what was not found is looked for again."""


def relocate_record(config: str, path: str) -> str:
    """Return where a file that is gone from `path` lies now: another project folder, same tail, same session (I-13).

    `path` itself when it exists (a dangling link does not), cannot be a moved record, or is found nowhere. A relocation
    that was found is remembered as long as the file is there.
    """
    if not path or not config or os.path.exists(path):  # noqa: PTH110 (raises nothing)
        return path
    remembered = _relocated.get((config, path))
    if remembered is not None and os.path.exists(remembered):  # noqa: PTH110
        return remembered
    found = _search_record(config, path)
    if found is None:
        return path
    _relocated[config, path] = found
    return found


def _search_record(config: str, path: str) -> str | None:
    """Return the file of the same tail and session in another project folder; None where there is none."""
    head, own, tail = _split_at_projects(path)
    projects = f"{config}/projects"
    inside = os.path.realpath(head) == os.path.realpath(projects) or _is_below(head, projects)
    if not own or not tail or not inside:
        return None
    session_id = tail.split("/", 1)[0].removesuffix(".jsonl")
    try:
        others = sorted(entry.name for entry in os.scandir(head) if entry.is_dir() and entry.name != own)
    except OSError:
        return None
    candidates = (f"{head}/{other}/{tail}" for other in others)
    return next((one for one in candidates if Path(one).is_file() and _names_session(one, session_id)), None)


def _is_below(path: str, folder: str) -> bool:
    return os.path.realpath(path).startswith(os.path.realpath(folder) + "/")


def _split_at_projects(path: str) -> tuple[str, str, str]:
    """Return the nearest `projects` ancestor, the project folder's name and the rest."""
    parts = path.split("/")
    for position in range(len(parts) - 2, 0, -1):
        if parts[position] == "projects":
            return "/".join(parts[: position + 1]), parts[position + 1], "/".join(parts[position + 2 :])
    return "", "", ""


def _names_session(path: str, session_id: str) -> bool:
    try:
        with closing(_records(path)) as records:
            return any((record.session_id or record.stream_session_id) == session_id for record in records)
    except OSError:
        return False


def current_session_path(cwd: str | None = None) -> str | None:
    """Return the transcript of the session this process runs in, None where it is not known (I-14).

    The id comes from the environment; the file is looked for from `cwd` upward by project folder, then by id in
    all of them.
    """
    session_id = current_session_id()
    if not session_id:
        return named_transcript() or None
    if "/" in session_id or "\\" in session_id or session_id in (".", ".."):
        return None
    config = claude_config_dir()
    folder = start = cwd if cwd is not None else str(Path.cwd())
    while True:
        candidate = f"{project_dir(folder, config)}/{session_id}.jsonl"
        if Path(candidate).is_file() and _may_be(candidate, session_id, start):
            return candidate
        parent = str(Path(folder).parent)
        if parent == folder:
            break
        folder = parent
    for candidate in sorted(str(found) for found in (config / "projects").glob(f"*/{_literal(session_id)}.jsonl")):
        if Path(candidate).is_file() and belongs_to_session(candidate, session_id) is None:
            return candidate
    return None


def _may_be(path: str, session_id: str, cwd: str) -> bool:
    return belongs_to_session(path, session_id) is None and belongs_to_tree(path, cwd) is None


def _literal(text: str) -> str:
    return re.sub(r"([*?[])", r"[\1]", text)


def subagent_paths(path: str) -> list[str]:
    """Return the `agent-*.jsonl` directly in a transcript's `subagents` folder, sorted as strings (S-6)."""
    if not path.endswith(".jsonl"):
        return []
    folder = path.removesuffix(".jsonl") + "/subagents"
    try:
        names = [entry.name for entry in os.scandir(folder) if entry.is_file() and _is_agent_file(entry.name)]
    except FileNotFoundError:
        return []
    return [f"{folder}/{name}" for name in sorted(names)]


def _is_agent_file(name: str) -> bool:
    return name.startswith("agent-") and name.endswith(".jsonl")


def descendant_subagent_paths(path: str) -> list[str]:
    """Return all `agent-*.jsonl` below a transcript's `subagents` folder in walk order (S-6).

    Names are sorted inside each folder and folders expanded in place. Raises OSError for an unreadable subtree.
    """
    if not path.endswith(".jsonl"):
        return []
    folder = path.removesuffix(".jsonl") + "/subagents"
    return list(_walk(folder)) if Path(folder).is_dir() else []


def _walk(folder: str) -> Iterator[str]:
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(entry.path)
        elif _is_agent_file(entry.name):
            yield entry.path


def subagent_transcript_path(parent: str, agent_id: str) -> str:
    """Return where a sub-agent's transcript lies, or would lie: flat, else in a workflow's folder (S-8).

    Raises NoPathError for an empty parent, NotAnAgentIdError for an id that is no single path component.
    """
    if not parent:
        raise NoPathError("no parent transcript was named")
    too_long = len(f"agent-{agent_id}.jsonl".encode(errors="surrogateescape")) > _LONGEST_NAME
    if not agent_id or agent_id in (".", "..") or re.search(r"[/\\\0]", agent_id) or too_long:
        raise NotAnAgentIdError(f"not an agent id: {agent_id[:80]!r}")
    folder = parent.removesuffix(".jsonl") + "/subagents"
    flat = f"{folder}/agent-{agent_id}.jsonl"
    try:
        if Path(flat).exists():
            return flat
        workflows = sorted(entry.path for entry in os.scandir(f"{folder}/workflows") if entry.is_dir())
    except OSError:
        return flat
    found = [one for workflow in workflows if Path(one := f"{workflow}/agent-{agent_id}.jsonl").exists()]
    return found[0] if found else flat


def subagents_linkable(agent: str) -> bool:
    """Return whether the transcripts of an agent (`claude`, `codex` or `pi`) tie a sub-agent to its dispatcher.

    Claude Code's do by their place and meta sidecar, Codex's by their header; pi has no sub-agents.
    """
    return agent in ("claude", "codex")
