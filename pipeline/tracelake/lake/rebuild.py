"""A manifest out of the footers of segments, for when none is left that knows them.

A bundle counts when all of its files are there and begin with the bytes that their footers name. What footers do not
say (inode and time of the source files, failures, settings) is unknown afterwards, so sources are read again.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from tracelake.lake.layout import LakePaths, segment_name
from tracelake.lake.manifest import (
    BundleState,
    Extent,
    FileState,
    Manifest,
    PartState,
    SegmentFile,
)
from tracelake.lake.segment_file import Footer, read_footer
from tracelake.lake.segment_rows import read_parts
from tracelake.sources.model import SourceFile
from tracelake.tables import TABLES

_UNKNOWN = -1
"""Size and inode of a source file that nobody remembers: no file has them, so it is read again."""
_PIECE = 1 << 20
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def with_lost_bundles(paths: LakePaths, manifest: Manifest) -> Manifest:
    """Return the manifest with every whole bundle that it does not know, in the order of their commits.

    Raises OSError.
    """
    known = manifest.bundles.keys() | {name.split("/")[-1].removesuffix(".parquet") for name in manifest.dead}
    found = sorted(_whole_bundles(paths, known), key=lambda footer: (footer.origin.commit, footer.bundle))
    for footer in found:
        manifest = _adopted(paths, manifest, footer)
    highest = max([manifest.number, *(footer.origin.commit for footer in found)])
    return msgspec.structs.replace(_newest_only(manifest), number=highest, rebuilt=True)


def _newest_only(manifest: Manifest) -> Manifest:
    """Return the manifest with the last reading of each file alone.

    What killed an earlier one may have been in a bundle that was merged or swept since.
    """
    newest: dict[str, int] = {}
    for number, part in manifest.parts.items():
        newest[part.path] = max(number, newest.get(part.path, 0))
    parts = {number: part for number, part in manifest.parts.items() if newest[part.path] == number}
    return msgspec.structs.replace(manifest, parts=parts)


def _whole_bundles(paths: LakePaths, known: set[str]) -> list[Footer]:
    footers: dict[str, dict[str, Footer]] = {}
    for table in TABLES:
        for path in (paths.segments / table).glob("*.parquet"):
            if path.stem not in known:
                try:
                    footers.setdefault(path.stem, {})[table] = read_footer(path)
                except (OSError, ValueError):
                    continue
    whole = []
    for bundle, by_table in footers.items():
        first = next(iter(by_table.values()))
        same = all(footer.files == first.files and footer.table == table for table, footer in by_table.items())
        if same and by_table.keys() == first.files.keys() and _begins_right(paths, bundle, first):
            whole.append(first)
    return whole


def _begins_right(paths: LakePaths, bundle: str, footer: Footer) -> bool:
    return all(
        _digest(paths.segment(table, bundle), beginning.bytes)[0] == beginning.sha256
        for table, beginning in footer.files.items()
    )


def _digest(path: Path, size: int | None = None) -> tuple[str, int]:
    """Return the SHA-256 of a file's first bytes (all, where no size is given) and how many there were."""
    digest, done = hashlib.sha256(), 0
    with path.open("rb") as stream:
        while (size is None or done < size) and (
            piece := stream.read(_PIECE if size is None else min(_PIECE, size - done))
        ):
            digest.update(piece)
            done += len(piece)
    return digest.hexdigest(), done


