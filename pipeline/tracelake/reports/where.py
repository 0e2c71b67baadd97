"""The SQL behind `tracelake where`: what is known of one file."""

from __future__ import annotations

from tracelake.reports.model import Query


def matching(paths: list[str]) -> Query:
    """Return the query for those of the paths that are in the lake."""
    return Query("SELECT path FROM files WHERE list_contains(?::VARCHAR[], path)", [paths])


def facts(path: str, session_id: str | None = None, tree: str | None = None) -> Query:
    """Return the query for the one row about a file that is in the lake.

    `belongs_to_session` and `belongs_to_tree` say whether the file may be the session's, and whether its work was in
    or below the folder `tree` (resolved); NULL where not asked (I-7, I-8).
    """
    return Query(_FACTS, [path, session_id, tree])


_FACTS = """
SELECT
    files.path,
    files.kind,
    files.agent,
    files.project,
    coalesce(own.project_dir, agent_files.project_dir) AS project_dir,
    files.session_id,
    coalesce(own.stable_id, CASE WHEN files.root_logical_parent_uuid IS NULL THEN files.root_uuid END) AS stable_id,
    own.degraded,
    own.identity_error,
    own.unreadable_siblings,
    files.root_uuid,
    files.root_logical_parent_uuid AS continues_uuid,
    files.agent_id,
    files.meta_agent_type AS agent_type,
    files.is_subagent_transcript,
    files.is_subagent_record,
    files.root_path,
    tops.stable_id AS root_stable_id,
    agent_files.parent_path,
    agent_files.parent_source,
    files.start_cwd,
    files.start_time,
    files.end_time,
    files.lines,
    files.read_error,
    files.strict_error,
    files.vanished_at,
    CASE WHEN $2::VARCHAR IS NOT NULL THEN belongs_to_session(files.path, $2::VARCHAR) END AS belongs_to_session,
    CASE WHEN $3::VARCHAR IS NOT NULL THEN belongs_to_tree(files.path, $3::VARCHAR) END AS belongs_to_tree,
    files.record_session_ids[1] AS first_session_id,
    files.cwds[1] AS first_cwd
FROM files
LEFT JOIN conversation_files AS own ON own.path = files.path
LEFT JOIN conversation_files AS tops ON tops.path = files.root_path
LEFT JOIN agent_files ON agent_files.path = files.path
WHERE files.path = $1
"""
