"""Every session of the real transcripts as a tree: the same lines and the same issues as in the lake."""

from __future__ import annotations

from collections import defaultdict

import pytest
from tracelake.transcripts import CHECKS, read_tree

TRANSCRIPTS = "('main', 'subagent', 'workflow_subagent', 'legacy_subagent')"


@pytest.fixture(scope="module")
def trees(real):
    """The tree of each session, by its id."""
    paths = defaultdict(list)
    sql = f"""
        SELECT session_id, path FROM files
        WHERE agent = 'claude' AND kind IN {TRANSCRIPTS} OR kind = 'sidecar' AND path LIKE '%.meta.json'
    """
    for session_id, path in real(sql):
        paths[session_id].append(path)
    return {session_id: read_tree(files) for session_id, files in paths.items()}


def test_the_lines_are_those_of_entries(trees, real):
    sql = """
        SELECT path, line_no, class, type, subtype, user_kind, uuid, status FROM entries
        WHERE agent = 'claude' AND status <> 'torn'
    """
    in_lake = set(real(sql))
    made = {
        (file.path, line.ordinal, line.class_, line.type, line.subtype, line.user_kind, line.uuid, line.status)
        for tree in trees.values()
        for file in tree.files
        for line in file.lines
    }
    assert len(made) > 40_000
    assert made == in_lake


def test_sessions_are_those_of_the_lake(trees):
    assert {file.session_id for session_id, tree in trees.items() for file in tree.files} == set(trees)
    assert all(file.session_id == session_id for session_id, tree in trees.items() for file in tree.files)


def test_the_issues_are_those_of_the_lake(trees, real):
    made = {(one.id, one.path) for tree in trees.values() for one in tree.issues if one.id != "main_twice"}
    shared = ", ".join(f"'{name}'" for name in CHECKS)
    sql = f"""
        SELECT check_id, path FROM integrity_issues JOIN files USING (session_id, path)
        WHERE check_id IN ({shared}) AND (agent = 'claude' OR path LIKE '%.meta.json')
    """
    assert made == set(real(sql))
    assert len({check for check, _ in made}) >= 6


def test_calls_lead_to_their_subagents(trees, real):
    named = real("SELECT session_id, path, meta_tool_use_id FROM files WHERE meta_tool_use_id <> ''")
    for session_id, path, tool_use_id in named:
        assert trees[session_id].subagent_for_tool_use(tool_use_id).path == path


def test_no_type_is_unclassified(real):
    left = real("SELECT type FROM type_survey WHERE class = 'unknown'")
    assert left == []
    surveyed = real("SELECT sum(count)::BIGINT FROM type_survey")
    assert surveyed == real("SELECT count(*) FROM entries WHERE class IS NOT NULL")
