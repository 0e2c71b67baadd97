"""Identities of the real transcripts, found apart from the program."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path


def origin(path):
    """The uuid of the first parentless record of a file, and what it continues."""
    for line in path.read_bytes().split(b"\n"):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict) and record.get("uuid") and record.get("parentUuid") is None:
            return record["uuid"], record.get("logicalParentUuid")
    return None


def test_fork_and_resume_share_the_identity_of_their_original(real, real_data):
    folder = real_data / "sloprail__harness-mocks"
    found = dict(real("SELECT path, stable_id FROM conversation_files WHERE starts_with(path, ?)", f"{folder}/"))
    assert len(found) == 4
    for path in folder.rglob("*.jsonl"):
        if str(path) in found:
            assert origin(path) == (found[str(path)], None)
    forks = {path: stable_id for path, stable_id in found.items() if "/forkresume/" in path}
    assert len(forks) == 2
    assert len(set(forks.values())) == 1
    ((files, sessions),) = real("SELECT files, sessions FROM conversations WHERE stable_id = ?", *set(forks.values()))
    assert (files, sessions) == (2, 2)


def test_a_file_without_identity_has_no_origin(real):
    sql = "SELECT coalesce(identity_error, 'has one'), count(*) FROM conversation_files GROUP BY 1"
    survey = Counter(dict(real(sql)))
    assert survey["has one"] > 300
    assert survey["unreadable"] == 0
    for path, root in real("SELECT path, stable_id FROM conversation_files WHERE agent = 'claude'"):
        found = origin(Path(path))
        assert (found and found[0]) == root


def test_every_file_below_a_session_folder_has_a_parent_or_is_an_orphan(real):
    rows = real("SELECT path, parent_path, root_path FROM subagents WHERE kind IN ('subagent', 'workflow_subagent')")
    assert len(rows) > 40
    assert [path for path, parent, root in rows if root is not None and parent is None] == []
