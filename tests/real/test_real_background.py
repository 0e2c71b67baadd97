"""Background agents of the real transcripts, counted apart from the program."""

from __future__ import annotations

import json
import re

RECEIPT = re.compile(r"agentId:\s*([A-Za-z0-9_-]+)")
SHELL = re.compile(r"Command running in background with ID: ([A-Za-z0-9_-]+)")


def results(folder):
    """Every tool result's text of every line that is JSON."""
    for path in folder.rglob("*.jsonl"):
        for line in path.read_bytes().split(b"\n"):
            try:
                content = json.loads(line)["message"]["content"]
                blocks = [block for block in content if block["type"] == "tool_result"]
            except (ValueError, KeyError, TypeError):
                continue
            yield from (json.dumps(block["content"], ensure_ascii=False) for block in blocks)


def test_every_agent_and_shell_launched_in_erk_has_a_known_state(real, real_data):
    launched = set()
    for text in results(real_data / "erk"):
        if "Async agent launched successfully" in text[:60]:
            launched.add(RECEIPT.search(text)[1])
        elif match := SHELL.match(text[1:]):
            launched.add(match[1])
    rows = real(
        "SELECT agent_id, state FROM background_agents WHERE launches > 0 AND path LIKE ?", f"{real_data}/erk/%"
    )
    assert len(launched) > 150
    assert {agent_id for agent_id, _ in rows} == launched
    assert {state for _, state in rows} == {"completed", "running"}
    # The session of the only one without an end stops seven lines after the launch.
    assert [agent_id for agent_id, state in rows if state == "running"] == ["a88b0fd4d7ae64239"]


def test_calls_that_ran_and_calls_that_did_not(real):
    found = dict(
        real(
            "SELECT coalesce(not_run_form, 'ran'), count(*) FROM tool_calls"
            " WHERE agent = 'claude' AND status <> 'pending' GROUP BY ALL"
        )
    )
    assert found["N10"] > 200
    assert found["ran"] > 9000
    assert (
        real("SELECT path FROM tool_calls WHERE agent = 'claude' AND status = 'pending' AND (ran OR ran_extended)")
        == []
    )
    assert real("SELECT path FROM tool_calls WHERE status = 'ok' AND agent = 'claude' AND NOT ran_extended") == []
