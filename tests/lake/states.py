"""Made-up states of files and sessions; every field can be given."""

from tracelake.lake.manifest import SessionState
from tracelake.sources.model import SourceFile

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
SESSION = {
    "rows": {"entries": 3},
    "statuses": {"ok": 3},
    "models": ["m"],
    "extracted_at_us": 5,
    "extractor_version": 1,
    "has_raw": True,
    "bytes": 10,
    "lines": 3,
}


def source_file(path="/s/a.jsonl", **changes):
    return SourceFile(**{"path": path, "os_path": path, **FILE, **changes})


def session_state(**changes):
    return SessionState(**{**SESSION, **changes})
