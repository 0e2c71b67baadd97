"""Bundles that are small, or hold more dead rows than live ones, written again as fewer and larger ones.

Each run does a bounded share of that work, so that a lake that is added to a thousand times keeps few files; `compact`
does all of it. Rows are copied, never changed; parts keep their ids.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import pyarrow as pa

from tracelake.lake.layout import LakePaths
from tracelake.lake.manifest import BundleState, Manifest
from tracelake.lake.segment_file import Origin
from tracelake.lake.segment_rows import read_parts
from tracelake.lake.segments import BundleWriter
from tracelake.tables import SCHEMA, TABLES

FULL_BYTES = 12 * 1024 * 1024
"""A bundle made of this many source bytes is not small."""
FULL_ROWS = 200_000
"""Nor is one of this many rows."""
TARGET_BYTES = 24 * 1024 * 1024
"""Source bytes of a merged bundle."""
TARGET_ROWS = 400_000
"""Rows of a merged bundle."""
GROUPS_A_RUN = 3
"""So many merged bundles are written by a run at most."""
SMALL_AT_MOST = 8
"""So many small bundles of about the same size may gather before a run merges them."""
STEP = 4
"""Small bundles count as about the same size within this factor."""


def groups_to_merge(manifest: Manifest, *, everything: bool = False) -> list[list[str]]:
    """Return groups of bundles that are to become one bundle each.

    A run merges bundles that are mostly dead, and small ones when too many of about the same size have gathered, so
    that each row is copied a few times at most however many runs there are. With `everything` all small bundles are
    merged, and all that hold any dead row.
    """
    live = {name: manifest.live_rows(name) for name in manifest.bundles}
    small = [name for name, state in manifest.bundles.items() if _is_small(state, live[name])]
    if everything:
        mixed = [name for name, state in manifest.bundles.items() if _is_mixed(state, live[name])]
        groups = _packed(manifest, list(dict.fromkeys([*mixed, *small])), live)
        return [group for group in groups if len(group) > 1 or group[0] in mixed]
    dead = [name for name, state in manifest.bundles.items() if live[name] * 2 < state.rows]
    tiers: dict[int, list[str]] = {}
    for name in small:
        if name not in dead:
            tiers.setdefault(_tier(live[name]), []).append(name)
    crowded = [name for tier in tiers.values() if len(tier) >= SMALL_AT_MOST for name in tier]
    return list(_packed(manifest, [*dead, *crowded], live))[:GROUPS_A_RUN]


def _tier(rows: int) -> int:
    tier = 0
    while rows >= STEP:
        rows //= STEP
        tier += 1
    return tier


def _is_small(state: BundleState, live: int) -> bool:
    return state.source_bytes < FULL_BYTES and live < FULL_ROWS


def _is_mixed(state: BundleState, live: int) -> bool:
    """Whether a bundle holds dead rows, or has other columns than bundles are written with now."""
    return live < state.rows or state.schema != SCHEMA


def _packed(manifest: Manifest, names: Sequence[str], live: dict[str, int]) -> Iterator[list[str]]:
    """Yield the bundles in groups whose rows fit into one."""
    group: list[str] = []
    rows = size = 0
    for name in sorted(names, key=lambda name: (live[name], name)):
        more = _live_bytes(manifest.bundles[name], live[name])
        if group and (rows + live[name] > TARGET_ROWS or size + more > TARGET_BYTES):
            yield group
            group, rows, size = [], 0, 0
        group.append(name)
        rows, size = rows + live[name], size + more
    if group:
        yield group


def _live_bytes(state: BundleState, live: int) -> int:
    return state.source_bytes * live // max(state.rows, 1)


def merged(paths: LakePaths, manifest: Manifest, group: Sequence[str], name: str) -> Manifest:
    """Write the live rows of a group of bundles as the bundle `name`; return the manifest that lists it instead.

    A group without any live row leaves none. Raises OSError.
    """
    parts = sorted(part for bundle in group for part in manifest.live_parts(bundle))
    bundles = {bundle: state for bundle, state in manifest.bundles.items() if bundle not in group}
    if not parts:
        return msgspec.structs.replace(manifest, bundles=bundles)
    size = sum(_live_bytes(manifest.bundles[bundle], manifest.live_rows(bundle)) for bundle in group)
    commit = manifest.number + 1
    with BundleWriter(paths, name) as writer:
        for table in TABLES:
            writer.write_table(table, _sorted_rows(paths, manifest, group, table))
        files = writer.finish(Origin(commit, parts, replaces=list(group), source_bytes=size))
    bundles[name] = BundleState(commit, files, parts, source_bytes=size, schema=SCHEMA)
    moved = {part: msgspec.structs.replace(manifest.parts[part], bundle=name) for part in parts}
    return msgspec.structs.replace(manifest, bundles=bundles, parts={**manifest.parts, **moved})


def _sorted_rows(paths: LakePaths, manifest: Manifest, group: Sequence[str], table: str) -> pa.Table:
    """Return the live rows of a table, sessions together, each session's in the order they had."""
    pieces = [
        read_parts(paths.segment(table, bundle), table, manifest.live_parts(bundle))
        for bundle in group
        if table in manifest.bundles[bundle].files
    ]
    data = pa.concat_tables(pieces) if pieces else None
    if data is None or not data.num_rows:
        return pa.table([])
    keys = {"session_id": data.column("session_id").cast(pa.string()), "row": pa.array(range(data.num_rows))}
    order = pa.table(keys).sort_by([("session_id", "ascending"), ("row", "ascending")])
    return data.take(order.column("row"))