def _adopted(paths: LakePaths, manifest: Manifest, footer: Footer) -> Manifest:
    """Return the manifest with one more bundle live, and dead what it kills and replaces."""
    bundle, origin = footer.bundle, footer.origin
    state = BundleState(
        commit=origin.commit,
        files=dict(_files(paths, footer)),
        parts=origin.parts,
        born_dead=origin.born_dead,
        source_bytes=origin.source_bytes,
        schema=footer.schema,
    )
    gone = set(origin.kills)
    parts = {number: part for number, part in manifest.parts.items() if number not in gone}
    made = _parts(paths, footer)
    files = dict(manifest.files)
    for row in _rows(paths, "files", bundle, origin.parts):
        files[row["path"]] = _file_state(row, made[row["part_id"]])
    bundles = {name: one for name, one in manifest.bundles.items() if name not in origin.replaces}
    highest = max([manifest.next_part, *(number + 1 for number in (*origin.parts, *origin.born_dead))])
    return msgspec.structs.replace(
        manifest,
        files={path: one for path, one in files.items() if one.part_id in parts or one.part_id in made},
        parts={**parts, **made},
        bundles={**bundles, bundle: state},
        next_part=highest,
    )


def _files(paths: LakePaths, footer: Footer) -> list[tuple[str, SegmentFile]]:
    import pyarrow.parquet as pq

    found = []
    for table in footer.files:
        path = paths.segments / segment_name(table, footer.bundle)
        digest, size = _digest(path)
        found.append((table, SegmentFile(digest, size, pq.read_metadata(path).num_rows)))
    return found


def _rows(
    paths: LakePaths, table: str, bundle: str, parts: list[int], columns: list[str] | None = None
) -> list[dict[str, Any]]:
    path = paths.segment(table, bundle)
    rows: list[dict[str, Any]] = read_parts(path, table, parts, columns).to_pylist() if path.exists() else []
    return rows


def _parts(paths: LakePaths, footer: Footer) -> dict[int, PartState]:
    """Return what the manifest says of a bundle's parts: counted again."""
    bundle, parts = footer.bundle, footer.origin.parts
    counts: dict[int, dict[str, int]] = {}
    for table in footer.files:
        column = read_parts(paths.segment(table, bundle), table, parts, ["part_id"]).column(0)
        for item in column.value_counts().to_pylist():
            counts.setdefault(item["values"], {})[table] = item["counts"]
    statuses: dict[int, Counter[str]] = {}
    for row in _rows(paths, "entries", bundle, parts, ["part_id", "status"]):
        statuses.setdefault(row["part_id"], Counter())[row["status"]] += 1
    models: dict[int, set[str]] = {}
    for row in _rows(paths, "token_usage", bundle, parts, ["part_id", "model", "iterations"]):
        named = [row["model"], *(one["model"] for one in row["iterations"] or ())]
        models.setdefault(row["part_id"], set()).update(filter(None, named))
    return {
        row["part_id"]: PartState(
            path=row["path"],
            session_id=row["session_id"],
            bundle=bundle,
            rows=counts[row["part_id"]],
            statuses=dict(statuses.get(row["part_id"], ())),
            models=sorted(models.get(row["part_id"], ())),
        )
        for row in _rows(paths, "files", bundle, parts, ["part_id", "path", "session_id"])
    }


def _file_state(row: dict[str, Any], part: PartState) -> FileState:
    file = SourceFile(
        path=row["path"],
        os_path=row["path"],
        source=row["source"],
        project=row["project"],
        kind=row["kind"],
        agent=row["agent"],
        session_id=row["session_id"],
        reason=row["reason"],
        agent_id=row["agent_id"],
        size=_UNKNOWN,
        mtime_ns=_UNKNOWN,
        inode=_UNKNOWN,
        fingerprint="",
    )
    return FileState(
        file=file,
        part_id=row["part_id"],
        read_at_us=None if row["read_error"] else _micros(row["extracted_at"]),
        extractor_version=row["extractor_version"] or 0,
        has_raw="raw_lines" in part.rows,
        extent=extent_of(row),
    )


def extent_of(row: dict[str, Any]) -> Extent:
    """Return how a file begins and how far it goes, as its row of `files` says."""
    start = row["start_time"]
    return Extent(row["root_uuid"], None if start is None else _micros(start), row["lines"] or 0, row["bytes"] or 0)


def _micros(time: datetime) -> int:
    return (time - _EPOCH) // timedelta(microseconds=1)
