"""Where files lie in a tree of transcripts, and what that says about them.

Everything here works on path text with `/` and opens nothing; questions about the disk go to predicates
that the caller passes in.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from posixpath import basename, dirname, splitext
from typing import NamedTuple

from tracelake.sources.paths import is_uuid

Predicate = Callable[[str], bool]

_NESTED = re.compile(r"/subagents/(?:workflows/[^/]+/)?[^/]+")
"""How the folder of a nested sub-agent hangs below the folder of its session."""


class Place(NamedTuple):
    """What a location says: a kind, the folder of the topmost session around it, why it is no transcript.

    `kind` is subagent, workflow_subagent, legacy_subagent, journal or sidecar, or `other` when only the
    content can tell a main file from something else.
    """

    kind: str
    session_dir: str | None = None
    reason: str | None = None


def agent_id_of(path: str) -> str | None:
    """Return `<id>` of a file named `agent-<id>.jsonl` or `agent-<id>.meta.json`, else None (S-1)."""
    name = basename(path)
    for ending in (".jsonl", ".meta.json"):
        if name.startswith("agent-") and name.endswith(ending):
            return name[len("agent-") : -len(ending)] or None
    return None


def meta_path_of(path: str) -> str | None:
    """Return where the meta sidecar of a transcript lies; None unless the path ends `.jsonl` (S-5)."""
    return path.removesuffix(".jsonl") + ".meta.json" if path.endswith(".jsonl") else None


def described_by(path: str) -> str | None:
    """Return the transcript that a `.meta.json` describes; None for any other path (S-5)."""
    return path.removesuffix(".meta.json") + ".jsonl" if path.endswith(".meta.json") else None


def session_dir_of(path: str) -> str | None:
    """Return the parent of the nearest ancestor named `subagents`; None when there is none (S-3)."""
    folder = dirname(path)
    while basename(folder):
        if basename(folder) == "subagents":
            return dirname(folder) or "."
        folder = dirname(folder)
    return None


def dispatcher_of(path: str) -> str | None:
    """Return the transcript that dispatched a sub-agent, by location: session folder + `.jsonl` (S-4)."""
    folder = session_dir_of(path)
    return None if folder is None else folder + ".jsonl"


def location_says_subagent(path: str) -> bool:
    """Return whether a path is `agent-*.jsonl` somewhere below a `subagents` folder (S-2, second half)."""
    name = basename(path)
    return name.startswith("agent-") and name.endswith(".jsonl") and session_dir_of(path) is not None


def root_path_of(path: str, is_file: Predicate, is_subagent_record: Predicate) -> str | None:
    """Return the main file of the tree a path lies in; itself for a main file, None for an orphan (S-4)."""
    # A dispatcher lies higher than what it dispatched, so this ends without a list of what was seen.
    while is_subagent_record(path):
        dispatcher = dispatcher_of(path)
        if dispatcher is None or not is_file(dispatcher):
            return None
        path = dispatcher
    return path


def top_session_dir(path: str) -> str | None:
    """Return the outermost session folder around a file below `subagents`, through nested sub-agents."""
    found = session_dir_of(path)
    while found is not None:
        outer = session_dir_of(found)
        if outer is None or not _NESTED.fullmatch(found[len(outer) :]):
            break
        found = outer
    return found


def is_project_dir(folder: str) -> bool:
    """Return whether a folder is one project's: directly below `projects`, or named like `-home-me`."""
    return basename(dirname(folder)) == "projects" or basename(folder).startswith("-")


def is_session_dir(folder: str, is_file: Predicate, is_dir: Predicate) -> bool:
    """Return whether a folder is a session's companion: at least two of the four signs of one.

    The signs: a main file beside it, a UUID as name, a project folder around it, a `subagents` or
    `tool-results` folder in it. One sign alone also occurs in trees that have nothing to do with agents.
    """
    signs = int(is_uuid(basename(folder))) + int(is_project_dir(dirname(folder)))
    if signs < 2:
        signs += is_file(folder + ".jsonl")
    if signs == 1:
        signs += is_dir(folder + "/subagents") or is_dir(folder + "/tool-results")
    return signs >= 2


def place_of(path: str, is_file: Predicate, session_dir: Predicate) -> Place:
    """Return what the location of a regular file says about it (S-1).

    `session_dir` answers `is_session_dir` for a folder (the caller may remember answers).
    """
    top = top_session_dir(path)
    if location_says_subagent(path):
        return Place("workflow_subagent" if _in_workflow(path) else "subagent", top)
    if basename(path) == "journal.jsonl" and _in_workflow(path):
        return Place("journal", top, "workflow journal, not a transcript")
    if basename(path).startswith("agent-") and path.endswith(".jsonl"):
        return Place("legacy_subagent")
    around = top if top and session_dir(top) else _nearest(path, session_dir)
    if around is not None:
        return Place("sidecar", around, _sidecar_reason(path, around))
    described = described_by(path)
    if described is not None and (agent_id_of(path) or is_file(described)):
        return Place("sidecar", top, f"meta sidecar of {basename(described)}")
    return Place("other")


def project_of(path: str, session_dir: str | None) -> str:
    """Return the name of the folder directly below the nearest `projects`, else that of the parent folder.

    For a file of a session folder, the parent is the folder around the session.
    """
    folder = dirname(session_dir or path)
    parent = basename(folder)
    while basename(folder):
        if basename(dirname(folder)) == "projects":
            return basename(folder)
        folder = dirname(folder)
    return parent


def project_of_cwd(cwd: str) -> str:
    """Return the name that Claude Code gives the project of a working directory (I-10).

    So the sessions of all agents in one folder are one project's.
    """
    return re.sub("[^A-Za-z0-9]", "-", cwd)


def trusts_location(path: str, empty: bool) -> bool:
    """Return whether a `.jsonl` file counts as a Claude transcript although its content cannot tell.

    So for a sub-agent's place, and in a project folder for an empty file or one named by a UUID (it may be
    torn or padded from the first line on). Elsewhere only an empty file with such a name counts.
    """
    if location_says_subagent(path):
        return True
    named = is_uuid(splitext(basename(path))[0]) or basename(path).startswith("agent-")
    trusted = named or empty if is_project_dir(dirname(path)) else named and empty
    return trusted and path.endswith(".jsonl")


def _in_workflow(path: str) -> bool:
    """Return whether the nearest `subagents` folder is followed by `workflows`."""
    folder = session_dir_of(path)
    return folder is not None and path[len(folder) :].startswith("/subagents/workflows/")


def _nearest(path: str, session_dir: Predicate) -> str | None:
    """Return the nearest ancestor that is a session folder."""
    folder = dirname(path)
    while basename(folder):
        if session_dir(folder):
            return folder
        folder = dirname(folder)
    return None


def is_stored_result(path: str, place: Place) -> bool:
    """Return whether a file of a session folder is a tool result that Claude Code stored there."""
    return place.session_dir is not None and path[len(place.session_dir) + 1 :].startswith("tool-results/")


def _sidecar_reason(path: str, session_dir: str) -> str:
    """Return what a file of a session folder is, in words."""
    inside = path[len(session_dir) + 1 :]
    described = described_by(path)
    if described is not None:
        return f"meta sidecar of {basename(described)}"
    if inside.startswith("tool-results/"):
        return "stored tool result of the session"
    if inside.startswith("workflows/"):
        return "workflow state of the session"
    return "other file in the session's folder, not a record file by its place"
