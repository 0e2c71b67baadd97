"""Small made-up trees for the tests of discovery."""

from __future__ import annotations

import json
from pathlib import Path

from tracelake.sources.discover import Discovery, discover
from tracelake.sources.model import SourceFile

SESSION = "0a1b2c3d-0000-4000-8000-00000000000a"
OTHER = "0a1b2c3d-0000-7000-8000-00000000000b"


def user(session_id: str | None = SESSION, **more: object) -> str:
    """One typed prompt as a line, with a session id unless it is None."""
    ids = {} if session_id is None else {"sessionId": session_id}
    record = {"type": "user", **ids, "message": {"role": "user", "content": "hi"}, **more}
    return json.dumps(record) + "\n"


def write(path: Path, content: str | bytes = "") -> Path:
    """Write a file with all the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def search(*sources: Path, known: Discovery | None = None) -> Discovery:
    """Discover, with the files of an earlier discovery as the known ones."""
    return discover(sources, {file.path: file for file in known.files} if known else {})


def by_name(found: Discovery, base: Path) -> dict[str, SourceFile]:
    """The files by their path below a folder."""
    return {file.path.removeprefix(f"{base}/"): file for file in found.files}


def kinds(found: Discovery, base: Path) -> dict[str, str]:
    """The kinds by the path below a folder."""
    return {name: file.kind for name, file in by_name(found, base).items()}
