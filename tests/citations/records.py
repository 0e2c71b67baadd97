"""Made-up records, and small lakes of them: the shortest way to write a transcript for a test."""

from __future__ import annotations

import json
import shutil
import zlib
from collections.abc import Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tracelake.build import extract
from tracelake.lake.connect import open_lake

from tests.fold.folding import fold

Record = dict[str, Any]


def user(content: Any, **keys: Any) -> Record:
    """A user record with text or blocks."""
    return {"type": "user", "message": {"role": "user", "content": content}, **keys}


def call(call_id: str, name: str, cwd: str = "/w", **given: Any) -> Record:
    """An assistant record with one tool call; `given` is its input."""
    block = {"type": "tool_use", "id": call_id, "name": name, "input": given}
    return {"type": "assistant", "cwd": cwd, "message": {"role": "assistant", "content": [block]}}


def bash(call_id: str, command: str) -> Record:
    """A Bash call."""
    return call(call_id, "Bash", command=command)


def block(call_id: str, content: Any, **keys: Any) -> dict[str, Any]:
    """A tool_result block."""
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **keys}


def result(call_id: str, content: Any, **keys: Any) -> Record:
    """A user record with one tool result."""
    return user([block(call_id, content)], **keys)


def queued(prompt: Any, mode: str = "prompt", **keys: Any) -> Record:
    """A message sent mid-turn."""
    attachment = {"type": "queued_command", "prompt": prompt, "commandMode": mode}
    return {"type": "attachment", "attachment": attachment, **keys}


def transcript(*records: Record | str, **everywhere: Any) -> bytes:
    """The bytes of a file: one line per record, each with a uuid of its own; a string is a raw line."""
    tag = f"{zlib.crc32(repr((records, everywhere)).encode()):08x}"
    lines = []
    for number, record in enumerate(records, 1):
        if isinstance(record, str):
            lines.append(record)
        else:
            lines.append(json.dumps({"uuid": f"{tag}-{number}", "parentUuid": None, **everywhere, **record}))
    return ("\n".join(lines) + "\n").encode()


def texts(*records: Record | str, **everywhere: Any) -> list[dict[str, Any]]:
    """The rows of `citations` of one file, in order of lines."""
    rows = fold(transcript(*records, **everywhere))["citations"]
    return sorted(rows, key=lambda row: (row["line_no"], row["seq"]))


def citable(*records: Record | str, pool: str | None = None, **everywhere: Any) -> list[Any]:
    """Line and text of what may be cited; with a pool the texts alone."""
    rows = [row for row in texts(*records, **everywhere) if row["citable"]]
    if pool is not None:
        return [row["text"] for row in rows if row["pool"] == pool]
    return [(row["line_no"], row["pool"], row["text"]) for row in rows]


def reasons(*records: Record | str, **everywhere: Any) -> list[tuple[str, str | None]]:
    """Text and first reason of every row."""
    return [(row["text"], row["excluded_reason"]) for row in texts(*records, **everywhere)]


class Tree:
    """A folder of transcripts and the lake made of it."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.project = self.home / "projects" / "-w"
        self.lake = folder / "lake"

    def write(self, files: Mapping[str, bytes]) -> Tree:
        """Write files below the project's folder."""
        for name, data in files.items():
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return self

    def path(self, name: str) -> str:
        """The path of a file as the lake names it."""
        return str(self.project / name)

    @contextmanager
    def open(self):
        """Extract anew, then yield a connection to the lake."""
        shutil.rmtree(self.lake, ignore_errors=True)
        extract([self.home], self.lake, engine="serial", with_raw=False)
        with open_lake(self.lake) as connection:
            yield connection


MAIN = "11111111-1111-4111-8111-111111111111"
OTHER = "22222222-2222-4222-8222-222222222222"
THIRD = "33333333-3333-4333-8333-333333333333"
