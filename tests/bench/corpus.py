"""A generated Claude Code tree of a given size, for measuring where no real one is at hand."""

from __future__ import annotations

import json
import random
import uuid
from pathlib import Path

WORDS = ["owl", "lantern", "harbour", "quartz", "meadow", "copper", "violet", "anchor", "pebble", "ember"]


def make_tree(root: Path, sessions: int = 60, turns: int = 120, seed: int = 7) -> Path:
    """Write `sessions` sessions of `turns` turns below `root` and return it."""
    chance = random.Random(seed)
    folder = root / "projects" / "-srv-owl"
    folder.mkdir(parents=True)
    for _ in range(sessions):
        session_id = str(uuid.UUID(int=chance.getrandbits(128), version=4))
        lines = [line for turn in range(turns) for line in make_turn(chance, session_id, turn)]
        (folder / f"{session_id}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return root


def text(chance: random.Random, words: int) -> str:
    """Return made-up prose."""
    return " ".join(chance.choices(WORDS, k=words))


def make_turn(chance: random.Random, session_id: str, turn: int) -> list[dict[str, object]]:
    """Return the four lines of a prompt, a call, its result and the answer."""
    stamp = f"2031-05-{1 + turn % 28:02d}T08:{turn % 60:02d}:00.000Z"
    common = {"sessionId": session_id, "timestamp": stamp, "cwd": "/srv/owl", "version": "2.1.0", "isSidechain": False}
    call, message = f"toolu_{session_id[:8]}_{turn}", f"msg_{session_id[:8]}_{turn}"
    usage = {
        "input_tokens": chance.randint(1, 50),
        "output_tokens": chance.randint(1, 900),
        "cache_read_input_tokens": chance.randint(0, 90_000),
        "cache_creation_input_tokens": chance.randint(0, 4_000),
    }
    said = {"id": message, "role": "assistant", "model": "claude-sonnet-4-6", "usage": usage}
    tool = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": text(chance, 8)}}
    result = {"type": "tool_result", "tool_use_id": call, "content": text(chance, 600)}
    bodies: list[dict[str, object]] = [
        {"type": "user", "message": {"role": "user", "content": text(chance, 40)}},
        {"type": "assistant", "requestId": "r" + message, "message": {**said, "content": [tool]}},
        {"type": "user", "message": {"role": "user", "content": [result]}, "toolUseResult": {"stdout": "x" * 2000}},
        {
            "type": "assistant",
            "requestId": "r" + message,
            "message": {**said, "content": [{"type": "text", "text": text(chance, 90)}]},
        },
    ]
    return [{**common, "uuid": str(uuid.UUID(int=chance.getrandbits(128))), **body} for body in bodies]
