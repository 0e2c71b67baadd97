"""The real transcripts against the list that came with them."""

import csv
import os
from pathlib import Path

import pytest
from tracelake.sources.discover import discover
from tracelake.sources.model import TRANSCRIPT_KINDS

ROOT = os.environ.get("TRACELAKE_REAL_DATA")

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not ROOT, reason="TRACELAKE_REAL_DATA is not set"),
]

LISTED_DIFFERENTLY = {
    # The list calls its program unknown; the lines have Claude's `type` and `message`, and nothing else.
    "pypi__tracegauge-0.17.1/tracegauge/data/quickstart_sample_session.jsonl": ("claude", "main"),
}


def expected(row):
    """What discovery should say of a listed file: the agent and the kinds that fit."""
    path, agent, kind = row["path"], row["agent"], row["kind"]
    if path in LISTED_DIFFERENTLY:
        agent, kind = LISTED_DIFFERENTLY[path]
        return agent, {kind}
    if agent in ("codex", "pi"):
        # The list has no kind for Codex's sub-agents, whose sessions say in their headers what they are.
        return agent, {"subagent"} if path.endswith("rollout_subagent.jsonl") else {"main"}
    if kind == "sidecar-other":
        return "", {"unrecognised"}
    if kind.startswith("sidecar"):
        return "claude", {"sidecar"}
    name = path.rpartition("/")[2]
    if name == "journal.jsonl":
        return "claude", {"journal"}
    if "/workflows/" in path:
        return "claude", {"workflow_subagent"}
    if "/subagents/" in path:
        return "claude", {"subagent"}
    # The list goes by the content of the first record, we by place and name: others may be main files.
    return "claude", {"legacy_subagent"} if name.startswith("agent-") else {"main"}


def test_every_listed_file_is_found_as_what_it_is():
    root = Path(ROOT).resolve()
    with (root / "MANIFEST.tsv").open(newline="", encoding="utf-8") as lines:
        listed = list(csv.DictReader(lines, delimiter="\t"))
    found = discover([root], {})
    files = {file.path.removeprefix(f"{root}/"): file for file in found.files}
    assert found.problems == []
    assert len(listed) > 600
    wrong = []
    for row in listed:
        file = files.pop(row["path"])
        agent, kinds = expected(row)
        if file.agent != agent or file.kind not in kinds or file.size != int(row["bytes"]):
            wrong.append((row["path"], row["agent"], row["kind"], file))
    assert wrong == []
    assert set(files) == {"MANIFEST.tsv", "INVENTORY.md"}


def test_every_transcript_has_a_session_and_every_other_file_a_reason():
    for file in discover([Path(ROOT)], {}).files:
        if file.kind in TRANSCRIPT_KINDS:
            assert file.reason is None
            assert file.session_id not in ("", "unassigned")
        else:
            assert file.reason
