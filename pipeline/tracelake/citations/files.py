"""The file a citation is asked from: what the lake knows of it, and which others belong to its session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tracelake.citations.errors import AgentNotCitableError, RecordUnreadableError, SubagentUnlinkedError
from tracelake.lake.connect import run_select

if TYPE_CHECKING:
    from tracelake.lake.connect import Connection

LINKABLE_AGENTS = frozenset({"claude", "codex"})
"""Programs whose sub-agents' files can be tied to the session that started them."""
CITABLE_AGENTS = frozenset({"claude"})
"""Programs whose transcripts say who wrote each text."""
TRANSCRIPTS = "kind IN ('main', 'subagent', 'workflow_subagent', 'legacy_subagent')"


@dataclass(frozen=True)
class RecordFile:
    """One transcript; `root_path` is the session's main file, None for an orphan sub-agent."""

    path: str
    session_id: str
    agent: str
    root_path: str | None
    is_subagent: bool

    @property
    def top(self) -> str:
        """The file whose tree holds the session: the root, or an orphan itself."""
        return self.root_path or self.path


def select(lake: Connection, sql: str, **params: Any) -> list[dict[str, Any]]:
    """Return the rows of a query with named parameters."""
    rows: list[dict[str, Any]] = run_select(lake, sql, params).to_pylist()
    return rows


def record_file(lake: Connection, path: str) -> RecordFile:
    """Return a transcript of the lake. Raises RecordUnreadableError when it is not there or was not read whole."""
    sql = f"""
        SELECT path, session_id, agent, root_path, is_subagent_record, read_error
        FROM files WHERE path = $path AND {TRANSCRIPTS}
    """
    rows = select(lake, sql, path=path)
    if not rows:
        raise RecordUnreadableError(f"{path} is not a transcript of this lake")
    row = rows[0]
    if row["read_error"]:
        raise RecordUnreadableError(f"{path} could not be read: {row['read_error']}")
    return RecordFile(path, row["session_id"], row["agent"], row["root_path"], bool(row["is_subagent_record"]))


def require_citable(file: RecordFile) -> None:
    """Raise AgentNotCitableError for a transcript of a program whose texts are not told apart by who wrote them."""
    if file.agent not in CITABLE_AGENTS:
        raise AgentNotCitableError(f"citations cannot be judged in transcripts of {file.agent}: {file.path}")


def require_available(file: RecordFile, as_subagent: bool = False) -> None:
    """Raise SubagentUnlinkedError where a sub-agent's citation cannot be tied to the user's conversation (C-16).

    Raises AgentNotCitableError for other programs than Claude Code.
    """
    if file.agent not in LINKABLE_AGENTS and (as_subagent or file.is_subagent):
        raise SubagentUnlinkedError(
            f"sub-agents of {file.agent} cannot be tied to the user's conversation; ask from the main session's file"
        )
    require_citable(file)


def citations_unavailable(lake: Connection, path: str, as_subagent: bool = False) -> SubagentUnlinkedError | None:
    """Return why no citation can be resolved from a file, None where they can (C-16).

    `as_subagent` says that the caller is known to be a sub-agent. Raises RecordUnreadableError.
    """
    try:
        require_available(record_file(lake, path), as_subagent)
    except SubagentUnlinkedError as error:
        return error
    return None


def tree_of(lake: Connection, top: str) -> list[str]:
    """Return the files of a session: `top`, then the sub-agents below it in the order of a tree walk (S-6)."""
    sql = f"""
        SELECT path FROM files
        WHERE {TRANSCRIPTS} AND starts_with(path, $below) AND regexp_matches(path, '/agent-[^/]*\\.jsonl$')
        ORDER BY string_split(path, '/')
    """
    below = top.removesuffix(".jsonl") + "/subagents/"
    return [top, *(row["path"] for row in select(lake, sql, below=below))]
