"""Made-up states of files, parts and bundles; every field can be given."""

from tracelake.lake.manifest import BundleState, FileState, PartState
from tracelake.sources.model import SourceFile
from tracelake.tables import SCHEMA

FILE = {
    "source": "/s",
    "project": "p",
    "kind": "main",
    "agent": "claude",
    "session_id": "a",
    "reason": None,
    "agent_id": None,
    "size": 10,
    "mtime_ns": 1,
    "inode": 2,
    "fingerprint": "f",
}
STATE = {"part_id": 1, "read_at_us": 5, "extractor_version": 1, "has_raw": True}
PART = {
    "path": "/s/a.jsonl",
    "session_id": "a",
    "bundle": "b1",
    "rows": {"entries": 3},
    "statuses": {"ok": 3},
    "models": ["m"],
}


def source_file(path="/s/a.jsonl", **changes):
    return SourceFile(**{"path": path, "os_path": path, **FILE, **changes})


def file_state(file=None, **changes):
    return FileState(file or source_file(), **{**STATE, **changes})


def part_state(**changes):
    return PartState(**{**PART, **changes})


def bundle_state(parts=(1,), **changes):
    return BundleState(**{"commit": 1, "files": {}, "parts": list(parts), "schema": SCHEMA, **changes})
