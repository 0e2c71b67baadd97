"""One segment: a Parquet file that is written once, hashed on the way, and says in its footer what it belongs to."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from tracelake.lake.arrow import arrow_schema
from tracelake.lake.durable import make_private_dir, open_private, write_all
from tracelake.lake.manifest import SegmentFile
from tracelake.tables import TABLES

FOOTER_KEY = b"tracelake.segment"
ONE_GROUP = 1 << 30
"""Rows at most in a row group: whatever is written at once becomes one."""
_BUFFER_BYTES = 1 << 20
_STATISTICS = ("session_id", "path", "part_id", "line_no", "timestamp", "occurred_at")


class Beginning(msgspec.Struct, frozen=True, array_like=True):
    """What precedes a segment's footer: its length in bytes and SHA-256 (hex)."""

    bytes: int
    sha256: str


class Origin(msgspec.Struct, frozen=True):
    """Where a bundle came from and what it means for others."""

    commit: int
    """Number of the commit that it was written for."""
    parts: list[int]
    """Parts that it was written for."""
    born_dead: list[int] = []
    """Parts that it holds some rows of, although reading them failed."""
    kills: list[int] = []
    """Parts of earlier bundles that are dead where this one is live."""
    replaces: list[str] = []
    """Bundles that it was merged from: dead where this one is live."""
    source_bytes: int = 0
    """Bytes of transcripts that its rows were made from."""


class Footer(msgspec.Struct, frozen=True):
    """What a segment's footer says of its bundle."""

    bundle: str
    table: str
    files: dict[str, Beginning]
    """Every file of the bundle by table."""
    origin: Origin
    schema: str
    """Stamp of the columns that its segments have."""


class OpenSegment:
    """One Parquet file being written."""

    def __init__(self, table: str, path: Path) -> None:
        """Make the file, and its folder where need be. Raises OSError."""
        make_private_dir(path.parent)
        self._path = path
        self._table = table
        self._sink = _Sink(path)
        self._rows = 0
        self._writer: Any = None

    def write(self, data: pa.Table) -> None:
        """Write rows as one row group. Raises OSError."""
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._sink, arrow_schema(self._table), **_options(self._table))
        self._rows += data.num_rows
        self._writer.write_table(data, row_group_size=ONE_GROUP)

    def beginning(self) -> Beginning:
        """Return what is written by now: all but the footer."""
        return Beginning(self._sink.written, self._sink.digest.hexdigest())

    def finish(self, footer: Footer) -> SegmentFile:
        """Write the footer and close the file; return what the manifest says of it. Raises OSError."""
        self._writer.add_key_value_metadata({FOOTER_KEY: msgspec.json.encode(footer)})
        self._writer.close()
        self._sink.end()
        return SegmentFile(self._sink.digest.hexdigest(), self._sink.written, self._rows)

    def abandon(self) -> None:
        """Close what is open; on a full disk that fails too, and then left-over writers would complain at exit."""
        self._sink.give_up()
        with suppress(OSError, pa.ArrowException):
            if self._writer is not None:
                self._writer.close()
        with suppress(OSError):
            self._path.unlink()


class _Sink:
    """What Arrow writes to: counts and hashes every byte, and hands them to the file in large pieces."""

    closed = False

    def __init__(self, path: Path) -> None:
        self._file = open_private(path)
        self._pieces: list[bytes] = []
        self._held = 0
        self.written = 0
        self.digest = hashlib.sha256()

    def write(self, data: Any) -> int:
        piece = bytes(data)
        self.digest.update(piece)
        self.written += len(piece)
        self._pieces.append(piece)
        self._held += len(piece)
        if self._held >= _BUFFER_BYTES:
            self._hand_over()
        return len(piece)

    def tell(self) -> int:
        return self.written

    def flush(self) -> None:
        """Do nothing: `end` hands over what is left."""

    def close(self) -> None:
        """Do nothing: Arrow closes what it writes to, and the footer may come after that."""

    def end(self) -> None:
        self._hand_over()
        self._file.close()

    def give_up(self) -> None:
        self._pieces, self._held = [], 0
        with suppress(OSError):
            self._file.close()
        self._file = open(os.devnull, "wb")  # noqa: SIM115, PTH123 - Arrow still writes its footer

    def _hand_over(self) -> None:
        pieces, self._pieces, self._held = self._pieces, [], 0
        if pieces:
            write_all(self._file, b"".join(pieces))


@cache
def _options(table: str) -> dict[str, Any]:
    columns = TABLES[table].stored_columns
    return {
        "compression": "zstd",
        "compression_level": 1,
        "use_dictionary": [column.name for column in columns if column.few_values],
        "write_statistics": [column.name for column in columns if column.name in _STATISTICS],
        "store_schema": False,
    }


def read_footer(path: Path) -> Footer:
    """Return what a segment's footer says. Raises OSError or ValueError where there is none that can be read."""
    try:
        metadata = pq.read_metadata(path).metadata or {}
        return msgspec.json.decode(metadata[FOOTER_KEY], type=Footer)
    except (pa.ArrowException, KeyError, msgspec.MsgspecError) as error:
        raise ValueError(f"{path} is not a whole segment: {error}") from error
