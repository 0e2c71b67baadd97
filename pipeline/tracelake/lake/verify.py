"""The Parquet files of a lake against its manifest: present, readable, with the rows that were written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tracelake.lake.layout import LakePaths
from tracelake.lake.manifest import Manifest


class Damage(NamedTuple):
    """One partition that is not as it was written."""

    session_id: str
    table: str
    reason: str


def damaged_partitions(paths: LakePaths, manifest: Manifest) -> Iterator[Damage]:
    """Yield every partition that is missing, cannot be read, or has another number of rows; reads footers only."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for session_id, session in manifest.sessions.items():
        for table, rows in session.rows.items():
            if not rows:
                continue
            file = paths.partition_file(table, session_id)
            try:
                found = pq.read_metadata(file).num_rows
            except FileNotFoundError:
                yield Damage(session_id, table, "missing")
            except (OSError, pa.ArrowException) as error:
                yield Damage(session_id, table, str(error).split("\n", 1)[0])
            else:
                if found != rows:
                    yield Damage(session_id, table, f"{found} rows, {rows} were written")
