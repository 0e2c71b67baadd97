"""A tree of transcripts that changes, and the lake that is made of it run by run."""

from __future__ import annotations

import json
from pathlib import Path

from tracelake.build import extract
from tracelake.lake.connect import open_lake, run_select
from tracelake.lake.layout import LakePaths
from tracelake.lake.segment_rows import read_parts
from tracelake.lake.store import live_manifest

A = "0a1b2c3d-0000-4000-8000-00000000000a"
B = "0a1b2c3d-0000-4000-8000-00000000000b"
C = "0a1b2c3d-0000-4000-8000-00000000000c"
AGENT = f"{A}/subagents/agent-x.jsonl"


def line(text, session=A):
    message = {"role": "user", "content": text}
    record = {"type": "user", "sessionId": session, "uuid": f"u{text[1:]}", "message": message}
    return json.dumps(record) + "\n"


LINE_BYTES = len(line("t1"))


class Setting:
    """A projects folder, a lake, and the shortest ways to change the one and read the other."""

    def __init__(self, folder):
        self.source = folder / "projects"
        self.project = self.source / "p"
        self.paths = LakePaths(folder / "lake")

    def write(self, name, *texts, session=A):
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(line(text, session) for text in texts))
        return path

    def run(self, *sources, **options):
        given = {"engine": "serial", "partitions": "none", **options}
        return extract(sources or [self.source], self.paths.root, **given)

    @property
    def manifest(self):
        return live_manifest(self.paths)

    @property
    def sessions(self):
        """The sessions that have live rows."""
        return {part.session_id for part in self.manifest.parts.values()}

    def rows(self, table):
        """Every live row as it is stored, by session and file, with what the manifest says checked against it."""
        manifest = self.manifest
        found = []
        for part_id, part in sorted(manifest.parts.items(), key=lambda item: (item[1].session_id, item[1].path)):
            file = self.paths.segment(table, part.bundle)
            here = read_parts(file, table, [part_id]).to_pylist() if file.exists() else []
            assert len(here) == part.rows.get(table, 0)
            found += here
        return found

    def ask(self, sql):
        """What a reader is answered."""
        with open_lake(self.paths.root) as connection:
            return [tuple(row.values()) for row in run_select(connection, sql).to_pylist()]

    def texts(self):
        """The text of every entry, by file and line."""
        rows = {
            (Path(path).name, line_no): text
            for path, line_no, text in self.ask("SELECT path, line_no, text FROM entries")
        }
        assert rows == {(Path(row["path"]).name, row["line_no"]): row["text"] for row in self.rows("entries")}
        return rows

    def vanished(self):
        return {Path(path).name: at for path, at in self.ask("SELECT path, vanished_at FROM files")}

    def snapshot(self):
        """All that can be seen of the lake's files, locks left out."""
        return {
            str(path): (path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else None)
            for path in self.paths.root.rglob("*")
            if not path.name.endswith("lock")
        }


def two_sessions(folder):
    """Session A of a main file and a sub-agent's, session B of one file."""
    made = Setting(folder)
    made.write(f"{A}.jsonl", "t1", "t2")
    made.write(AGENT, "t3")
    made.write(f"{B}.jsonl", "t4", session=B)
    return made


FIRST = {(f"{A}.jsonl", 1): "t1", (f"{A}.jsonl", 2): "t2", ("agent-x.jsonl", 1): "t3", (f"{B}.jsonl", 1): "t4"}
"""What `two_sessions` holds: the text of every entry."""


def assert_only_live_files(paths):
    """Every file of the lake is of the present snapshot, or was of one that a reader may still have."""
    manifest = live_manifest(paths)
    known = manifest.live_files.keys() | manifest.dead.keys()
    segments_there = {str(path.relative_to(paths.segments)) for path in paths.segments.rglob("*") if path.is_file()}
    assert {name for name in segments_there if not name.startswith("_manifests/")} == known
    assert not list(paths.root.glob("*.new*"))
    assert not paths.spill.exists()
